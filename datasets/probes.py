"""Moved to `keras_adaptive.datasets.symbols.probes`; this name goes with the next minor version."""

import warnings

from .symbols.probes import PROBES, carries, multiplication_carries, ones, powers, unequal, zeros

__all__ = ["PROBES", "carries", "multiplication_carries", "ones", "powers", "unequal", "zeros"]

warnings.warn(
    "keras_adaptive.datasets.probes has moved to keras_adaptive.datasets.symbols.probes.",
    DeprecationWarning,
    stacklevel=2,
)
