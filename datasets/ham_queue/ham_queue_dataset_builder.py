"""The queue task as a data set of TensorFlow Datasets."""

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..vectors.builder import OperationConfig, VectorBuilder, configs
from . import ham_queue


class HAMQueueConfig(OperationConfig):
    """Parameters of `ham_queue.sample`, number of examples, and seed; see there."""

    task = ham_queue


class Builder(VectorBuilder):
    """Operations on a queue, and what its POPs return (Andrychowicz & Kurach 2016, section 4.3)."""

    BUILDER_CONFIGS = configs(HAMQueueConfig)
