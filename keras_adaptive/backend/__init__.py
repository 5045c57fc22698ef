"""Implementations of the loops of this package for each Keras backend.

`repeat` runs a body until no row of the batch is running any more, and sums its results; its
gradient costs as many steps as were run. `scan` runs a step over a time axis. Values and gradients
of both are the same on every backend. `scan_repeats` combines both in one loop, which is faster, on
backends that have it. `compiled_scan` is `scan` for training, where TensorFlow runs a graph faster.
`concrete` returns the values of a tensor if they are known, for checks.
`parts` has functions that run a step for some rows only; it is `None` on backends without them.
`clock` reads the time while a graph runs, and `wait_for` makes what follows wait for a reading.
`retraced` separates traces that were made in different contexts, see `halting.context`. The other
functions are parts of loops with custom gradients, see `ham.paths`. `batch_normalized` normalizes
maps in one operation, and is `None` on backends without it. `accelerator` names the processor, if
it is not a CPU.
"""

import contextlib

import keras

from . import eager

# Whether `repeat` can drop rows that have halted.
can_compact = keras.config.backend() == "tensorflow"

if keras.config.backend() == "tensorflow":
    from .tensorflow import parts
    from .tensorflow.compact import explained_compaction
    from .tensorflow.core import (
        accelerator,
        append,
        appends_in_place,
        clock,
        compiles,
        concrete,
        explicit,
        may_compile_models,
        pull_back,
        repeat,
        scan,
        wait_for,
        with_gradient,
    )
    from .tensorflow.element import compiled_together
    from .tensorflow.normalization import batch_normalized
    from .tensorflow.retrace import retraced, runs_for_another_thread
    from .tensorflow.scan import compiled_scan, scan_repeats
elif keras.config.backend() == "jax":
    from .jax import (
        accelerator,
        append,
        appends_in_place,
        clock,
        compiles,
        concrete,
        explicit,
        may_compile_models,
        pull_back,
        repeat,
        retraced,
        runs_for_another_thread,
        scan,
        wait_for,
        with_gradient,
    )

    compiled_scan = scan
    batch_normalized = parts = compiled_together = scan_repeats = None
    explained_compaction = contextlib.nullcontext
else:
    from .eager import (
        accelerator,
        appends_in_place,
        clock,
        compiles,
        concrete,
        may_compile_models,
        repeat,
        retraced,
        runs_for_another_thread,
        scan,
        wait_for,
    )

    compiled_scan = scan
    append = explicit = pull_back = with_gradient = None  # Only for loops that append in place.
    batch_normalized = parts = compiled_together = scan_repeats = None
    explained_compaction = contextlib.nullcontext

__all__ = [
    "accelerator",
    "append",
    "appends_in_place",
    "batch_normalized",
    "can_compact",
    "clock",
    "compiled_scan",
    "compiled_together",
    "compiles",
    "concrete",
    "explained_compaction",
    "explicit",
    "may_compile_models",
    "parts",
    "pull_back",
    "repeat",
    "retraced",
    "runs_for_another_thread",
    "scan",
    "scan_repeats",
    "wait_for",
    "with_gradient",
]
