"""How each backend of Keras runs the two loops of this package.

`repeat` runs a body until no row of the batch is running any more, and sums up what it returns;
its gradient costs what was run, not what could have been. `scan` runs a step over a time axis.
Both are the same in value and gradient on every backend. `concrete` gives a tensor's values where
they are known already, to check them.
"""

import keras

from . import eager

if keras.config.backend() == "tensorflow":
    from .tensorflow import concrete, repeat, scan
elif keras.config.backend() == "jax":
    from .jax import concrete, repeat, scan
else:
    from .eager import concrete, repeat, scan

__all__ = ["concrete", "repeat", "scan"]
