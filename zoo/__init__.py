"""Who learned which task, and how: recipes, training, evaluation and the pretrained models.

```python
from keras_adaptive import zoo

zoo.names()                                   # ['act_addition', 'act_logic', …]
model = zoo.load("act_parity")                # a compiled keras.Model
zoo.predict("act_addition", "12+345+6")       # {'answer': …, 'ponder_steps': …}
zoo.tuner("act_logic").search()               # tries time penalties
zoo.segment("act_enwik8_small", "…")          # where one word ends and the next begins
zoo.study("act_parity")                       # draws the paper's figures
```
"""

from typing import TYPE_CHECKING, Any

from .entries.store import card, load, names, predict, saved_model

if TYPE_CHECKING:
    from .calls import segment, study, tuner

_CALLS = ("segment", "study", "tuner")
__all__ = ["card", "load", "names", "predict", "saved_model", *_CALLS]


def __getattr__(name: str) -> Any:
    if name in _CALLS:
        # It imports Keras, whose backend the command line can still choose before.
        from . import calls

        return getattr(calls, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
