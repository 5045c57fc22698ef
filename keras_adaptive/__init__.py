"""Neural networks in Keras that learn how long to think about each input.

```python
import keras
from keras_adaptive.layers import ACTRNN

model = keras.Sequential([
    ACTRNN(keras.layers.SimpleRNNCell(128), time_penalty=1e-3),
    keras.layers.Dense(1, activation="sigmoid"),
])
```

Modules: `layers`, `halting` (the loop inside them, for your own steps), `models`, `losses`,
`metrics`, `callbacks`, `checkpoints` (of trainings that may be interrupted), `control` (automatic
time penalty), `optimizers` (gradient noise, AdaMax with relative clipping), `curriculum`,
`relaxation` (of shared parameters), `initial_weights`, `weight_averages`, `ensemble`, `evaluation`
(errors with confidence intervals, ponder, latency), `statistics`, `boundaries` (where ponder
peaks), `language` (parts of models of words), `export` (SavedModels that stop early), `numpy_act`
(answers without Keras), `long_calls` (messages, estimates and Ctrl-C), `ham` (the parts of that
memory), `reinforce` (training by REINFORCE), `baselines` (what the papers compare with),
`distributed` (several machines), `plots`, `datasets` (the tasks of the papers) and `zoo` (recipes
and pretrained models).
After `import keras_adaptive`, Keras loads saved models that use its classes, whichever of the two
is imported first; Keras itself is imported when it is needed.
"""

import importlib
from pathlib import Path

from .registration import register

__version__ = "0.1.0"

# Modules with classes that are saved in models.
_SAVED = (
    "baselines",
    "callbacks",
    "control",
    "halting",
    "ham",
    "language",
    "layers",
    "losses",
    "metrics",
    "models",
    "optimizers",
    "reinforce",
    "weight_averages",
)
_SUBMODULES = (
    *_SAVED,
    "boundaries",
    "checkpoints",
    "curriculum",
    "datasets",
    "distributed",
    "ensemble",
    "evaluation",
    "export",
    "initial_weights",
    "long_calls",
    "numpy_act",
    "plots",
    "relaxation",
    "statistics",
    "study_plots",
    "zoo",
)

__all__ = ["__version__", *sorted(_SUBMODULES)]

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


register(tuple(f"{__name__}.{name}" for name in _SAVED))
