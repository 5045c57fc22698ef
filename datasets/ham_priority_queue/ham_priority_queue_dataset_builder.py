"""The priority queue task as a data set of TensorFlow Datasets."""

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..vectors.builder import OperationConfig, VectorBuilder, configs
from . import ham_priority_queue


class HAMPriorityQueueConfig(OperationConfig):
    """Parameters of `ham_priority_queue.sample`, number of examples, and seed; see there."""

    task = ham_priority_queue


class Builder(VectorBuilder):
    """Operations on a priority queue, and its answers (Andrychowicz & Kurach 2016, section 4.3)."""

    BUILDER_CONFIGS = configs(HAMPriorityQueueConfig)
