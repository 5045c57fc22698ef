"""Averages of the weights, beside those that are trained."""

import contextlib

import keras
import numpy as np


class AveragingAdam(keras.optimizers.Adam):
    """Adam beside whose weights an average of them is kept; no end of a `fit` sets them to it."""

    def finalize_variable_values(self, var_list):
        """Leaves the weights as they are, as a training that is resumed has no such end."""


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
    """Set the weights that are trained; to copies, as JAX gives each buffer away once."""
    for variable, value in zip(model.trainable_variables, values, strict=True):
        variable.assign(np.array(value))
