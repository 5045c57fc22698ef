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
        has_lengths: whether its trainings can be measured at lengths beyond those trained on.
        reads_files: whether a user's file of examples can be measured.
        animates: whether its pictures are animations, or stills beside them.
    """

    dataset_prefix: str = ""
    samples_halting: bool = False
    fixed_ignores_target: bool = True
    answers_in_numpy: bool = False
    carries_states: bool = False
    has_lengths: bool = False
    reads_files: bool = False
    animates: bool = False


TRAITS = {
    "act": Traits(dataset_prefix="act_", fixed_ignores_target=False, answers_in_numpy=True),
    "baseline": Traits(has_lengths=True),
    "ham": Traits(dataset_prefix="ham_", has_lengths=True),
    "ham_baseline": Traits(has_lengths=True),
    "neural_gpu": Traits(dataset_prefix="neural_gpu_", has_lengths=True, animates=True),
    "pointer": Traits(has_lengths=True, reads_files=True),
    "pondernet": Traits(samples_halting=True),
    "recall": Traits(has_lengths=True),
    "words": Traits(carries_states=True),
}


def traits_of(recipe: HasFamily) -> Traits:
    """The `Traits` of a recipe's family."""
    return TRAITS.get(recipe.family, Traits())


def dataset_prefixes() -> list[str]:
    """The prefixes of data sets of all families."""
    return [traits.dataset_prefix for traits in TRAITS.values() if traits.dataset_prefix]
