"""AnytimeACT: ACT that learns to answer under any limit."""

from typing import Any

import keras
from keras import ops

from .. import arguments
from ..types import Tensor
from .rules import ACT, Decision, last_step


@keras.saving.register_keras_serializable(package="keras_adaptive")
class AnytimeACT(ACT):
    """ACT whose largest number of steps is drawn for each batch in training.

    A network that was trained with `ACT` has never had to answer before it halted, and a limit on
    its steps (`limits`) makes it guess. With this rule every batch of `ACTRNN` in training has a
    limit of its own, each number from 1 to `max_ponder` with the same probability, so that the
    answer under a small limit is trained too, and steps beyond it make it better. In inference the
    rule is `ACT`.

    Args:
        max_ponder: integer >= 1, M, the largest number of steps. Defaults to `100`.
        epsilon: float in [0, 1), what may be missing from 1 when a row halts. Defaults to `0.01`.
        seed: integer or `None`, of the limits that are drawn. Defaults to `None`.

    Raises:
        ValueError: if an argument is out of its range.

    Example:

    >>> rule = AnytimeACT(20, seed=1)
    >>> layer = keras_adaptive.layers.ACTRNN(
    ...     keras.layers.SimpleRNNCell(4), halting=rule, halting_bias=-9.0, return_ponder=True
    ... )
    >>> inputs = np.ones((1, 1, 2), "float32")
    >>> draws = [int(layer(inputs, training=True)[1]["steps"][0, 0]) for _ in range(20)]
    >>> max(draws) <= 20, len(set(draws)) > 3, int(layer(inputs)[1]["steps"][0, 0])
    (True, True, 20)

    Differences from Graves (2016): the paper has one limit for all of training. The limits and
    their distribution are new here; slimmable networks and recall networks are trained for any size
    or number of steps in a similar way.
    """

    def __init__(
        self, max_ponder: int = 100, epsilon: float = 0.01, seed: int | None = None
    ) -> None:
        super().__init__(max_ponder, epsilon)
        self.seed = arguments.seed("seed", seed)
        self._chance = None

    def draw(self, shape: Tensor, training: bool, seed: Any) -> Tensor | None:
        """In training a number in [0, 1), the same for the batch, of `shape`; else `None`."""
        if not training:
            return None
        return ops.broadcast_to(keras.random.uniform((), seed=seed), shape)

    def drawn(self, chance: Tensor) -> "AnytimeACT":
        """This rule with the limit that follows from `chance`, `(batch,)`."""
        rule = AnytimeACT(self.max_ponder, self.epsilon, self.seed)
        rule._chance = chance
        return rule

    def start(self, batch_size: Tensor, dtype: str) -> dict[str, Tensor]:
        """The mass spent so far and the limit, each `(batch,)`."""
        spent = super().start(batch_size, dtype)
        limit = spent + ops.cast(last_step(self), dtype)
        if self._chance is not None:
            limit = ops.floor(ops.cast(self._chance, dtype) * self.max_ponder) + 1
        return {"spent": spent, "limit": limit}

    def __call__(self, step: Tensor, halting: Tensor | None, memory: Any) -> Decision:
        """Weighs step number `step` (from 1) with activations `halting`, `(batch,)`."""
        limit = memory["limit"]
        stopped = ops.cast(step, limit.dtype) >= limit
        decision = self._weighed(step, halting, memory["spent"], stopped)
        return decision._replace(memory={"spent": decision.memory, "limit": limit})

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this rule again."""
        return {**super().get_config(), "seed": self.seed}
