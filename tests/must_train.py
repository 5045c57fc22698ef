"""What a model that is fitted shall do: train every weight that it calls trainable."""

import contextlib

import keras
import numpy as np


class _Weights(keras.callbacks.Callback):
    """Compares the weights at the end of a training with those at its beginning."""

    def on_train_begin(self, logs=None):
        self.before = [(v, np.array(v)) for v in self.model.trainable_variables]

    def on_train_end(self, logs=None):
        stuck = [v.path for v, value in self.before if np.array_equal(value, v)]
        assert not stuck, f"{self.model.name}.fit did not move {stuck}"


@contextlib.contextmanager
def must_train():
    """Fails if a `fit` inside, of any Keras model, leaves a trainable weight as it was."""
    fit = keras.Model.fit

    def checked(
        model,
        x=None,
        y=None,
        batch_size=None,
        epochs=1,
        verbose="auto",
        callbacks=None,
        *args,
        **kwargs,
    ):
        callbacks = [*(callbacks or []), _Weights()]
        return fit(model, x, y, batch_size, epochs, verbose, callbacks, *args, **kwargs)

    keras.Model.fit = checked
    try:
        yield
    finally:
        keras.Model.fit = fit
