"""The time penalty τ of a layer: a number that training may change, by hand or by a controller."""

from typing import Any

import keras
from keras import ops

from . import arguments
from .control import controller_of
from .reporting import ThreadValue
from .scalar_weight import add_scalar, number_in, set_number
from .types import Tensor


class HasTimePenalty:
    """What layers have in common whose ponder costs τ per step: a base class beside `Layer`."""

    @property
    def _losses(self):
        """What Keras keeps in one list for all threads.

        A strategy of TensorFlow traces each replica in a thread, and goes on with the next one
        where τ is assigned, in the middle of a call.
        """
        of_thread = self.__dict__.setdefault("_losses_of_threads", ThreadValue())
        if of_thread.value is None:
            of_thread.value = []
        return of_thread.value

    @_losses.setter
    def _losses(self, value):
        """Keras sets it to an empty list."""

    def set_time_penalty(
        self, time_penalty: float, target_ponder: Any, has_ponder_cost: bool, halting: Any
    ) -> None:
        """Takes the arguments of the constructor; to be called there."""
        self._initial_time_penalty = arguments.number("time_penalty", time_penalty, least=0)
        self._time_penalty = None
        self._is_built_with_target: bool | None = None
        self._costless = None if has_ponder_cost else halting
        self.target_ponder = target_ponder

    def build_time_penalty(self, has_ponder_cost: bool) -> None:
        """Creates the variables; to be called in `build`."""
        if has_ponder_cost:
            self._time_penalty = self._add_scalar("time_penalty", self._initial_time_penalty)
        if self.target_ponder is not None:
            self._integral = self._add_scalar("integral", self._initial_time_penalty)
            self._mean_steps = self._add_scalar("mean_steps", 0.0)
        self._is_built_with_target = self.target_ponder is not None

    @property
    def target_ponder(self) -> Any:
        """What moves τ, a `control.TargetPonder` or what is like one, or `None`.

        A number or another controller can be set, before a model's functions are traced. A layer
        that is built keeps a target if it has one, as the controller's state is saved with it.
        """
        return self._target_ponder

    @target_ponder.setter
    def target_ponder(self, value: Any) -> None:
        controller = controller_of(value)
        if controller is not None and self._costless is not None:
            raise ValueError(
                "Argument `target_ponder` needs a halting rule with a ponder cost. "
                f"Received: target_ponder={value!r}, halting={self._costless!r}"
            )
        if self._is_built_with_target not in (None, controller is not None):
            was = "with a" if self._is_built_with_target else "without"
            raise ValueError(
                f"The layer was built {was} `target_ponder`, which has variables of its own. Give "
                "another one to the constructor of the layer, or set it before the layer is built. "
                f"Received: target_ponder={value!r}"
            )
        self._target_ponder = controller

    @property
    def time_penalty(self) -> float:
        """The current τ, a float, which can be set at any time, also during training.

        On JAX, a callback within an epoch calls `self.model.jax_state_sync()` before.
        """
        if self._time_penalty is None:
            return self._initial_time_penalty
        return number_in(self._time_penalty)

    @time_penalty.setter
    def time_penalty(self, value: float) -> None:
        value = arguments.number("time_penalty", value, least=0)
        if self._time_penalty is None:
            self._initial_time_penalty = value
        else:
            set_number(self._time_penalty, value)
            if self.target_ponder is not None:
                set_number(self._integral, value)

    @property
    def time_penalty_variable(self) -> keras.Variable | None:
        """The float32 variable that holds τ; `None` before `build` or without ponder cost."""
        return self._time_penalty

    def charged_time_penalty(self) -> Tensor:
        """What a call is charged: the value before the call adapts it."""
        return 0.0 if self._time_penalty is None else ops.copy(self._time_penalty)

    def adapt_time_penalty(self, mean_steps: Tensor) -> None:
        """Lets the controller, if there is one, move τ after a call in training."""
        if self.target_ponder is None:
            return
        steps = ops.stop_gradient(ops.cast(mean_steps, "float32"))
        new = self.target_ponder.update(
            steps, ops.convert_to_tensor(self._mean_steps), ops.convert_to_tensor(self._integral)
        )
        for variable, value in zip((self._time_penalty, self._mean_steps, self._integral), new):
            # A batch that is empty or all masked takes no steps, and says nothing.
            variable.assign(ops.where(steps > 0, value, ops.convert_to_tensor(variable)))

    def _add_scalar(self, name, value):
        return add_scalar(self, name, value, aggregation="mean")
