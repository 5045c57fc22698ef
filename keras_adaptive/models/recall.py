"""A model that trains a recall network with the progressive loss."""

from typing import Any

import keras
from keras import ops, tree

from .. import arguments
from ..distributed import replicas
from ..recall import Recall, drawn_steps
from ..types import Tensor
from .adaptive import AdaptiveModel


@keras.saving.register_keras_serializable(package="keras_adaptive")
class RecallModel(AdaptiveModel):
    """A functional `keras.Model` that trains a `Recall` layer with the progressive loss.

    A network that is always trained with m steps may be right at step m and wrong after more steps.
    This model also trains the network to continue from its own features: for each batch it draws
    n and k, takes n steps without a gradient and k more steps with a gradient, and minimizes

    `(1 - alpha) · L(after m steps) + alpha · L(after n + k steps)`,

    with L whatever is compiled. n is uniform in 0 … m − 1 and k in 1 … m − n, where m is the
    layer's `steps`. `evaluate`, and `validation_data` in `fit`, have the loss of the answer alone.

    In training, the logs of `AdaptiveModel` also have `progressive_loss`, the second L; `task_loss`
    is the first. The network runs twice for each batch, so a `BatchNormalization` in it moves its
    averages twice. `keras.models.clone_model` forgets `alpha` and `seed`: copy the model by
    `from_config`.

    Args:
        *args: as in `keras.Model`: inputs and outputs.
        alpha: float in [0, 1], the weight of the progressive loss. Defaults to `0.5`.
        seed: integer or `None`, of n and k.
        **kwargs: as in `keras.Model`.

    Raises:
        ValueError: `alpha` is out of its range, or there is not one `Recall` layer.

    Example:

    >>> inputs = keras.Input((None, 1))
    >>> logits = keras_adaptive.layers.Recall(filters=4, outputs=2, steps=6)(inputs)
    >>> model = RecallModel(inputs, logits, alpha=0.5, seed=0)
    >>> loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    >>> model.compile("adam", loss)
    >>> history = model.fit(np.ones((4, 5, 1)), np.ones((4, 5)), verbose=0).history
    >>> sorted(history)
    ['loss', 'ponder', 'ponder_cost', 'ponder_steps', 'progressive_loss', 'task_loss']

    Differences from the paper: none in the loss; the paper draws n and k as above.

    Source: Bansal et al. (2022), arXiv:2202.05826, section 3.2 and Algorithm 1.
    """

    def __init__(self, *args: Any, alpha: float = 0.5, seed: int | None = None, **kwargs: Any):
        super().__init__(*args, **kwargs)
        layers = [layer for layer in self._flatten_layers() if isinstance(layer, Recall)]
        if len(layers) != 1:
            raise ValueError(
                "A RecallModel must have one `Recall` layer. "
                f"Received: {[layer.name for layer in layers]}"
            )
        self.alpha = arguments.number("alpha", alpha, least=0, most=1)
        self.seed = arguments.seed("seed", seed)
        self.seed_generator = keras.random.SeedGenerator(seed)
        self._progressive_tracker = keras.metrics.Mean(name="progressive_loss")
        self._names_in_training |= {"progressive_loss"}

    @property
    def max_steps(self) -> int:
        """m, the number of steps of the layer in training."""
        return next(x for x in self._flatten_layers() if isinstance(x, Recall)).steps

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Tensor | None = None,
        sample_weight: Tensor | None = None,
        training: bool = True,
    ) -> Tensor:
        """The weighted sum of both losses in training; else that of the answer."""
        loss = super().compute_loss(x, y, y_pred, sample_weight, training)
        if not training or not self.alpha:
            return loss
        with drawn_steps(*self._draw()):
            answer = self(x, training=True)
        entries, self._entries.value = self._entries.value, ()
        progressive = keras.Model.compute_loss(self, x, y, answer, sample_weight, training)
        rows = ops.shape(tree.flatten(y_pred)[0])[0]
        cost = sum((ops.cast(entry.cost, loss.dtype) for entry in entries), ops.zeros_like(loss))
        alone = progressive * replicas() - cost
        self._progressive_tracker.update_state(ops.stop_gradient(alone), rows)
        return (1.0 - self.alpha) * loss + self.alpha * progressive

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this model again."""
        return {**super().get_config(), "alpha": self.alpha, "seed": self.seed}

    def _draw(self):
        """n and k for a batch."""
        chances = keras.random.uniform((2,), dtype="float32", seed=self.seed_generator)
        n = ops.cast(ops.floor(chances[0] * self.max_steps), "int32")
        most = self.max_steps - n
        k = ops.cast(ops.floor(chances[1] * ops.cast(most, "float32")), "int32") + 1
        return n, ops.minimum(k, most)
