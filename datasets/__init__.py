"""The tasks of the papers: generators, TFDS builders, and endless streams of fresh batches.

Importing this package registers the data sets with TensorFlow Datasets, without importing it.
"""

from .catalogue import names, task, with_builders
from .registration import register
from .stream import batch, example_size, iterate, stream

__all__ = ["batch", "iterate", "names", "stream", "task"]

register(with_builders())
