"""The pull on relaxed parameters, raised as the curriculum advances."""

from typing import Any

import keras

from .. import arguments, relaxation


class RaiseRelaxationPull(keras.callbacks.Callback):
    """Raises the relaxation pull when a level of the curriculum is passed, and averages at its end.

    List it after `AdvanceCurriculum` in `fit`, whose logs it reads. When an exam is passed, the
    pull is multiplied by `factor`; when the end is reached, the parameter sets are averaged
    instead, and training continues with a single set. All of its state is in the layers, and so is
    saved with the model. The logs get `relaxation_pull`, and `relaxation_averaged` (1 or 0).

    Args:
        factor: float > 1, the paper's relaxation pull factor. Defaults to `1.2`.
        end: float > 0. The sets are averaged at the first passed exam with a pull of at least
            this (0.1 in the published code); with None, when the curriculum reaches its last level
            (the paper). Defaults to `None`.

    Raises:
        ValueError: if an argument is out of its range; in training, if the model has no relaxed
            layer, or no `AdvanceCurriculum` comes before this callback.

    Example:

    >>> callback = RaiseRelaxationPull(factor=1.2, end=0.1)

    Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.3.2.
    """

    def __init__(self, factor: float = 1.2, end: float | None = None):
        super().__init__()
        self.factor = arguments.number("factor", factor, above=1)
        self.end = arguments.number("end", end, above=0, none=True)

    def on_train_begin(self, logs: Any = None) -> None:
        """Looks for relaxed layers."""
        relaxation.is_averaged(self.model)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Raises the pull, or averages."""
        if "curriculum_passed" not in logs:
            raise ValueError(
                "RaiseRelaxationPull needs an AdvanceCurriculum before it in the list of "
                f"callbacks. Received the logs {sorted(logs)}"
            )
        model = self.model
        if logs["curriculum_passed"] and not relaxation.is_averaged(model):
            if self._at_end(logs):
                relaxation.average(model)
            else:
                relaxation.raise_pull(model, self.factor)
        logs["relaxation_pull"] = relaxation.pull(model)
        logs["relaxation_averaged"] = float(relaxation.is_averaged(model))

    def _at_end(self, logs):
        if self.end is None:
            return bool(logs["curriculum_at_end"])
        return relaxation.pull(self.model) >= self.end
