"""A warning when an automatic time penalty cannot reach its target."""

import warnings
from typing import Any

import keras

from .. import arguments

# Epochs in a row: a controller that works passes its bounds for one or two of them.
PATIENCE = 3
TOO_FEW = (
    "Steps are too few: start deep (a negative `halting_bias`, for instance -3) or let τ warm up "
    "from 0."
)
TOO_MANY = (
    "Steps are too many: raise `maximum` or the target. If a higher τ changes nothing, halting "
    "units are saturated and learn no more: train again with another seed."
)


class WarnOfTimePenalty(keras.callbacks.Callback):
    """Warns when an automatic time penalty is at a bound and the steps are off their target.

    The lower bound is that of the controller's integral: τ itself may be lower for a short time,
    while there are far too few steps. So it warns once after three such epochs in a row, and at the
    end of a training whose last epoch is one.

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
        # For each name, what was to say after each of the last epochs in a row.
        self._stuck: dict[str, list[str]] = {}

    def on_train_begin(self, logs: Any = None) -> None:
        """Forgets the training before."""
        self._stuck = {}

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
            texts = self._stuck.setdefault(name, [])
            if not at_bound or abs(steps - target.steps) <= self.tolerance * target.steps:
                texts.clear()
                continue
            cure = TOO_FEW if steps < target.steps else TOO_MANY
            texts.append(
                f"{name} is at or past its bound, {time_penalty:g}, in epoch {epoch + 1}, but the "
                f"mean number of steps is {steps:.2f} and the target is {target.steps:g}. {cure}"
            )
            if len(texts) == PATIENCE:
                warnings.warn(texts[-1], stacklevel=2)

    def on_train_end(self, logs: Any = None) -> None:
        """Warns of a training that ends at a bound, unless it has been said."""
        for texts in self._stuck.values():
            if 0 < len(texts) < PATIENCE:
                warnings.warn(texts[-1], stacklevel=2)
