"""The parity of sparse vectors as a data set of TensorFlow Datasets."""

import dataclasses
from typing import ClassVar

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..tfds.builder import TaskBuilder
from ..tfds.config import TaskConfig
from . import sparse_parity


@dataclasses.dataclass(eq=False, kw_only=True)
class SparseParityConfig(TaskConfig):
    """Parameters of `sparse_parity.sample`, number of examples, and seed; see there."""

    task = sparse_parity
    length: int = 48
    min_length: int = 1
    bits: int = 96
    positions: int | None = None


class Builder(TaskBuilder):
    """Parity of up to 48 non-zeros among 96 places (Banino et al. 2021, section 3.1)."""

    HOMEPAGE = "https://arxiv.org/abs/2107.05407"
    BUILDER_CONFIGS: ClassVar = [
        SparseParityConfig(),
        # Few non-zeros, and short vectors.
        SparseParityConfig(length=16),
        SparseParityConfig(bits=32, length=16),
        SparseParityConfig(bits=32, length=32, min_length=17),
        # The paper's test of extrapolation.
        SparseParityConfig(length=96, min_length=49),
    ]
