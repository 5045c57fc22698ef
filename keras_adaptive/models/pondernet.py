"""A model that trains a PonderNet by the expected loss and the divergence from a prior."""

import math
from typing import Any

import keras
from keras import ops, tree

from .. import arguments
from ..distributed import replicas
from ..empty_batch import mean_over_rows
from ..pondernet import PonderNet
from ..types import Tensor
from .adaptive import AdaptiveModel


@keras.saving.register_keras_serializable(package="keras_adaptive")
class PonderNetModel(AdaptiveModel):
    """A functional `keras.Model` that trains a `PonderNet` layer.

    With the probabilities p_n to halt at step n, and the answers ŷ_n, it minimises

    `Σ p_n L(y, ŷ_n) + beta · KL(p ‖ prior)`,

    each averaged over the batch, with L whatever is compiled, of any loss of Keras that is a mean
    (or sum) over examples. The prior is the geometric distribution with the probability `prior`,
    truncated after `max_ponder` steps. It asks for about 1 / `prior` steps, and keeps all steps in
    play. `evaluate`, and `validation_data` in `fit`, have the loss of the answer with which each
    example halts.

    `keras.models.clone_model` forgets `beta` and `prior`: copy the model by `from_config`.

    The logs have, beside those of `AdaptiveModel`, `divergence`, the KL, in training. `task_loss`
    is Σ p_n L, `ponder_steps` Σ n p_n. Compiled metrics get the mean answer Σ p_n ŷ_n in training.

    Args:
        *args: as in `keras.Model`: inputs and outputs. The output is that of a `PonderNet` layer.
        beta: float >= 0, β, the weight of the divergence. Defaults to `0.01`.
        prior: float in (0, 1), λ_p, the prior probability to halt at each step. Defaults to `0.2`.
        **kwargs: as in `keras.Model`.

    Raises:
        ValueError: `beta` or `prior` is out of its range, or the output is not that of the
            one `PonderNet` layer.

    Example:

    >>> inputs = keras.Input((5,))
    >>> head = keras.layers.Dense(1, activation="sigmoid")
    >>> layer = keras_adaptive.layers.PonderNet(keras.layers.GRUCell(8), head, max_ponder=6)
    >>> model = PonderNetModel(inputs, layer(inputs), beta=0.01, prior=0.2)
    >>> model.compile("adam", "binary_crossentropy")
    >>> history = model.fit(np.ones((4, 5)), np.ones((4, 1)), verbose=0).history
    >>> sorted(history)
    ['divergence', 'loss', 'ponder', 'ponder_cost', 'ponder_steps', 'task_loss']

    Differences from the paper: its prior is cut where less than ε of it is left; here it has the
    layer's `max_ponder` steps, and sums up to 1.

    Source: Banino, Balaguer, Blundell (2021), "PonderNet: Learning to Ponder", arXiv:2107.05407,
    section 2.1, Equation 3.
    """

    def __init__(self, *args: Any, beta: float = 0.01, prior: float = 0.2, **kwargs: Any):
        super().__init__(*args, **kwargs)
        outputs = tree.flatten(self.outputs)
        layers = [layer for layer in self.layers if isinstance(layer, PonderNet)]
        answers = [tree.flatten(layer.output)[0] for layer in layers]
        if len(outputs) != 1 or len(layers) != 1 or answers[0] is not outputs[0]:
            raise ValueError(
                "The one output of a PonderNetModel must be that of its one `PonderNet` layer "
                "(give the layers that make the answer as its `head`). "
                f"Received: layers={[layer.name for layer in self.layers]}"
            )
        self.beta = arguments.number("beta", beta, least=0)
        self.prior = arguments.number("prior", prior, above=0, below=1)
        self._divergence_tracker = keras.metrics.Mean(name="divergence")
        self._names_in_training |= {"divergence"}

    @property
    def max_ponder(self) -> int:
        """The largest number of steps of the layer."""
        return next(x for x in self.layers if isinstance(x, PonderNet)).max_ponder

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Tensor | None = None,
        sample_weight: Tensor | None = None,
        training: bool = True,
    ) -> Tensor:
        """The expected loss and the divergence in training; else the loss of the answer."""
        if not training:
            return super().compute_loss(x, y, y_pred, sample_weight, training)
        last = self._entries.value[-1]
        p, count = last.probabilities, self.max_ponder
        answers = ops.reshape(last.answers, (-1, *ops.shape(last.answers)[2:]))
        y = tree.map_structure(lambda target: ops.repeat(target, count, axis=0), y)
        weights = self._weights(p, answers, y, sample_weight)
        loss = super().compute_loss(x, y, answers, weights, training)
        kl = mean_over_rows(divergence(p, self.prior))
        self._divergence_tracker.update_state(ops.stop_gradient(kl), ops.shape(p)[0])
        return loss + ops.cast(self.beta * kl / replicas(), loss.dtype)

    def _weights(self, p, answers, y, sample_weight):
        """What each value of the loss weighs: of an answer, or of a position in it."""
        compiled = tree.flatten(self.loss)[0]
        reduction = getattr(compiled, "reduction", "mean")
        weights = ops.reshape(p, (-1,))
        # A mean divides by the number of all answers, which are as many times the examples.
        if reduction != "sum":
            weights = weights * self.max_ponder
        rank = _rank(compiled, answers, tree.flatten(y)[0])
        if sample_weight is not None:
            given = ops.cast(sample_weight, weights.dtype)
            given = ops.repeat(given, self.max_ponder, axis=0)
            return ops.reshape(weights, (-1,) + (1,) * (ops.ndim(given) - 1)) * given
        weights = ops.reshape(weights, (-1,) + (1,) * (rank - 1))
        # It divides by the sum of the weights.
        if reduction == "mean_with_sample_weight" and rank > 1:
            weights = ops.broadcast_to(weights, ops.shape(answers)[:rank])
        return weights

    def get_config(self) -> dict:
        """The arguments that make this model again."""
        return {**super().get_config(), "beta": self.beta, "prior": self.prior}


def _rank(loss, answers, y):
    """The rank of a loss of answers and targets before it is reduced."""
    if loss is None:
        arguments.refuse("loss", loss, "a loss of the answers, in `compile`")
    if isinstance(loss, str):
        return max(ops.ndim(answers) - 1, 1)
    function = loss.call if isinstance(loss, keras.losses.Loss) else loss
    # Keras casts both too.
    rank = ops.ndim(function(ops.cast(y, answers.dtype), answers))
    if rank == 0:
        raise ValueError(
            "The loss of a PonderNetModel must have a value for each example, `(batch,)` or "
            "`(batch, …)`, for each answer's counts as much as its step is probable. Leave the "
            f"mean over the batch to Keras. Received: a scalar of {loss!r}"
        )
    return rank


def divergence(p: Tensor, rate: float) -> Tensor:
    """KL(p ‖ truncated geometric distribution) of each row of p, `(batch, steps)`."""
    numbers = ops.arange(p.shape[-1], dtype=p.dtype)
    prior = math.log(rate) + numbers * math.log1p(-rate) - math.log1p(-((1 - rate) ** p.shape[-1]))
    # 0 log 0 is 0, and so is its gradient here.
    is_there = p > 0
    log = ops.log(ops.where(is_there, p, ops.ones_like(p)))
    return ops.sum(ops.where(is_there, p * (log - prior), ops.zeros_like(p)), axis=-1)
