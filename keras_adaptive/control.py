"""Automatic choice of the time penalty: hold the mean number of steps at a target."""

import math
from typing import Any, Self

import keras
from keras import ops

from . import arguments
from .types import Tensor

__all__ = ["TargetPonder"]


@keras.saving.register_keras_serializable(package="keras_adaptive")
class TargetPonder:
    """A proportional-integral controller of the time penalty τ.

    The paper leaves open how to choose τ. With this controller you say how many steps an input may
    take on average, and τ is adapted. With the relative error
    `e = (steps - target) / target` of a batch (smoothed over some twenty batches), each training
    step does

        e = e * (1 + max(integral, 0) / gain_scale)
        integral = clip(integral + integral_gain * e, integral_minimum, maximum)
        τ = clip(integral + proportional_gain * e, minimum, maximum)

    The first line makes the gains grow with τ, because the τ that a network needs may be 0.01 or
    more than 1, and a large τ must be reached quickly.

    τ may be negative: a positive penalty can only reduce the number of steps, and a reward can
    raise it. τ is far below zero only while there are too few steps, because the integral has a
    bound of its own: after a long reward, a penalty hardly stops a network.

    Args:
        steps: float >= 1, the target of the mean number of steps N of an input.
        proportional_gain: float, τ per relative error, if the integral is not above zero. Defaults
            to `0.5`.
        integral_gain: float, change of the integral per training step and relative error, if the
            integral is not above zero. Defaults to `5e-4`.
        minimum: float <= 0, the smallest τ. Defaults to `-0.3`.
        maximum: float > 0, the largest τ. Defaults to `10.0`.
        integral_minimum: float <= 0, the smallest integral; not below `minimum` whatever it says.
            Defaults to `-0.05`.
        smoothing: float in [0, 1), the weight of the past in the running mean of the steps.
            Defaults to `0.95`.
        gain_scale: float > 0, the integral at which both gains are twice as large as at zero;
            infinity: they stay as they are.
            Defaults to `0.05`.

    Raises:
        ValueError: if an argument is out of its range.

    Example:

    >>> layer = keras_adaptive.layers.ACTRNN(
    ...     keras.layers.SimpleRNNCell(8), target_ponder=TargetPonder(3.0)
    ... )
    >>> layer.target_ponder.steps
    3.0
    """

    def __init__(
        self,
        steps: float,
        proportional_gain: float = 0.5,
        integral_gain: float = 5e-4,
        minimum: float = -0.3,
        maximum: float = 10.0,
        integral_minimum: float = -0.05,
        smoothing: float = 0.95,
        gain_scale: float = 0.05,
    ):
        self.steps = arguments.number("steps", steps, least=1)
        self.proportional_gain = arguments.number("proportional_gain", proportional_gain)
        self.integral_gain = arguments.number("integral_gain", integral_gain)
        self.minimum = arguments.number("minimum", minimum, most=0)
        self.maximum = arguments.number("maximum", maximum, above=0)
        self.integral_minimum = arguments.number("integral_minimum", integral_minimum, most=0)
        self.smoothing = arguments.number("smoothing", smoothing, least=0, below=1)
        # The gains of the published text model do not grow.
        if gain_scale != math.inf:
            gain_scale = arguments.number("gain_scale", gain_scale, above=0)
        self.gain_scale = gain_scale

    @property
    def smallest_integral(self) -> float:
        """The lower bound of the integral; τ itself may be lower for a short time."""
        return max(self.minimum, self.integral_minimum)

    def update(
        self, steps: Tensor, mean_steps: Tensor, integral: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """One step of the controller, as a pure function.

        Args:
            steps: scalar, the mean number of steps of this batch.
            mean_steps: scalar, the running mean so far; zero before the first batch.
            integral: scalar, the integral so far.

        Returns:
            The new `(time_penalty, mean_steps, integral)`.
        """
        mixed = self.smoothing * mean_steps + (1 - self.smoothing) * steps
        mean_steps = ops.where(mean_steps > 0, mixed, steps)
        error = (mean_steps - self.steps) / self.steps
        error = error * (1 + ops.maximum(integral, 0.0) / self.gain_scale)
        integral = ops.clip(
            integral + self.integral_gain * error, self.smallest_integral, self.maximum
        )
        time_penalty = ops.clip(
            integral + self.proportional_gain * error, self.minimum, self.maximum
        )
        return time_penalty, mean_steps, integral

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this controller again."""
        return {
            "steps": self.steps,
            "proportional_gain": self.proportional_gain,
            "integral_gain": self.integral_gain,
            "minimum": self.minimum,
            "maximum": self.maximum,
            "integral_minimum": self.integral_minimum,
            "smoothing": self.smoothing,
            "gain_scale": self.gain_scale,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A controller from `get_config`."""
        return cls(**config)


def controller_of(target_ponder: Any) -> Any:
    """What moves τ: a `TargetPonder`, or what is like one; made of a number; None if nothing does.

    >>> controller_of(3).steps
    3.0
    """
    is_one = all(hasattr(target_ponder, name) for name in ("update", "steps"))
    if target_ponder is None or (is_one and not isinstance(target_ponder, type)):
        return target_ponder
    return TargetPonder(arguments.number("target_ponder", target_ponder, least=1))
