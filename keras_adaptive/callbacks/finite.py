"""An error as soon as something in a training is not finite."""

import math
from typing import Any, NoReturn

import keras

from .. import checkpoints


class RequireFinite(keras.callbacks.Callback):
    """Ends a training with an error that names the variable that is no longer finite.

    The loss is checked after each batch (or each `steps_per_execution` batches), and all variables
    of the model and its optimizer after each epoch. Unlike `keras.callbacks.TerminateOnNaN` it does
    not return from `fit` as if training had ended well. Put it before the callbacks that save.

    Raises:
        FloatingPointError: in training; the message names the variable, if it is one, and the
            steps.

    Example:

    >>> last = keras.layers.Dense(1, name="last")
    >>> model = keras.Sequential([keras.Input((2,)), last], name="net")
    >>> model.compile(keras.optimizers.SGD(1e30), "mse")
    >>> x, y = np.ones((8, 2)), np.ones((8, 1))
    >>> try:
    ...     _ = model.fit(x, y, epochs=5, verbose=0, callbacks=[RequireFinite()])
    ... except FloatingPointError as error:
    ...     print(error)
    the loss and the variable net/last/kernel are not finite at step 2
    """

    def __init__(self) -> None:
        super().__init__()
        self.step = self._began = 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Notes how many steps the optimizer has made."""
        self.step = self._began = int(self.model.optimizer.iterations)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Checks the loss."""
        before = self.step
        steps = self.params.get("steps") or math.inf
        self.step = self._began + int(min(batch + 1, steps))
        if math.isfinite(float((logs or {}).get("loss", 0.0))):
            return
        if hasattr(self.model, "jax_state_sync"):
            # During an epoch, Keras's trainer has the variables' values.
            self.model.jax_state_sync()
        name = checkpoints.not_finite(self.model)
        what = f"the loss and the variable {name} are" if name else "the loss is"
        self._refuse(what, before + 1)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Checks the variables."""
        if name := checkpoints.not_finite(self.model):
            self._refuse(f"the variable {name} is", self._began + 1)

    def _refuse(self, what: str, first: int) -> NoReturn:
        steps = f"step {self.step}" if first == self.step else f"a step from {first} to {self.step}"
        raise FloatingPointError(f"{what} not finite at {steps}")
