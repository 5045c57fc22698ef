"""Standard error of a command has its own lines alone: no log lines of libraries, no warnings."""

import importlib.util
import json
import os
import subprocess
import sys
import warnings
import zipfile

import pytest

from keras_adaptive import datasets, zoo
from keras_adaptive.zoo import quiet
from keras_adaptive.zoo.entries import store

IMPORT = "from keras_adaptive.zoo.quiet import hide_log_lines; hide_log_lines(); import tensorflow"


def errors_of(*words, **variables):
    """What a process writes to standard error."""
    loud = ("TF_CPP_MIN_LOG_LEVEL", "CUDA_VISIBLE_DEVICES", "JAX_PLATFORMS", "PYTHONWARNINGS")
    environment = {name: os.environ[name] for name in os.environ if name not in loud}
    done = subprocess.run(
        [sys.executable, *words],
        env={**environment, **variables},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize(
    "backend", ["tensorflow", *(pytest.param(x, marks=pytest.mark.slow) for x in ("jax", "torch"))]
)
def test_predict_says_nothing_but_the_answer(backend):
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"{backend} is not installed")
    command = ["-m", "keras_adaptive.zoo.cli", "predict", "act_parity", "+-0+"]
    lines = errors_of(*command, "--backend", backend).splitlines()
    # A slow machine is told how long it has been.
    assert [line for line in lines if not line.startswith("working, ")] == []


TRACED_AGAIN = "function = tensorflow.function(lambda x: x + 1)\n"
TRACED_AGAIN += "for number in range(9): function(number)"


@pytest.mark.parametrize(("level", "shown"), [("0", "IWEF"), ("1", "WEF"), ("2", "EF"), ("3", "F")])
def test_lines_below_the_level_are_hidden(level, shown, monkeypatch, capfd):
    monkeypatch.setenv(quiet.LEVEL, level)
    with quiet._filtered():
        for kind in "IWEF":
            os.write(2, f"{kind}0000 00:00:1.5  1 a.cc:1] b\n".encode())
        os.write(2, b"of somebody else\n")
    lines = capfd.readouterr().err.splitlines()
    assert [line[0] for line in lines[:-1]] == [*shown] and lines[-1] == "of somebody else"


@pytest.mark.slow
def test_the_users_own_level_is_respected():
    """In processes of their own, with what TensorFlow says in fact."""
    code = f"{IMPORT}, os; os.write(2, b'of somebody else')\n{TRACED_AGAIN}"
    # What TensorFlow says of itself depends on the processor.
    shown = errors_of("-c", code, TF_CPP_MIN_LOG_LEVEL="0")
    assert "I0000" in shown, shown
    quieter = errors_of("-c", code, TF_CPP_MIN_LOG_LEVEL="1")
    assert "of somebody else" in quieter and "I0000" not in quieter and "retracing" in quieter


@pytest.mark.slow
def test_what_is_no_log_line_is_shown():
    """Functions that are traced again are no news."""
    code = f"{IMPORT}; from keras_adaptive.zoo import quiet; import os\n"
    code += "with quiet._filtered():\n"
    code += "    os.write(2, b'E0000 00:00:1.5  1 a.cc:1] b\\nan error\\n')\n"
    code += "    os.write(2, b'F0000 1.5 1 a.cc:1] c\\n')\n"
    assert errors_of("-c", code + TRACED_AGAIN) == "an error\nF0000 1.5 1 a.cc:1] c\n"


# The masks of the first and the last end at a layer of Keras.
@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("name", ["act_addition", "act_logic", "dham_reverse"])
def test_a_loaded_model_answers_without_warnings(name):
    recipe = store.recipe(name)
    inputs = datasets.batch(recipe.dataset, 2, **recipe.parameters)["inputs"]
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*(mask|structure)")
        model = zoo.load(name)
        assert len(model.predict_on_batch(inputs)) == 2
        assert len(model(inputs)) == 2


def test_no_entry_has_its_input_in_a_list():
    """Keras warns where such a model is called on an array."""
    for name in store.names():
        with zipfile.ZipFile(store.entry(name) / "model.keras") as archive:
            config = json.loads(archive.read("config.json"))["config"]
        for key in ("input_layers", "output_layers"):
            assert not isinstance(config.get(key, [""])[0], list), name
