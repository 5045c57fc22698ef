"""A model that trains adaptive layers and says apart what the loss is made of."""

import math
from typing import Any

import keras
from keras import ops, tree

from .. import arguments, backend
from ..act import ACTRNN
from ..callbacks import WarnOfTimePenalty
from ..distributed import replicas
from ..dtypes import at_least_float32
from ..halting import record
from ..reporting import ThreadValue
from ..single_trace import SingleTrace
from ..types import Tensor

# XLA fills with zeros the states of all steps that may be taken, and those of this many numbers a
# row in less time than it saves.
MOST_NUMBERS_OF_XLA = 2**16


def answer_dtype() -> str:
    """The dtype in which a model's last layer computes under the global dtype policy.

    That of the policy, but never below float32: in 16 bits, probabilities above 0.998 would be 1,
    and their gradients 0.
    """
    return at_least_float32(keras.config.dtype_policy().compute_dtype)


@keras.saving.register_keras_serializable(package="keras_adaptive")
class AdaptiveModel(SingleTrace, keras.Model):
    """A functional `keras.Model` for layers that ponder.

    Adaptive layers train in any Keras model; this one reports what happens. (On JAX, Keras keeps
    the costs of only the last call of a layer that is called twice; this model keeps both.) The
    logs of `fit` and `evaluate` have, beside the compiled metrics,

    * `loss`: the sum that is minimised,
    * `task_loss`: the compiled loss and all other losses except the ponder cost,
    * `ponder_cost`: τ · mean over the batch of Σ(N + R), of all adaptive layers,
    * `ponder`, `ponder_steps`: mean of ρ = N + R and of N over all inputs that were pondered (not
      masked); with several adaptive layers `ponder_<name>` and `ponder_steps_<name>`,
    * `time_penalty`: τ after the step, in training (`time_penalty_<name>` with several layers).

    A custom layer that calls `halting.report` in its `call` is reported too; one that Keras
    does not call to build the model (it has a `compute_output_spec`) says so by an attribute
    `reports_ponder = True`. What is reported for anything but a layer of the model is part of
    `ponder_cost` alone. A `train_step` of your own ends with
    `return self.compute_metrics(x, y, y_pred)`, as the metrics above are updated by then.

    On TensorFlow without a GPU, where Keras leaves XLA alone by default (`jit_compile="auto"`), XLA
    compiles the training step if its adaptive layers are `ACTRNN` on short sequences of a fixed
    length. `jit_compile=False` prevents it.

    Args:
        *args: as in `keras.Model`: inputs and outputs.
        **kwargs: as in `keras.Model`.

    Raises:
        ValueError: there are no inputs or outputs.

    Example:

    >>> inputs = keras.Input((None, 3))
    >>> hidden = keras_adaptive.layers.ACTRNN(keras.layers.SimpleRNNCell(4), name="act")(inputs)
    >>> model = AdaptiveModel(inputs, keras.layers.Dense(1)(hidden))
    >>> model.compile("adam", "mse")
    >>> history = model.fit(np.ones((4, 2, 3)), np.ones((4, 1)), verbose=0).history
    >>> sorted(history)
    ['loss', 'ponder', 'ponder_cost', 'ponder_steps', 'task_loss', 'time_penalty']

    Source: Graves (2016), arXiv:1603.08983, Equations 10-12.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        arguments.functional("AdaptiveModel", args, kwargs)
        super().__init__(*args, **kwargs)
        layers = [x for x in self._flatten_layers() if getattr(x, "reports_ponder", False)]
        suffixes = _suffixes(layers)
        # By identity: blocks of nested models may have one name.
        self._pondering = dict(zip(map(id, layers), suffixes))
        self._time_penalties = {
            f"time_penalty{suffix}": layer
            for layer, suffix in zip(layers, suffixes)
            if hasattr(layer, "time_penalty_variable")
        }
        names = ["task_loss", "ponder_cost"]
        names += [f"{kind}{suffix}" for suffix in suffixes for kind in ("ponder", "ponder_steps")]
        self._ponder_trackers = {name: keras.metrics.Mean(name=name) for name in names}
        self._entries = ThreadValue(())
        self._chooses_jit = True
        # Metrics that have no value in `evaluate`, for the models that inherit.
        self._names_in_training: frozenset[str] = frozenset()
        self._trains = ThreadValue(True)

    def call(self, inputs: Any, training: bool | None = None, mask: Tensor | None = None) -> Any:
        """Calls the layers, and keeps what they report for `compute_loss` in the same trace."""
        # On JAX, Keras trains by `call` alone. Then a layer that the model calls twice would begin
        # by taking back what its first call has charged.
        context = self._get_call_context()
        if training is not None:
            context.set_value("training", training)
        try:
            with record() as entries:
                outputs = super().call(inputs, training=training, mask=mask)
        finally:
            self._maybe_reset_call_context()
        self._entries.value = entries
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
        self._trains.value = training
        entries, self._entries.value = self._entries.value, ()
        cost = sum((ops.cast(entry.cost, loss.dtype) for entry in entries), ops.zeros_like(loss))
        # As Keras weighs the loss itself: a smaller last batch counts for less.
        rows = ops.shape(tree.flatten(y_pred)[0])[0]
        values = [("task_loss", loss * replicas() - cost, rows), ("ponder_cost", cost, rows)]
        # Reports in the name of anything but a layer of the model have no metrics.
        for entry in entries:
            if (suffix := self._pondering.get(id(entry.layer))) is not None:
                values.append((f"ponder{suffix}", entry.mean_ponder, entry.present))
                values.append((f"ponder_steps{suffix}", entry.mean_steps, entry.present))
        for name, value, weight in values:
            self._ponder_trackers[name].update_state(ops.stop_gradient(value), weight)
        return loss

    @property
    def metrics(self) -> list[Any]:
        """All metrics but those of adaptive models inside of layers, whose names are the same."""
        inside = [x for x in self._flatten_layers(False) if isinstance(x, AdaptiveModel)]
        known = {id(metric) for model in inside for metric in model.metrics}
        return [metric for metric in super().metrics if id(metric) not in known]

    def get_metrics_result(self) -> dict[str, Any]:
        """The metrics of training, or of what was evaluated last."""
        hidden = () if self._trains.value else self._names_in_training
        return {k: v for k, v in super().get_metrics_result().items() if k not in hidden}

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        loss_weights: Any = None,
        metrics: Any = None,
        weighted_metrics: Any = None,
        run_eagerly: bool = False,
        steps_per_execution: int = 1,
        jit_compile: bool | str = "auto",
        auto_scale_loss: bool = True,
    ) -> None:
        """As `keras.Model.compile`; see the class for `jit_compile="auto"`."""
        names = {getattr(x, "name", x) for x in tree.flatten([metrics, weighted_metrics])}
        if clash := sorted(names & self._ponder_trackers.keys()):
            arguments.refuse("metrics", clash, "without the names of the model's own metrics")
        if len(self.output_names) > 1 and "task" in self.output_names:
            raise ValueError(
                "An output of an AdaptiveModel cannot be named 'task' beside others, as its loss "
                "would have the name of the model's `task_loss`. Received: outputs named "
                f"{self.output_names}"
            )
        super().compile(
            optimizer,
            loss,
            loss_weights,
            metrics,
            weighted_metrics,
            run_eagerly,
            steps_per_execution,
            jit_compile,
            auto_scale_loss,
        )
        self._chooses_jit = jit_compile == "auto"

    def get_compile_config(self) -> dict | None:
        """The arguments of `compile`, for saving."""
        config = super().get_compile_config()
        return config and {**config, **({"jit_compile": "auto"} if self._chooses_jit else {})}

    def compile_from_config(self, config: dict) -> None:
        """Compiles the model with the arguments that `get_compile_config` returns."""
        self.compile(**keras.saving.deserialize_keras_object(config))
        if self.optimizer is not None and self.built:
            self.optimizer.build(self.trainable_variables)

    def make_train_function(self, force: bool = False) -> Any:
        """As that of `keras.Model`, compiled by XLA where that pays; see the class."""
        if not (self._chooses_jit and _gains_by_xla(self)):
            return super().make_train_function(force)
        chosen = self.jit_compile
        self.jit_compile: bool = True
        try:
            return super().make_train_function(force)
        finally:
            self.jit_compile = chosen

    def train_step(self, *args: Any) -> Any:
        """One update; the logs also have τ after the update."""
        if keras.config.backend() == "jax":
            logs, state = super().train_step(*args)
            now = {id(v): x for v, x in zip(self.non_trainable_variables, state[1])}
            return {**logs, **self._penalties(lambda variable: now[id(variable)])}, state
        return {**super().train_step(*args), **self._penalties(ops.convert_to_tensor)}

    def _penalties(self, value_of):
        """τ of the layers, by the names of the logs."""
        layers = self._time_penalties.items()
        variables = {name: layer.time_penalty_variable for name, layer in layers}
        return {name: value_of(x) for name, x in variables.items() if x is not None}

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: str | int = "auto",
        callbacks: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> keras.callbacks.History:
        """As `keras.Model.fit`; warns when an automatic τ cannot reach its target."""
        targets = {
            name: layer.target_ponder
            for name, layer in self._time_penalties.items()
            if getattr(layer, "target_ponder", None) is not None
        }
        if targets:
            warn = WarnOfTimePenalty(targets)
            if isinstance(callbacks, keras.callbacks.CallbackList):
                others = [x for x in callbacks.callbacks if not isinstance(x, WarnOfTimePenalty)]
                callbacks.callbacks = [*others, warn]
            else:
                callbacks = [*tree.flatten(callbacks or []), warn]
        return super().fit(x, y, batch_size, epochs, verbose, callbacks, *args, **kwargs)


def _gains_by_xla(model):
    """Whether XLA makes a training step of the whole model faster on TensorFlow without a GPU.

    It does where launching operations takes most of the time. It compiles for one shape: were the
    length not fixed, it would compile again for each.
    """
    strategy = getattr(model, "distribute_strategy", None)
    # On TensorFlow XLA cannot read weights that are on several devices.
    if strategy is not None and strategy.num_replicas_in_sync > 1:
        return False
    if model.run_eagerly or not backend.may_compile_models():
        return False
    layers = model._flatten_layers()
    pondering = [layer for layer in layers if getattr(layer, "reports_ponder", False)]
    return (
        all(layer.supports_jit for layer in layers)
        and all(None not in x.shape[1:] for x in tree.flatten(model.inputs))
        and all(isinstance(layer, ACTRNN) for layer in pondering)
        and 0 < sum(map(_numbers_of_states, pondering)) <= MOST_NUMBERS_OF_XLA
    )


def _numbers_of_states(layer):
    """How many numbers a row's states are in all steps that may be taken."""
    length = _length(layer) or math.inf
    sizes = tree.flatten(layer.cell.state_size)
    return length * layer.max_ponder * sum(sizes)


def _length(layer):
    """The number of time steps of a layer's input in the model, None if it varies."""
    try:
        shape = tree.flatten(layer.input)[0].shape
    except (AttributeError, ValueError):  # It is called by another layer, not by the model.
        built = layer.get_build_config()
        shape = built.get("input_shape") or built["shapes_dict"]["sequences_shape"]
    return shape[1]


def _suffixes(layers):
    """Suffixes that distinguish the layers' metrics: none, their names, or numbered names."""
    if len(layers) == 1:
        return [""]
    names = []
    for layer in layers:
        number = sum(layer.name == other.name for other in layers[: len(names)])
        names.append(f"_{layer.name}_{number}" if number else f"_{layer.name}")
    return names
