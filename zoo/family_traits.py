"""Properties of families that commands and checks need before Keras is loaded.

A family that differs from the defaults has an entry in `TRAITS`.
"""

import dataclasses
from typing import Protocol


class HasFamily(Protocol):
    """Anything with the name of a family, such as a `Recipe`."""

    @property
    def family(self) -> str:
        """The name of the family."""


@dataclasses.dataclass(frozen=True)
class Traits:
    """The properties of a family.

    Args:
        dataset_prefix: the prefix of the names of its data sets, which is not part of the names of
            their tasks.
        samples_halting: whether its recipes may have `halting="pondernet"`.
        fixed_ignores_target: whether variants with a fixed number of steps ignore
            `target_ponder`; otherwise it is refused.
        answers_in_numpy: whether networks that halt by `ACT` can answer without Keras.
        carries_states: whether states go from batch to batch, which are of one size then.
    """

    dataset_prefix: str = ""
    samples_halting: bool = False
    fixed_ignores_target: bool = True
    answers_in_numpy: bool = False
    carries_states: bool = False


TRAITS = {
    "act": Traits(dataset_prefix="act_", fixed_ignores_target=False, answers_in_numpy=True),
    "ham": Traits(dataset_prefix="ham_"),
    "neural_gpu": Traits(dataset_prefix="neural_gpu_"),
    "pondernet": Traits(samples_halting=True),
    "words": Traits(carries_states=True),
}


def traits_of(recipe: HasFamily) -> Traits:
    """The `Traits` of a recipe's family."""
    return TRAITS.get(recipe.family, Traits())


def dataset_prefixes() -> list[str]:
    """The prefixes of data sets of all families."""
    return [traits.dataset_prefix for traits in TRAITS.values() if traits.dataset_prefix]
