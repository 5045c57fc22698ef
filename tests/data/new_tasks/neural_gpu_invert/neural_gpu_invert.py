"""The invert task: each bit becomes the other."""

from ..symbols import PADDING, BitTask

__all__ = ["PADDING", "answers", "decode", "describe", "encode", "sample", "sizes"]

_TASK = BitTask(result=lambda symbols, counts: 3 - symbols)
sizes, sample, answers = _TASK.sizes, _TASK.sample, _TASK.answers
encode, describe, decode = _TASK.encode, _TASK.describe, _TASK.decode
