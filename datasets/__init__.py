"""The tasks of the papers: generators, TFDS builders, and endless streams of fresh batches.

Importing this package registers the data sets with TensorFlow Datasets, without importing it.
"""

from .registration import register
from .stream import TEXTS, batch, iterate, names, stream, task

__all__ = ["batch", "iterate", "names", "stream", "task"]

register((*names(), *TEXTS))
