"""The former place of `keras_adaptive.plots.study`."""

import warnings

from .plots.study import against_difficulty, error_bars, learning_and_ponder, time_penalties

__all__ = ["against_difficulty", "error_bars", "learning_and_ponder", "time_penalties"]

warnings.warn(
    "`keras_adaptive.study_plots` is now `keras_adaptive.plots.study`.",
    DeprecationWarning,
    stacklevel=2,
)
