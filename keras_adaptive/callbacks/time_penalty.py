"""A warning when an automatic time penalty cannot reach its target."""

import warnings
from typing import Any

import keras

from .. import arguments


class WarnOfTimePenalty(keras.callbacks.Callback):
    """Warns when an automatic time penalty is at a bound and the steps are off their target.

    The lower bound is that of the controller's integral: τ itself may be lower for a short time,
    while there are far too few steps.

    `AdaptiveModel.fit` adds it by itself. It also puts `<name>_at_bound` (1 or 0) into the logs of
    the epoch.

    Args:
        targets: dict from the name of a time penalty in the logs (`"time_penalty"`, or
            `"time_penalty_<layer>"`) to the `control.TargetPonder` that moves it.
        tolerance: float, how far off the target, relative to it, is worth a warning. Defaults to
            `0.1`.

    Example:

    >>> callback = WarnOfTimePenalty({"time_penalty": keras_adaptive.control.TargetPonder(3.0)})
    >>> logs = {"time_penalty": 0.01, "ponder_steps": 3.1}
    >>> callback.on_epoch_end(0, logs)
    >>> logs["time_penalty_at_bound"]
    0.0
    """

    def __init__(self, targets: dict[str, Any], tolerance: float = 0.1):
        super().__init__()
        allowed = "a dict from names in the logs to `control.TargetPonder`s"
        arguments.instance("targets", targets, dict, allowed)
        if not all(hasattr(target, "steps") for target in targets.values()):
            arguments.refuse("targets", targets, allowed)
        self.targets = targets
        self.tolerance = arguments.number("tolerance", tolerance, least=0)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Looks at the logs of the epoch."""
        for name, target in self.targets.items():
            of_steps = name.replace("time_penalty", "ponder_steps")
            if name not in logs or of_steps not in logs:
                continue  # A `train_step` of the user's returns what it likes.
            time_penalty, steps = float(logs[name]), float(logs[of_steps])
            # τ is a float32, a bound is not.
            margin = 1e-6 * (target.maximum - target.minimum)
            low, high = target.smallest_integral + margin, target.maximum - margin
            at_bound = not low < time_penalty < high
            logs[f"{name}_at_bound"] = float(at_bound)
            if at_bound and abs(steps - target.steps) > self.tolerance * target.steps:
                cure = (
                    "Steps are too few: start deep (a negative `halting_bias`, for instance -3) or "
                    "let τ warm up from 0"
                    if steps < target.steps
                    else "Steps are too many: raise `maximum` or the target"
                )
                warnings.warn(
                    f"{name} is at or past its bound, {time_penalty:g}, in epoch {epoch + 1}, but "
                    f"the mean number of steps is {steps:.2f} and the target is {target.steps:g}. "
                    f"{cure}.",
                    stacklevel=2,
                )
