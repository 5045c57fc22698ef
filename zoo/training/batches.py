"""Training batches of a stage for `fit`; an epoch is a chunk of steps."""

from collections.abc import Mapping

import numpy as np

from ... import datasets
from ...curriculum import Batches
from .. import families
from ..recipe import Recipe, Stage


def batches(recipe: Recipe, seed: int, stage: Stage, level: int | None = None) -> Batches:
    """The batches of a stage, whose epochs are its chunks.

    Args:
        recipe: a `Recipe`.
        seed: of the endless stream of batches.
        stage: the `Stage`.
        level: the value that the stage's curriculum has reached, if it has one.

    Returns:
        `curriculum.Batches`.
    """
    family = families.of(recipe)

    def make(number, level):
        parameters = recipe.parameters_at(stage, level, number)
        batch = drawn(recipe, seed, number, parameters, recipe.batch_size_at(stage))
        return family.training_batch(batch, parameters)

    return Batches(make, stage.chunk, level)


def drawn(
    recipe: Recipe, seed: int, number: int, parameters: Mapping, size: int
) -> dict[str, np.ndarray]:
    """Batch `number`: fresh examples, or of a text that has an order, the next part of it."""
    in_order = getattr(datasets.task(recipe.dataset), "consecutive", None)
    if in_order is not None:
        return in_order(number, size, **parameters)
    return datasets.batch(recipe.dataset, size, seed=seed, index=number, **parameters)
