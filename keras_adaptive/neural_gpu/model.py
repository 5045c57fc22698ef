"""NeuralGPUModel: a model that says what the loss of a Neural GPU is made of."""

import functools
from typing import Any

import keras
from keras import ops, tree

from .. import arguments, relaxation, reporting
from ..distributed import replicas
from ..single_trace import SingleTrace
from ..types import Tensor


@keras.saving.register_keras_serializable(package="keras_adaptive")
class NeuralGPUModel(SingleTrace, keras.Model):
    """A functional `keras.Model` for `NeuralGPU`, `CGRU` and other layers with relaxed parameters.

    Such layers train in any Keras model; this one reports what happens. The logs of `fit` and
    `evaluate` have, beside the compiled metrics,

    * `loss`: the sum that is minimised,
    * `task_loss`: the compiled loss and all losses except the following,
    * `relaxation_cost`: the term of the loss that pulls relaxed parameter sets together, and
      `relaxation_pull`, its weight at that time (the largest, if layers differ), if there is a
      relaxed layer,
    * `saturation_cost`: the term that keeps what goes into hard nonlinearities small, if a layer
      has one.

    Args:
        *args: as in `keras.Model`: inputs and outputs.
        **kwargs: as in `keras.Model`.

    Raises:
        ValueError: there are no inputs or outputs.

    Example:

    >>> symbols = keras.Input((None,), dtype="int32")
    >>> layer = keras_adaptive.layers.NeuralGPU(4, maps=3, relaxation=2, saturation_cost=0.1)
    >>> answer = keras.layers.Dense(3, activation="softmax")(layer(symbols))
    >>> model = NeuralGPUModel(symbols, answer)
    >>> model.compile("adam", "sparse_categorical_crossentropy")
    >>> history = model.fit(np.ones((2, 3)), np.ones((2, 3)), verbose=0).history
    >>> sorted(history)
    ['loss', 'relaxation_cost', 'relaxation_pull', 'saturation_cost', 'task_loss']

    Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.3.2; saturation cost: Freivalds &
    Liepins (2017), arXiv:1702.08727.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        arguments.functional("NeuralGPUModel", args, kwargs)
        super().__init__(*args, **kwargs)
        names = ["task_loss"]
        if relaxation.relaxed_layers(self):
            names += ["relaxation_cost", "relaxation_pull"]
        if any(getattr(layer, "saturation_cost", 0) for layer in self._flatten_layers()):
            names.append("saturation_cost")
        self._cost_trackers = {name: keras.metrics.Mean(name=name) for name in names}
        self._saturation_costs = reporting.ThreadValue(())

    def call(self, inputs: Any, training: bool | None = None, mask: Tensor | None = None) -> Any:
        """Calls the layers, and keeps what they report for `compute_loss` in the same trace."""
        with reporting.record("saturation_cost") as costs:
            outputs = super().call(inputs, training=training, mask=mask)
        self._saturation_costs.value = costs
        return outputs

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Tensor | None = None,
        sample_weight: Tensor | None = None,
        training: bool = True,
    ) -> Tensor:
        """The sum of all losses; updates the metrics that say what it is made of."""
        loss = super().compute_loss(x, y, y_pred, sample_weight, training)
        layers = relaxation.relaxed_layers(self)
        nothing, reported = ops.zeros_like(loss), self._saturation_costs.value
        self._saturation_costs.value = ()
        values = {
            "relaxation_cost": _sum([relaxation.cost(layer) for layer in layers], nothing),
            "saturation_cost": _sum(reported, nothing),
        }
        costs = values["relaxation_cost"] + values["saturation_cost"]
        values["task_loss"] = loss * replicas() - costs
        if layers:
            pulls = [ops.convert_to_tensor(layer.relaxation_pull) for layer in layers]
            values["relaxation_pull"] = functools.reduce(ops.maximum, pulls)
        # As Keras weighs the loss itself: a smaller last batch counts for less.
        rows = ops.shape(tree.flatten(y_pred)[0])[0]
        for name, tracker in self._cost_trackers.items():
            tracker.update_state(ops.stop_gradient(values[name]), rows)
        return loss


def _sum(costs, nothing):
    return sum((ops.cast(cost, nothing.dtype) for cost in costs), nothing)
