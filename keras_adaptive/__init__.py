"""Neural networks in Keras that learn how long to think about each input.

```python
import keras
from keras_adaptive.layers import ACTRNN

model = keras.Sequential([
    keras.Input((None, 64)),
    ACTRNN(keras.layers.SimpleRNNCell(128), time_penalty=1e-3),
    keras.layers.Dense(1, activation="sigmoid"),
])
```

Submodules: `layers`, `halting`, `models`, `losses`, `metrics`, `control`, `plots`, `datasets` (the
tasks of the papers) and `zoo` (recipes and pretrained models).
"""

import importlib
from pathlib import Path

__version__ = "0.1.0"

_SUBMODULES = (
    "control",
    "datasets",
    "halting",
    "layers",
    "losses",
    "metrics",
    "models",
    "plots",
    "zoo",
)
__all__ = ["__version__", *_SUBMODULES]

# In a clone, datasets/, saved_models/ and zoo/ lie beside this package, not in it (setup.cfg maps
# them below it when it is installed). An installed copy has its own and looks nowhere else.
_package = Path(__file__).parent
if not (_package / "zoo").is_dir() and (_package.parent / "setup.cfg").is_file():
    __path__.append(str(_package.parent))


def __getattr__(name):
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_SUBMODULES})
