"""Moving averages of the weights during training."""

import contextlib

import keras
import numpy as np


class AveragingAdam(keras.optimizers.Adam):
    """Adam with moving averages of the weights, which are not assigned at the end of `fit`."""

    def finalize_variable_values(self, var_list):
        """Leaves the weights as they are: a resumed training has several calls of `fit`."""


@contextlib.contextmanager
def averaged(model):
    """The model with the averages of its weights, if they are kept."""
    if not model.optimizer.use_ema:
        yield
        return
    averages = model.optimizer._model_variables_moving_average
    weights = [np.array(variable) for variable in model.trainable_variables]
    set_weights(model, averages)
    try:
        yield
    finally:
        set_weights(model, weights)


def set_weights(model, values):
    """Set the trainable weights to copies of `values`: JAX donates each buffer only once."""
    for variable, value in zip(model.trainable_variables, values, strict=True):
        variable.assign(np.array(value))
