"""The base of models that generate with an adaptive decoder."""

from typing import Any

import keras
from keras import ops, tree

from ..act import ACTRNN
from ..reporting import ThreadValue
from ..teacher_forcing import TeacherForced
from ..types import Tensor


class PonderingDecoder(TeacherForced):
    """A `TeacherForced` model with an `ACTRNN` that ponders while it generates.

    Subclasses call `set_pondering` in their constructor, and assign what `halting.record` collected
    in a call with targets to `self.entries.value`.
    """

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        self.entries = ThreadValue(())

    def set_pondering(self, layer: ACTRNN, ponders: bool) -> None:
        """Sets the layer that ponders, and whether `fit` shows its ponder."""
        self.pondering, self.ponders = layer, ponders
        names = ("ponder_cost", "ponder_steps") if ponders else ()
        self._ponder_trackers = {name: keras.metrics.Mean(name=name) for name in names}

    def pondering_config(self) -> dict[str, Any]:
        """The arguments of the constructor that say how the model ponders."""
        config = self.pondering.get_config()
        names = ("time_penalty", "target_ponder", "halting_bias")
        pondering = {"halting": None, "steps": None, "max_ponder": 5}
        if self.ponders:
            pondering = {name: config[name] for name in pondering}
        return {**pondering, **{name: config[name] for name in names}}

    def _build_for_any_inputs(self):
        self.build()

    def look(
        self, layer: ACTRNN, inputs: Tensor, states: Any, mask: Tensor, memory: Any
    ) -> tuple[Tensor, Any, Tensor, Tensor]:
        """One output of an `ACTRNN`, outside of training.

        Args:
            layer: the `ACTRNN`.
            inputs: `(rows, features)`.
            states: its states.
            mask: boolean `(rows, 1)`; rows where it is false take no step.
            memory: what `cells.prepared_memory` returned, or None.

        Returns:
            The output, the new states, and N and ρ, `(rows,)`.
        """
        states = [ops.cast(x, layer.cell.compute_dtype) for x in states]
        result = layer._over_time(inputs[:, None], states, mask, memory, False)
        states = [ops.cast(x, self.compute_dtype) for x in tree.flatten(result.states)]
        steps, remainder = result.steps[:, 0], result.remainder[:, 0]
        ponder = ops.cast(steps, remainder.dtype) + remainder
        return ops.cast(result.output, self.compute_dtype), states, steps, ponder

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Tensor | None = None,
        sample_weight: Tensor | None = None,
        training: bool = True,
    ) -> Tensor:
        """The loss of the true sequences and the ponder cost; updates the metrics of pondering."""
        loss = super().compute_loss(x, y, y_pred, sample_weight, training)
        entries, self.entries.value = self.entries.value, ()
        entries = [entry for entry in entries if entry.layer is self.pondering]
        if self.ponders and entries:
            entry = entries[-1]
            rows = ops.shape(y)[0]
            values = {"ponder_cost": (entry.cost, rows)}
            values["ponder_steps"] = (entry.mean_steps, entry.present)
            for name, (value, weight) in values.items():
                self._ponder_trackers[name].update_state(ops.stop_gradient(value), weight)
        return loss
