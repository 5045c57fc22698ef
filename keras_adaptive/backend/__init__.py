"""How each backend of Keras runs the two loops of this package.

`repeat` runs a body until no row of the batch is running any more, and sums up what it returns;
its gradient costs what was run, not what could have been. `scan` runs a step over a time axis.
Both are the same in value and gradient on every backend. `scan_repeats` is both in one loop, which
costs less, where a backend has it. `concrete` gives a tensor's values where
they are known already, to check them. `parts` is how a step is taken for some rows alone, where a
backend can (else `None`). `clock` tells the time while a graph runs. `retraced` keeps
apart what was traced in contexts that differ, see `halting.context`. The others are what a loop
with a gradient of its own is made of, see `ham.paths`.
"""

import contextlib

import keras

from . import eager

# Whether `repeat` can drop rows that have halted.
can_compact = keras.config.backend() == "tensorflow"

if keras.config.backend() == "tensorflow":
    from . import tensorflow_parts as parts
    from .tensorflow import (
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
        with_gradient,
    )
    from .tensorflow_compact import explained_compaction
    from .tensorflow_element import scan_one
    from .tensorflow_retrace import retraced, runs_for_another_thread
    from .tensorflow_scan import scan_repeats
elif keras.config.backend() == "jax":
    from .jax import (
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
        with_gradient,
    )

    parts = scan_one = scan_repeats = None
    explained_compaction = contextlib.nullcontext
else:
    from .eager import (
        appends_in_place,
        clock,
        compiles,
        concrete,
        may_compile_models,
        repeat,
        retraced,
        runs_for_another_thread,
        scan,
    )

    append = explicit = pull_back = with_gradient = None  # For loops that append in place.
    parts = scan_one = scan_repeats = None
    explained_compaction = contextlib.nullcontext

__all__ = [
    "append",
    "appends_in_place",
    "can_compact",
    "clock",
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
    "scan_one",
    "scan_repeats",
    "with_gradient",
]
