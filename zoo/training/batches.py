"""Training batches of a stage for `fit`; an epoch is a chunk of steps."""

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
        batch = datasets.batch(
            recipe.dataset, recipe.batch_size, seed=seed, index=number, **parameters
        )
        return family.training_batch(batch, parameters)

    return Batches(make, stage.chunk, level)
