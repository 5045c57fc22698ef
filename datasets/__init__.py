"""The tasks of the papers: generators, TFDS builders, and endless streams of fresh batches."""

from .stream import batch, iterate, names, stream, task

__all__ = ["batch", "iterate", "names", "stream", "task"]
