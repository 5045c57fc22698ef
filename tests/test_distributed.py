"""The examples of docs/distributed.md, each in processes of its own, beside one device."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

import graphs
from keras_adaptive import distributed
from keras_adaptive.layers import ACTRNN

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "distributed.md").read_text(encoding="utf-8")
MODEL, MIRRORED, WORKERS, HOGWILD, SERVERS, JAX = re.findall(r"```python\n(.*?)```", PAGE, re.S)
ALONE = """
history = make().fit(x, y, batch_size=16, epochs=2, shuffle=False, verbose=0).history
"""
SHOW = """
import json
print(json.dumps({name: [float(value) for value in values] for name, values in history.items()}))
"""
# A HAM draws, so that its numbers differ; a Neural GPU has a cost that its layer adds. Alone they
# run eagerly, without a trace.
OTHERS = """
from keras_adaptive.ham import Memory
from keras_adaptive.layers import HAM, NeuralGPU
from keras_adaptive.reinforce import ReinforceModel

def neural_gpu(**options):
    keras.utils.set_random_seed(0)
    inputs = keras.Input((None,), dtype="int32")
    layer = NeuralGPU(3, 3, width=1, nonlinearity="hard", saturation_cost=0.1, initial_scale=3.0)
    model = keras.Model(inputs, layer(inputs))
    model.compile(keras.optimizers.SGD(0.1), SequenceLoss(from_logits=True), **options)
    symbols = np.random.default_rng(1).integers(1, 3, size=(16, 5))
    return model.fit(symbols, symbols, batch_size=8, shuffle=False, verbose=0).history["loss"]

def ham(**options):
    keras.utils.set_random_seed(0)
    inputs = keras.Input((4, 2))
    model = ReinforceModel(
        keras.Model(inputs, HAM(1, None, Memory(4, hidden_units=4), seed=1)(inputs))
    )
    model.compile(keras.optimizers.SGD(0.1), **options)
    bits = np.random.default_rng(1).integers(0, 2, size=(16, 4, 2)).astype("float32")
    history = model.fit(bits, bits[..., :1], batch_size=8, shuffle=False, verbose=0).history
    return history["task_loss"]

with strategy.scope():
    history = {**history, "neural_gpu": neural_gpu(), "ham": ham()}
eager = {"run_eagerly": True}
history |= {"neural_gpu_alone": neural_gpu(**eager), "ham_alone": ham(**eager)}
"""
# The second batch has one example, for the first of two devices.
WITHOUT_EXAMPLE = """
import json
from keras_adaptive.ham import Memory
from keras_adaptive.layers import HAM
from keras_adaptive.models import PointerNetwork
from keras_adaptive.reinforce import ReinforceModel

rng = np.random.default_rng(1)
bits = rng.integers(0, 2, size=(9, 2, 2))
points, corners = rng.random((9, 3, 2)), np.array([[1, 2, 3, 1]] * 9)
with strategy.scope():
    inputs = keras.Input((2, 2))
    network = keras.Model(inputs, HAM(1, None, Memory(2, hidden_units=2), seed=1)(inputs))
    models = [
        (ReinforceModel(network), None, bits, bits[..., :1]),
        (ReinforceModel(network, samples=2, baseline="leave_one_out"), None, bits, bits[..., :1]),
        (PointerNetwork(4, max_ponder=3), SequenceLoss(), points, corners),
    ]
    for model, loss, _, _ in models:
        model.compile("sgd", loss)
fits = [model.fit(x, y, batch_size=8, verbose=0).history for model, _, x, y in models]
print(json.dumps(fits))
"""


def start(source, **environment):
    """A process that runs a program on two CPU devices."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "KERAS_BACKEND": "tensorflow",
        "OMP_WAIT_POLICY": "PASSIVE",
        **environment,
    }
    return subprocess.Popen(
        [sys.executable, "-c", source],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def answers(*processes):
    """The JSON on the last line that each process writes."""
    try:
        said = [process.communicate(timeout=600) for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert all(process.returncode == 0 for process in processes), said
    return [json.loads(out.splitlines()[-1]) for out, _ in said]


@pytest.fixture(scope="module")
def alone():
    """The history of the same training on one device."""
    names = {}
    with graphs.functions(run_eagerly=True):  # Its few batches take less than a trace.
        exec(compile(MODEL + ALONE, "distributed.md", "exec"), names)
    return names["history"]


def assert_same(history, alone):
    assert set(history) == set(alone)
    for name, values in alone.items():
        np.testing.assert_allclose(history[name], values, rtol=1e-4, err_msg=name)


@pytest.mark.slow
@pytest.mark.parametrize("length", ["None", "3"])
def test_several_devices(length, alone):
    (history,) = answers(start(MODEL.replace("None", length) + MIRRORED + SHOW))
    assert_same(history, alone)


@pytest.mark.slow
def test_a_time_penalty_that_follows_a_target_on_several_devices():
    model, names = MODEL.replace("time_penalty=0.01", "time_penalty=0.01, target_ponder=2.0"), {}
    with graphs.functions(run_eagerly=True):
        exec(compile(model + ALONE, "distributed.md", "exec"), names)
    (history,) = answers(start(model + MIRRORED + SHOW))
    assert_same(history, names["history"])


@pytest.mark.slow
def test_a_device_without_an_example():
    more = "history = model.fit(x[:17], y[:17], batch_size=16, verbose=0).history\n"
    (history,) = answers(start(MODEL + MIRRORED + more + SHOW))
    assert np.isfinite(list(history.values())).all()


@pytest.mark.slow
def test_other_models_on_a_device_without_an_example():
    (histories,) = answers(start(MODEL + MIRRORED + WITHOUT_EXAMPLE))
    assert len(histories) == 3
    for history in histories:
        assert np.isfinite(list(history.values())).all()


@pytest.mark.slow
def test_other_layers_on_several_devices(alone):
    (history,) = answers(start(MODEL + MIRRORED + OTHERS + SHOW))
    np.testing.assert_allclose(
        history.pop("neural_gpu"), history.pop("neural_gpu_alone"), rtol=1e-4
    )
    assert history.pop("ham")[0] == pytest.approx(history.pop("ham_alone")[0], rel=0.2)
    assert_same(history, alone)


@pytest.mark.slow
def test_several_processes(alone):
    ports = []
    for _ in range(2):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            ports.append(f"127.0.0.1:{free.getsockname()[1]}")
    processes = []
    for index in range(2):
        task = {"cluster": {"worker": ports}, "task": {"type": "worker", "index": index}}
        processes.append(start(MODEL + WORKERS + SHOW, TF_CONFIG=json.dumps(task)))
    for history in answers(*processes):
        assert_same(history, alone)


def test_threads():
    """They update weights without waiting, and learn."""
    names = {}
    exec(compile(MODEL + HOGWILD, "distributed.md", "exec"), names)
    assert names["after"] < 0.97 * names["before"]


@pytest.mark.slow
def test_parameter_servers():
    """Workers update weights without waiting, and learn."""
    # The servers of a process cannot be stopped.
    show = "import json, os\nprint(json.dumps(losses), flush=True)\nos._exit(0)\n"
    (losses,) = answers(start(MODEL + SERVERS + show))
    assert np.mean(losses[-3:]) < 0.97 * losses[0]


@pytest.mark.slow
def test_two_devices_on_jax(alone):
    (history,) = answers(
        start(
            MODEL + JAX + SHOW,
            KERAS_BACKEND="jax",
            JAX_PLATFORMS="cpu",
            XLA_FLAGS=f"{os.environ['XLA_FLAGS']} --xla_force_host_platform_device_count=2",
        )
    )
    # The random numbers of the initial weights are those of the backend.
    assert set(history) == set(alone) and history["loss"][1] < history["loss"][0]


def test_what_cannot_be():
    model = keras.Sequential([keras.Input((2, 3)), ACTRNN(keras.layers.SimpleRNNCell(4))])
    with pytest.raises(ValueError, match=r"compiled and built\. Received: compiled=False"):
        distributed.fit(model, None)
    model = keras.Sequential([ACTRNN(keras.layers.SimpleRNNCell(4))])
    model.compile("sgd", "mse")
    with pytest.raises(ValueError, match="Received: compiled=True, built=False"):
        distributed.fit(model, None)
    model(np.zeros((1, 2, 3)))
    nothing = tf.data.Dataset.from_tensors((np.zeros((1, 2, 3)), np.zeros((1, 4)))).take(0)
    with pytest.raises(ValueError, match="a dataset with at least one batch"):
        distributed.fit(model, nothing)
    assert distributed.replicas() == 1 and distributed.share_of(3.0) == 3.0
