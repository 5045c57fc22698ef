"""How each backend of Keras runs the two loops of this package.

`repeat` runs a body until no row of the batch is running any more, and sums up what it returns;
its gradient costs what was run, not what could have been. `scan` runs a step over a time axis.
Both are the same in value and gradient on every backend.
"""

import keras

from . import eager

if keras.config.backend() == "tensorflow":
    from .tensorflow import repeat, scan
elif keras.config.backend() == "jax":
    from .jax import repeat, scan
else:
    from .eager import repeat, scan

__all__ = ["repeat", "scan"]
