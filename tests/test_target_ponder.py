"""`target_ponder` settles within a tenth of its target, on two tasks and several seeds."""

import keras
import numpy as np
import pytest

from keras_adaptive import datasets
from keras_adaptive.layers import ACTRNN
from keras_adaptive.losses import SequenceLoss
from keras_adaptive.models import AdaptiveModel

TARGET, CHUNK, STEPS = 3.0, 200, 4000
# The untrained network takes more steps than the target: a controller caps more easily than it
# coaxes.
DEEP_START = -1.25
# task -> parameters of a small instance, cell, batch size
TASKS = {
    "act_parity": ({"bits": 8}, keras.layers.SimpleRNNCell, 128),
    "act_logic": ({"gates": 3, "vectors": 3, "max_vectors": 3}, keras.layers.LSTMCell, 16),
}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", TASKS)
def test_settles_at_the_target(name, seed):
    parameters, cell, batch_size = TASKS[name]
    keras.utils.set_random_seed(seed)
    task = datasets.task(name)
    inputs = keras.Input((None, task.sizes(**parameters)["width"]))
    hidden = keras.layers.Masking(task.PADDING)(inputs)
    hidden = ACTRNN(
        cell(128),
        max_ponder=20,
        target_ponder=TARGET,
        halting_bias=DEEP_START,
        return_sequences=True,
    )(hidden)
    model = AdaptiveModel(inputs, keras.layers.Dense(1, activation="sigmoid")(hidden))
    optimizer = keras.optimizers.Adam(2e-3, global_clipnorm=1.0)
    model.compile(optimizer, SequenceLoss(), jit_compile=True)
    history = model.fit(
        datasets.iterate(name, batch_size, seed=seed, **parameters),
        epochs=STEPS // CHUNK,
        steps_per_epoch=CHUNK,
        verbose=0,
    ).history["ponder_steps"]
    settled = np.mean(history[-len(history) // 4 :])
    assert abs(settled - TARGET) < 0.1 * TARGET, history


def small(**settings):
    inputs = keras.Input((None, 3))
    hidden = keras.layers.Masking()(inputs)
    hidden = ACTRNN(keras.layers.GRUCell(4), target_ponder=2, name="act", **settings)(hidden)
    model = AdaptiveModel(inputs, keras.layers.Dense(1)(hidden))
    model.compile("sgd", "mse")
    return model


def test_a_batch_that_is_all_masked_moves_nothing(eager):
    model = small()
    model.fit(np.ones((4, 2, 3)), np.ones((4, 1)), verbose=0)
    state = [np.array(v) for v in model.get_layer("act").non_trainable_variables]
    model.fit(np.zeros((4, 2, 3)), np.ones((4, 1)), verbose=0)
    for before, after in zip(state, model.get_layer("act").non_trainable_variables, strict=True):
        np.testing.assert_array_equal(before, after)


def test_callbacks_in_every_form(eager):
    model, x, y = small(), np.ones((4, 2, 3)), np.ones((4, 1))
    stop = keras.callbacks.EarlyStopping(monitor="loss")
    for callbacks in (stop, [stop], (stop,), keras.callbacks.CallbackList([stop], model=model)):
        history = model.fit(x, y, verbose=0, callbacks=callbacks)
        if history is not None:
            assert "time_penalty_at_bound" in history.history


def test_a_list_of_callbacks_does_not_grow_with_each_fit(eager):
    model, x, y = small(), np.ones((4, 2, 3)), np.ones((4, 1))
    callbacks = keras.callbacks.CallbackList(add_history=True, model=model)
    lengths = []
    for _ in range(3):
        model.fit(x, y, verbose=0, callbacks=callbacks)
        lengths.append(len(callbacks.callbacks))
    assert lengths[0] == lengths[1] == lengths[2]


def test_a_training_step_of_ones_own(eager):
    class Own(AdaptiveModel):
        def train_step(self, data):
            super().train_step(data)
            return {"loss": 1.0}

    old = small()
    model = Own(old.inputs, old.outputs)
    model.compile("sgd", "mse")
    assert model.fit(np.ones((4, 2, 3)), np.ones((4, 1)), verbose=0).history == {"loss": [1.0]}


def test_names_of_the_models_own_metrics_are_taken():
    metric = keras.metrics.MeanSquaredError(name="ponder")
    with pytest.raises(ValueError, match=r"`metrics`.*ponder"):
        small().compile("sgd", "mse", metrics=[metric])
