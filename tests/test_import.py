"""What `import keras_adaptive` loads, registers, and leaves alone, in fresh processes."""

import os
import subprocess
import sys

import keras
import pytest

from keras_adaptive.layers import ACTRNN
from keras_adaptive.losses import SequenceLoss

ORDERS = {
    "ours first": "import keras_adaptive, keras",
    "Keras first": "import keras, keras_adaptive",
    "a part of ours first": "from keras_adaptive import layers; import keras",
    "between two of ours": "import keras_adaptive; from keras.models import load_model; "
    "import keras, keras_adaptive.zoo.entries.store, keras_adaptive.losses",
}
LOAD = """
import sys
model = keras.models.load_model(sys.argv[1])
print(type(model.layers[-1]).__name__, type(model.loss).__name__)
"""
slow = pytest.mark.slow
# What a user's own program may be called with.
WORDS = ["--out", "runs/keras-adaptive", "keras_adaptive.zoo.cli"]


def start(code, *arguments):
    # The quickest backend to import.
    environment = {**os.environ, "KERAS_BACKEND": "numpy"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", code, *arguments], env=environment, **pipes)


def last_line(process):
    output, errors = process.communicate(timeout=300)
    assert not process.returncode, errors
    return output.splitlines()[-1]


@pytest.fixture(scope="module")
def process(tmp_path_factory):
    """Starts one for an order, that loads a model with a layer and a loss of ours."""
    path = str(tmp_path_factory.mktemp("saved") / "model.keras")
    model = keras.Sequential([keras.Input((2, 3)), ACTRNN(keras.layers.SimpleRNNCell(4))])
    model.compile("sgd", SequenceLoss())
    model.save(path)
    return lambda order: start(ORDERS[order] + LOAD, path, *WORDS)


# A process takes seconds to import Keras.
@pytest.mark.parametrize(
    "order",
    [
        order if order in ("ours first", "Keras first") else pytest.param(order, marks=slow)
        for order in ORDERS
    ],
)
def test_keras_loads_our_classes_whoever_is_imported_first(process, order):
    assert last_line(process(order)) == "ACTRNN SequenceLoss"


@pytest.mark.parametrize("module", ["keras_adaptive", "keras_adaptive.zoo.cli"])
def test_loads_nothing_but_itself(module):
    """The command line chooses the backend by an option, before Keras is imported."""
    code = "import sys; before = set(sys.modules)"
    code += f"; import {module}; print(*(set(sys.modules) - before))"
    loaded = {name.split(".")[0] for name in last_line(start(code, *WORDS)).split()}
    assert loaded - sys.stdlib_module_names - {"numpy"} == {"keras_adaptive"}


def test_only_our_names_are_looked_up_in_our_modules():
    code = """
import sys, keras_adaptive, keras
classes = keras.saving.get_custom_objects()
found = [classes.get("Nothing"), "strangers>ACTRNN" in classes]
found += ["keras_adaptive.act" in sys.modules]
found += [classes.get("keras_adaptive>Nothing"), classes["keras_adaptive>ACT"].__name__]
print(found)
"""
    assert last_line(start(code)) == "[None, False, False, None, 'ACT']"


def test_lists_its_modules():
    import keras_adaptive

    assert {"layers", "halting", "datasets", "zoo"} <= set(dir(keras_adaptive))
    with pytest.raises(AttributeError, match="nothing"):
        _ = keras_adaptive.nothing
