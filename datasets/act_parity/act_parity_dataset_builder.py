"""The parity task as a data set of TensorFlow Datasets."""

import dataclasses
from typing import ClassVar

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..tfds.builder import TaskBuilder
from ..tfds.config import TaskConfig
from . import act_parity


@dataclasses.dataclass(eq=False, kw_only=True)
class ActParityConfig(TaskConfig):
    """Parameters of `act_parity.sample`, number of examples, and seed; see there."""

    task = act_parity
    bits: int = 64
    placement: str = "random"
    positions: int | None = None
    min_nonzeros: int = 1
    max_nonzeros: int | None = None


class Builder(TaskBuilder):
    """Parity of up to 64 bits in one vector (Graves 2016, section 3.1)."""

    HOMEPAGE = "https://arxiv.org/abs/1603.08983"
    BUILDER_CONFIGS: ClassVar = [
        ActParityConfig(),
        ActParityConfig(placement="prefix"),
        ActParityConfig(bits=16),
        ActParityConfig(bits=32),
        # Extrapolation as in the PonderNet paper: learn the first, be asked the second.
        ActParityConfig(bits=96, max_nonzeros=48),
        ActParityConfig(bits=96, min_nonzeros=49),
    ]
