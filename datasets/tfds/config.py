"""Configs that are named after what differs from the paper."""

import dataclasses
from typing import Any, Self

import numpy as np
import tensorflow_datasets as tfds

from ..arguments import check_integers
from ..settings import check_parameters
from ..stream import SPLITS


@dataclasses.dataclass(eq=False, kw_only=True)
class NamedConfig(tfds.core.BuilderConfig):
    """A config whose name and description follow from its fields.

    TensorFlow Datasets finds prepared files by the name alone, so two configs that differ must
    have different names: `"paper"` for the defaults, else what differs from them.
    """

    name: str = dataclasses.field(default="", init=False)
    description: str = dataclasses.field(default="", init=False)
    seed: int = 0

    # TFDS's own fields, such as its version, could be given by position.
    def __new__(cls, **_: Any) -> Self:
        return super().__new__(cls)

    def __post_init__(self):
        check_integers(0, seed=self.seed)
        differences = self.differences()
        self.name = "-".join(f"{key}_{value}" for key, value in differences.items()) or "paper"
        changes = ", ".join(f"{key} = {value}" for key, value in differences.items())
        self.description = f"As the paper, but {changes}." if differences else "As the paper."

    def differences(self) -> dict[str, Any]:
        """The fields that differ from their defaults, by name."""
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        values = {name: getattr(self, name) for name in self.named_fields()}
        return {name: value for name, value in values.items() if value != defaults[name]}

    @classmethod
    def named_fields(cls) -> list[str]:
        """The fields that the name may mention, in that order: a subclass's own, then the seed."""
        shared = {field.name for field in dataclasses.fields(NamedConfig)}
        return [*(x.name for x in dataclasses.fields(cls) if x.name not in shared), "seed"]


@dataclasses.dataclass(eq=False, kw_only=True)
class TaskConfig(NamedConfig):
    """The parameters of a task's data set. A subclass adds those of the task's `sample`.

    Args:
        train: number of training examples.
        validation: number of validation examples.
        test: number of test examples.
        seed: seed of the examples.

    Raises:
        ValueError: a parameter is out of its range.
    """

    train: int = 50_000
    validation: int = 5_000
    test: int = 10_000

    def __post_init__(self):
        super().__post_init__()
        check_parameters(self.parameters)
        self.sample(np.random.default_rng(0), 1)
        check_integers(1, **{split: getattr(self, split) for split in SPLITS})

    @classmethod
    def named_fields(cls) -> list[str]:
        own = [name for name in super().named_fields() if name not in (*SPLITS, "seed")]
        return [*own, *SPLITS, "seed"]

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the task's `sample`, a dict."""
        names = [name for name in self.named_fields() if name not in (*SPLITS, "seed")]
        return {name: getattr(self, name) for name in names}

    def sample(self, rng: np.random.Generator, batch_size: int) -> dict[str, np.ndarray]:
        """Examples with these parameters."""
        return self.task.sample(rng, batch_size, **self.parameters)

    def output_length(self, length: int) -> int:
        """Number of targets of an example of `length` inputs."""
        return getattr(self.task, "output_length", int)(length)
