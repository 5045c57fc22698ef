"""What models answer inside and outside of limits, on whichever backend Keras runs."""

import contextlib

import keras
import numpy as np
from keras import ops

from keras_adaptive import halting
from keras_adaptive.layers import ACTRNN
from keras_adaptive.models import AdaptiveModel

X = np.ones((3, 1, 2), "float32")
OWN = 4
TRACED_OUTSIDE, TRACED_INSIDE = (None, 2), (6, None)


@keras.saving.register_keras_serializable(package="tests")
class CountingCell(keras.layers.Layer):
    """A cell whose output is the number of steps that were taken.

    Attributes:
        calls: how often Python has run the cell, which is when it is traced.
    """

    calls = 0
    state_size = 1

    def call(self, inputs, states):
        CountingCell.calls += 1
        steps = states[0] + 1.0
        return steps, [steps]


def layer():
    """It never halts before its limit."""
    return ACTRNN(CountingCell(), max_ponder=OWN, halting_bias=-80.0, time_penalty=0.0)


class Subclassed(keras.Model):
    def __init__(self):
        super().__init__()
        self.act = layer()

    def call(self, inputs):
        return self.act(inputs)


def functional(model=keras.Model, around=lambda act, inputs: act(inputs)):
    inputs = keras.Input((1, 2))
    return model(inputs, around(layer(), inputs))


def nested(act, inputs):
    inner = keras.Input((1, 2))
    return keras.Sequential([keras.Model(inner, act(inner))])(inputs)


def time_distributed(act, inputs):
    return keras.layers.TimeDistributed(act)(inputs[:, None])[:, 0]


def bidirectional(act, inputs):
    return keras.layers.Bidirectional(act, merge_mode="ave")(inputs)


MODELS = {
    "functional": functional,
    "AdaptiveModel": lambda: functional(AdaptiveModel),
    "Sequential": lambda: keras.Sequential([layer()]),
    "subclassed": Subclassed,
    "nested": lambda: functional(around=nested),
    "TimeDistributed": lambda: functional(around=time_distributed),
    "Bidirectional": lambda: functional(AdaptiveModel, bidirectional),
}


def root(loss):
    """The answer of which `loss` is the squared error."""
    return np.sqrt(np.ravel(loss)[0])


def compiled(model):
    """The model as a function that the user compiles."""
    if keras.config.backend() == "tensorflow":
        import tensorflow as tf

        return tf.function(model)
    if keras.config.backend() == "jax":
        import jax

        run = jax.jit(lambda values, x: model.stateless_call(*values, x)[0])
        return lambda x: run(_values(model), x)
    return model


def _values(model):
    groups = model.trainable_variables, model.non_trainable_variables
    return [[variable.value for variable in group] for group in groups]


def uses(model):
    """Functions of the input that run the model, and tell its answer."""
    y, run = np.zeros((3, 1), "float32"), compiled(model)
    quiet = {"verbose": 0}
    return {
        "predict": lambda: model.predict(X, **quiet),
        "predict_on_batch": lambda: model.predict_on_batch(X),
        "evaluate": lambda: root(model.evaluate(X, y, **quiet)),
        "test_on_batch": lambda: root(model.test_on_batch(X, y)),
        "fit": lambda: root(model.fit(X, y, **quiet).history["loss"]),
        "train_on_batch": lambda: root(model.train_on_batch(X, y)),
        "compiled": lambda: ops.convert_to_numpy(run(ops.convert_to_tensor(X))),
        "call": lambda: ops.convert_to_numpy(model(X)),
    }


def ready(model, **options):
    model = MODELS[model]()
    model.compile(keras.optimizers.SGD(0.0), "mse", **options)
    return model


def answers(use, limits):
    """What `use` gives within one limit after the other."""
    found = []
    for limit in limits:
        with halting.limits(limit) if limit else contextlib.nullcontext():
            found.append(round(float(np.ravel(use())[0]), 3))
    return found


def compute(models=tuple(MODELS)):
    """All `[name, found, expected]`.

    Args:
        models: names of `MODELS` on which `predict` is tried; all uses are of an AdaptiveModel.
    """
    results = []

    def check(name, use, limits):
        results.append([f"{name} {limits}", answers(use, limits), [m or OWN for m in limits]])

    for model in models:
        check(f"{model} predict", uses(ready(model))["predict"], TRACED_OUTSIDE)
    of = uses(ready("AdaptiveModel"))
    for name in of:
        check(name, of[name], TRACED_INSIDE)
    # PyTorch traces nothing: it calls the cell in every step.
    if keras.config.backend() != "torch":
        calls = CountingCell.calls
        answers(of["predict"], (6, None, 6, 6))
        results.append(["calls of the cell without a new limit", CountingCell.calls - calls, 0])
    return results


def training_in_time():
    """What `fit` says within a limit of time: the message of its error, or the empty string."""
    model = ready("functional")
    with halting.limits(seconds=1.0):
        try:
            model.fit(X, np.ones((3, 1)), verbose=0)
        except ValueError as error:
            return str(error)
    return ""
