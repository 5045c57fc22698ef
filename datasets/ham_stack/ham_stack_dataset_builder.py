"""The stack task as a data set of TensorFlow Datasets."""

import tensorflow_datasets  # noqa: F401 - first, as it imports all builders

from ..vectors.builder import OperationConfig, VectorBuilder, configs
from . import ham_stack


class HAMStackConfig(OperationConfig):
    """Parameters of `ham_stack.sample`, number of examples, and seed; see there."""

    task = ham_stack


class Builder(VectorBuilder):
    """Operations on a stack, and what its POPs return (Andrychowicz & Kurach 2016, section 4.3)."""

    BUILDER_CONFIGS = configs(HAMStackConfig)
