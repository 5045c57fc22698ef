"""A plain `fit` that is interrupted and resumed, as a user writes it."""

import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import time

import keras
import numpy as np
import pytest

from keras_adaptive import callbacks, checkpoints
from keras_adaptive.callbacks import AdvanceCurriculum, Autosave, Checkpoint, RequireFinite
from keras_adaptive.checkpoints import signals
from keras_adaptive.curriculum import Batches, Feed, OneByOne
from keras_adaptive.losses import SequenceLoss
from keras_adaptive.metrics import SequenceError

# One test is about the graph that users train; the network of the others is as small.
pytestmark = pytest.mark.usefixtures("eager")
EPOCHS, STEPS = 5, 3
SCRIPT = """
import sys
import keras
from keras_adaptive.callbacks import Checkpoint
from test_checkpoints import data, network

keras.utils.set_random_seed(1)
model = network()
with Checkpoint(sys.argv[1], seconds=0) as checkpoint:
    print("ready", flush=True)
    model.fit(data(), epochs=100_000, verbose=0, callbacks=[checkpoint])
"""


def batch(number, level):
    rng = np.random.default_rng(number)
    x = rng.normal(size=(8, 3)).astype("float32")
    return x, x.sum(axis=1, keepdims=True)


class data(Batches):
    """Batches whose numbers go on from epoch to epoch."""

    def __init__(self):
        super().__init__(batch, STEPS)
        self.epoch = 0

    def __getitem__(self, index):
        return self.make(self.epoch * STEPS + index, None)


class Numbered(keras.callbacks.Callback):
    """Tells the batches in which epoch they are."""

    def __init__(self, batches):
        super().__init__()
        self.batches = batches

    def on_epoch_begin(self, epoch, logs=None):
        self.batches.epoch = epoch


def network():
    """With weights, an optimizer with slots, and a random generator."""
    model = keras.Sequential(
        [keras.Input((3,)), keras.layers.Dense(4), keras.layers.Dropout(0.5), keras.layers.Dense(1)]
    )
    model.compile(keras.optimizers.Adam(0.01), "mse")
    return model


class Interrupt(keras.callbacks.Callback):
    """Raises an error in the middle of an epoch."""

    def __init__(self, epoch):
        super().__init__()
        self.at = epoch

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        if (self.epoch, batch) == (self.at, 1):
            raise OSError("interrupted")


def train(folder, *others, epochs=EPOCHS, **settings):
    """Train a new network with a checkpoint, and return it."""
    keras.utils.set_random_seed(7)
    model, batches = network(), data()
    before = [Numbered(batches), *others]
    checkpoint = Checkpoint(folder, **{"seconds": 0, **settings})
    history = model.fit(
        batches, epochs=epochs, verbose=0, shuffle=False, callbacks=[*before, checkpoint]
    )
    model.epochs = history.epoch
    return model


def assert_same(one, other):
    for ours, theirs in zip(one.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for ours, theirs in zip(one.optimizer.variables, other.optimizer.variables, strict=True):
        np.testing.assert_array_equal(np.array(ours), np.array(theirs))


def test_interrupted_and_resumed_equals_uninterrupted(tmp_path, traced):
    with pytest.raises(OSError, match="interrupted"):
        train(tmp_path / "run", Interrupt(2))
    resumed = train(tmp_path / "run")
    assert resumed.epochs == [2, 3, 4]
    assert_same(resumed, train(tmp_path / "other"))
    assert train(tmp_path / "run").epochs == []


def test_a_resumed_model_trains_as_before_without_the_callback(tmp_path):
    """Keras remembers the epoch that it was told to begin at."""
    train(tmp_path, epochs=2)
    model = train(tmp_path, epochs=4)
    assert model.fit(data(), epochs=2, verbose=0).epoch == [0, 1]


def test_a_curriculum_goes_on(tmp_path):
    def copied(rng, batch_size, *, least, largest):
        bits = rng.integers(1, 3, (batch_size, largest))
        return {"inputs": bits.astype("int32"), "targets": bits, "weights": np.ones(bits.shape)}

    def fit(epochs):
        keras.utils.set_random_seed(0)
        symbols = keras.Input((None,), dtype="int32")
        model = keras.Sequential([symbols, keras.layers.Embedding(3, 4), keras.layers.Dense(3)])
        model.compile("adam", SequenceLoss(from_logits=True), weighted_metrics=[SequenceError()])
        regime = OneByOne(("least", "largest"), stop=9)
        feed = Feed(copied, regime, batch_size=4, batches=2)
        advance = AdvanceCurriculum(feed, threshold=1e-9, exam_batches=1)
        checkpoint = Checkpoint(tmp_path, seconds=0, states={"curriculum": advance})
        model.fit(
            feed.for_fit(), epochs=epochs, verbose=0, shuffle=False, callbacks=[advance, checkpoint]
        )
        return advance.get_state()

    first = fit(2)
    assert first["step"] == 4
    assert fit(5)["step"] == 10
    with pytest.raises(ValueError, match=r"`states` must have .*\['curriculum'\]. Received: \[\]"):
        train(tmp_path)


def test_a_damaged_file_gives_way_to_the_one_before(tmp_path, capsys):
    train(tmp_path, epochs=3)
    path = tmp_path / "checkpoint.npz"
    path.write_bytes(path.read_bytes()[:-50])
    assert train(tmp_path).epochs == [2, 3, 4]
    assert f"the checkpoint {path} is damaged: " in capsys.readouterr().err
    assert (tmp_path / "checkpoint.npz.damaged").is_file()


def test_another_network_is_refused(tmp_path):
    train(tmp_path, epochs=1)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    with pytest.raises(ValueError, match="does not fit the network"):
        model.fit(data(), epochs=2, verbose=0, callbacks=[Checkpoint(tmp_path)])


@pytest.mark.skipif(keras.backend.backend() != "tensorflow", reason="the others build it")
def test_a_model_that_is_not_built_is_refused(tmp_path):
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("adam", "mse")
    with pytest.raises(ValueError, match="Checkpoint needs a model that is built before `fit`"):
        model.fit(data(), epochs=1, verbose=0, callbacks=[Checkpoint(tmp_path / "run")])
    assert not (tmp_path / "run").exists()


def test_a_file_of_something_else_is_refused(tmp_path):
    model = network()
    checkpoints.save(tmp_path / "checkpoint.npz", model, {"epoch": "two"})
    with pytest.raises(ValueError, match=r"it is not of a `callbacks\.Checkpoint`"):
        model.fit(data(), epochs=2, verbose=0, callbacks=[Checkpoint(tmp_path)])


def test_what_is_not_finite_is_not_saved(tmp_path):
    train(tmp_path, epochs=1)
    kept = (tmp_path / "checkpoint.npz").read_bytes()

    def spoil(epoch, logs):
        model.layers[0].bias.assign([0.0, np.inf, 0.0, 0.0])

    model = network()
    spoiling = keras.callbacks.LambdaCallback(on_epoch_end=spoil)
    for before, words in (([], "nothing was saved"), ([RequireFinite()], "from 4 to 6$")):
        chain = [spoiling, *before, Checkpoint(tmp_path, seconds=0)]
        with pytest.raises(FloatingPointError, match=rf"bias is not finite.*{words}"):
            model.fit(data(), epochs=2, verbose=0, callbacks=chain)
        assert (tmp_path / "checkpoint.npz").read_bytes() == kept


@pytest.mark.parametrize("steps_per_execution", [1, 2])
def test_the_step_whose_loss_is_not_finite_is_named(steps_per_execution):
    model = network()
    model.compile("sgd", "mse", steps_per_execution=steps_per_execution)
    x, y = np.ones((24, 3)), np.ones((24, 1))
    y[12:] = np.nan
    words = {1: "step 4", 2: "a step from 3 to 4"}[steps_per_execution]
    with pytest.raises(FloatingPointError, match=rf"^the loss and the variable .* at {words}$"):
        model.fit(
            x, y, batch_size=4, epochs=2, shuffle=False, verbose=0, callbacks=[RequireFinite()]
        )


def test_a_callback_that_saves_in_its_own_way():
    """When enough time has passed, when training is told to stop, and at the end."""
    model, saved = network(), []
    stop = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: setattr(model, "stop_training", epoch == 2)
    )
    autosave = Autosave(lambda: saved.append(int(model.optimizer.iterations)), seconds=1000)
    model.fit(data(), epochs=5, verbose=0, callbacks=[stop, autosave])
    assert saved == [3 * STEPS]
    model.fit(data(), epochs=2, verbose=0, callbacks=[autosave])
    assert saved == [3 * STEPS, 5 * STEPS]


def test_a_callback_that_knows_how_many_steps_were_taken():
    """The optimizer counts updates, of which one may be of several batches."""
    model = network()
    autosave = Autosave(lambda: None, steps=lambda: 77)
    with pytest.raises(KeyboardInterrupt, match="stopped after 77 steps"), autosave:
        signal.raise_signal(signal.SIGINT)
        model.fit(data(), verbose=0, callbacks=[autosave])


def start(folder):
    """Train in another process until its first checkpoint."""
    environment = {**os.environ, "KERAS_BACKEND": "jax", "PYTHONPATH": os.path.dirname(__file__)}
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n", process.communicate()
    return process


# As tests/zoo/test_stopping.py does with a whole training.
@pytest.mark.slow
def test_a_process_that_is_terminated_saves_and_ends(tmp_path):
    folder = tmp_path / "run"
    process = start(folder)
    try:
        with pytest.raises(checkpoints.InUse, match=f"process {process.pid} "):
            Checkpoint(folder).__enter__()
        while not (folder / "checkpoint.previous.npz").exists():
            assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert "Terminated: stopped after" in err and "finishing the epoch and saving" in err
    saved = checkpoints.latest(folder)
    assert saved.instead is None
    assert f"stopped after {saved.state['epoch'] * STEPS} steps" in err
    assert sorted(os.listdir(folder)) == ["checkpoint.npz", "checkpoint.previous.npz"]


def test_ctrl_c_is_answered_at_the_end_of_an_epoch(tmp_path):
    before = signal.getsignal(signal.SIGINT)
    interrupt = keras.callbacks.LambdaCallback(
        on_train_batch_begin=lambda batch, logs: signal.raise_signal(signal.SIGINT)
        if batch == 1
        else None
    )
    model = network()
    checkpoint = Checkpoint(tmp_path, seconds=1000)
    with pytest.raises(KeyboardInterrupt, match="after 3 steps; the state is saved"), checkpoint:
        model.fit(data(), epochs=5, verbose=0, callbacks=[interrupt, checkpoint])
    assert signal.getsignal(signal.SIGINT) is before
    assert checkpoints.latest(tmp_path).state["epoch"] == 1


def test_the_file_is_an_archive_of_numpy(tmp_path):
    train(tmp_path, epochs=2)
    with np.load(tmp_path / "checkpoint.npz") as file:
        state = json.loads(str(file["state"]))
        assert any(name.startswith("model|0|") for name in file.files)
    assert state["epoch"] == 2 and state["states"] == {} and state["format"] == 2


def test_one_bar_for_all_epochs(capsys):
    model = network()
    model.fit(data(), epochs=4, verbose=0, callbacks=[callbacks.ProgressBar()])
    shown = capsys.readouterr().out
    assert shown.count("12/12") == 1 and "loss: " in shown and shown.endswith("\n")
    model.fit(
        data(),
        epochs=4,
        verbose=0,
        callbacks=[callbacks.ProgressBar(values=lambda logs: {"error": logs["loss"]})],
    )
    shown = capsys.readouterr().out
    assert shown.count("12/12") == 1
    assert "error: " in shown and "loss" not in shown


def test_a_loss_scale_is_kept(tmp_path, eager):
    """Optimizers that scale the loss make their variables once, and resume."""

    def model():
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        sgd = keras.optimizers.SGD()
        optimizer = keras.optimizers.LossScaleOptimizer(sgd, 8.0, dynamic_growth_steps=1)
        model.compile(optimizer, "mse")
        return model

    def scale_after(model, epochs, *others):
        x, y = np.ones((4, 3)), np.ones((4, 1))
        model.fit(x, y, epochs=epochs, verbose=0, callbacks=[RequireFinite(), *others])
        return float(model.optimizer.dynamic_scale)

    first, second = model(), model()
    assert scale_after(first, 1, Checkpoint(tmp_path)) == 16
    count = len(first.optimizer.variables)
    assert scale_after(second, 3, Checkpoint(tmp_path)) == 64
    assert len(second.optimizer.variables) == count


def test_a_signal_whose_error_a_library_swallows_stops_what_comes_next():
    """As within a callback of garbage collection, whose errors Python only prints."""
    with signals.terminable():
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        with checkpoints.deferred_signals() as request:
            assert request.signal == signal.SIGTERM
            with pytest.raises(checkpoints.Terminated, match="saved"):
                request.check("saved")
    with signals.terminable(), checkpoints.deferred_signals() as request:
        assert request.signal is None


def test_a_signal_in_a_callback_of_garbage_collection():
    """Python prints its error and goes on."""

    def collected(phase, info):
        gc.callbacks.remove(collected)
        signal.raise_signal(signal.SIGINT)

    gc.callbacks.append(collected)
    with pytest.raises(KeyboardInterrupt, match="interrupted"), signals.terminable():
        gc.collect()
        time.sleep(10)


def test_a_signal_that_no_epoch_answers_is_answered_at_the_end_of_the_block(tmp_path):
    class Last(keras.callbacks.Callback):
        def on_train_end(self, logs=None):
            signal.raise_signal(signal.SIGTERM)

    saved = pytest.raises(checkpoints.Terminated, match="the state is saved")
    with saved, Checkpoint(tmp_path) as callback:
        network().fit(data(), verbose=0, callbacks=[callback, Last()])
    # One that was answered is not raised again.
    with Checkpoint(tmp_path / "again") as callback, contextlib.suppress(KeyboardInterrupt):
        callback.request.note(signal.SIGINT)
        network().fit(data(), verbose=0, callbacks=[callback])


def test_an_outer_block_knows_of_a_signal_of_an_inner_one():
    with checkpoints.deferred_signals() as outer:
        with checkpoints.deferred_signals() as inner:
            signal.raise_signal(signal.SIGINT)
        assert inner.signal == outer.signal == signal.SIGINT
        with pytest.raises(KeyboardInterrupt, match="stopped at once"):
            signal.raise_signal(signal.SIGINT)
