"""Every argument of everything public is right or refused by name, before any work is done.

`arguments_table` and `arguments_table_of_layers` have a row for each public class and function: how
to call it, and for each argument what it must refuse. A public argument without a row fails
`test_every_argument_has_a_row`.
"""

import functools
import importlib
import inspect

import keras
import numpy as np
import pytest

from keras_adaptive import (
    arguments,
    curriculum,
    distributed,
)
from keras_adaptive.layers import (
    ACTRNN,
    HAM,
    NeuralGPU,
)
from support import arguments_table, arguments_table_of_layers

MODULES = [
    *("baselines", "boundaries", "callbacks", "checkpoints", "control", "curriculum"),
    *("distributed", "ensemble", "evaluation", "export"),
    *("halting", "ham", "ham.probe", "initial_weights", "layers", "long_calls", "losses"),
    *("metrics", "models", "neural_gpu", "numpy_act", "optimizers", "reinforce"),
    *("relaxation", "statistics", "weight_averages"),
]

TABLE = {**arguments_table_of_layers.TABLE, **arguments_table.TABLE}


def public():
    """All public classes and functions, but errors, and named tuples, which hold results."""
    for name in MODULES:
        module = importlib.import_module(f"keras_adaptive.{name}")
        names = getattr(module, "__all__", None)
        for word in names or [word for word in vars(module) if not word.startswith("_")]:
            item = getattr(module, word)
            own = getattr(item, "__module__", "").startswith(module.__name__)
            is_error = isinstance(item, type) and issubclass(item, BaseException)
            if callable(item) and (names or own) and not hasattr(item, "_fields") and not is_error:
                yield word, item


def arguments_of(item):
    """The names that a call takes."""
    parameters = inspect.signature(item).parameters
    found = set(parameters) - {"args", "kwargs"}
    if item is curriculum.Feed:
        found.discard("parameters")
    return found


def test_every_argument_has_a_row():
    found = dict(public())
    assert {item.__name__ for item in TABLE} >= set(found), set(found)
    for name, item in found.items():
        missing = arguments_of(item) - TABLE[item][1].keys()
        assert not missing, (name, missing)


CASES = [(item, name) for item, (make, bad) in TABLE.items() if make for name in bad]


@pytest.mark.parametrize(
    ("item", "name"), CASES, ids=[f"{item.__name__}-{name}" for item, name in CASES]
)
def test_bad_values_are_refused_by_name(item, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make, bad = TABLE[item]
    taken = []
    for value in bad[name]:
        given = {**make(), name: value}
        try:
            result = item(**given)
            if hasattr(result, "__enter__"):  # a context, which checks what it is given on entry
                with result:
                    pass
        except (ValueError, TypeError) as error:
            if f"`{name}`" not in str(error):
                taken.append((arguments.shown(value), f"{type(error).__name__}: {error}"))
        else:
            taken.append((arguments.shown(value), "is taken"))
    assert not taken, "\n".join(map(str, taken))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("item", [item for item, (make, _) in TABLE.items() if make])
def test_what_the_table_starts_from_is_right(item, tmp_path, monkeypatch):
    if item is not distributed.fit:
        monkeypatch.chdir(tmp_path)
        item(**TABLE[item][0]())


def test_numbers_of_numpy_are_numbers():
    layer = ACTRNN(
        keras.layers.SimpleRNNCell(2),
        max_ponder=np.int64(3),
        epsilon=np.float32(0.25),
        return_state=np.bool_(True),
    )
    assert (layer.max_ponder, layer.epsilon, layer.return_state) == (3, 0.25, True)
    assert NeuralGPU(np.int8(3), maps=np.uint16(2), seed=np.int32(1)).get_config()["seed"] == 1


@pytest.mark.parametrize(
    ("layer", "words"),
    [
        (keras.layers.GRU(8), "Pass `GRUCell(8)` in place of `GRU(8)`"),
        (keras.layers.LSTM(5), "Pass `LSTMCell(5)` in place of `LSTM(5)`"),
    ],
)
@pytest.mark.parametrize("make", [ACTRNN, functools.partial(HAM, 2)])
def test_a_layer_where_a_cell_is_meant(make, layer, words):
    with pytest.raises(ValueError) as caught:
        make(layer)
    assert words in str(caught.value)
