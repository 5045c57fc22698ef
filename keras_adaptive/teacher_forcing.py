"""The base of models that generate a sequence, and are trained on the true one."""

from typing import Any

import keras
from keras import ops

from . import arguments as checks
from .free_sizes import FreeSizes
from .freezing import KeepsFrozenLayers
from .reporting import ThreadValue
from .single_trace import SingleTrace
from .types import Tensor


class TeacherForced(KeepsFrozenLayers, FreeSizes, SingleTrace, keras.Model):
    """A model whose outputs are fed back, in training those that it should have made.

    `fit(inputs, targets)` feeds the targets back ("teacher forcing"); `predict`, `evaluate` and a
    call without targets generate, as an exported model does. In `evaluate` the metrics are those of
    the generated sequence, and the loss is that of the true one.

    Subclasses have a `call` that uses `self.given_targets(targets)`, and implement `present`,
    `padding` and `signature`. Their `build` ends with `freeze_parts`.
    """

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        # The targets of the current trace, in training.
        self._targets = ThreadValue()

    def given_targets(self, targets: Tensor | None) -> Tensor | None:
        """The targets of a call, or those of the training step that it is part of, or None."""
        return self._targets.value if targets is None else targets

    def present(self, targets: Tensor) -> Tensor:
        """Which elements of the targets count, boolean `(batch, steps)`."""
        raise NotImplementedError

    def padding(self, outputs: Tensor, steps: Any) -> Tensor:
        """The value after the end of outputs, `(batch, steps, …)`."""
        raise NotImplementedError

    def compute_mask(self, inputs: Tensor, mask: Tensor | None = None) -> None:
        """Outputs have lengths of their own, and no mask."""
        return None

    def train_step(self, *arguments: Any) -> Any:
        """One update, with the true elements fed back."""
        _, targets, _ = keras.utils.unpack_x_y_sample_weight(arguments[-1])
        checks.targets("y", targets)
        with self._targets.holding(targets):
            return super().train_step(*arguments)

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Tensor | None = None,
        sample_weight: Tensor | None = None,
        training: bool = True,
    ) -> Tensor:
        """The compiled loss of the true sequences."""
        checks.targets("y", y)
        if not training:
            y_pred = self._fed_with(y, x)
        weights = self._weights(y, sample_weight)
        loss = super().compute_loss(x, y, y_pred, weights, training)
        self._losses_override: list[Tensor] = []
        return loss

    def _fed_with(self, targets, x):
        """The outputs with the targets fed back, in inference, which may add to the loss."""
        if keras.config.backend() != "jax":
            return self(x, targets=targets, training=False)
        # Keras on JAX would keep the losses of the call before, which generated.
        y_pred, _, self._losses_override = self.stateless_call(
            [variable.value for variable in self.trainable_variables],
            [variable.value for variable in self.non_trainable_variables],
            x,
            targets=targets,
            training=False,
            return_losses=True,
        )
        return y_pred

    def compute_metrics(
        self, x: Any, y: Any, y_pred: Tensor, sample_weight: Tensor | None = None
    ) -> dict[str, Any]:
        """The compiled metrics, on as many elements as the targets have."""
        steps = ops.shape(y)[1]
        y_pred = ops.concatenate([y_pred, self.padding(y_pred, steps)], axis=1)
        weights = self._weights(y, sample_weight)
        return super().compute_metrics(x, y, y_pred[:, :steps], weights)

    def _weights(self, targets, sample_weight):
        """The weights `(batch, steps)`, zero where the targets do not count."""
        weights = ops.cast(self.present(targets), "float32")
        if sample_weight is None:
            return weights
        sample_weight = ops.cast(sample_weight, "float32")
        while ops.ndim(sample_weight) < ops.ndim(weights):
            sample_weight = sample_weight[..., None]
        return weights * sample_weight
