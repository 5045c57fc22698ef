"""Convex hulls as a data set of TensorFlow Datasets."""

import dataclasses
from typing import ClassVar

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..tfds.builder import TaskBuilder
from ..tfds.config import TaskConfig
from . import convex_hull


@dataclasses.dataclass(eq=False, kw_only=True)
class ConvexHullConfig(TaskConfig):
    """Parameters of `convex_hull.sample`, number of examples, and seed; see there."""

    task = convex_hull
    length: int = 50
    min_length: int = 5


class Builder(TaskBuilder):
    """5 to 50 points, and the corners of their convex hull (Vinyals et al. 2015, section 3.1)."""

    HOMEPAGE = "https://arxiv.org/abs/1506.03134"
    BUILDER_CONFIGS: ClassVar = [
        ConvexHullConfig(),
        # Few points.
        ConvexHullConfig(length=10),
        # As many as the authors' files have.
        *(ConvexHullConfig(length=n, min_length=n) for n in (5, 10, 50)),
    ]
