"""The copy task: bits become the same bits.

>>> answers(encode("0011")).tolist()
[[1, 1, 2, 2]]
>>> sample(np.random.default_rng(0), 3, length=9)["inputs"].shape
(3, 9)

Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.2.
"""

from ..symbols.bit_task import PADDING, BitTask

__all__ = ["PADDING", "answers", "decode", "describe", "encode", "layout", "sample", "sizes"]

_TASK = BitTask(result=lambda symbols, counts: symbols)
sizes, sample, answers = _TASK.sizes, _TASK.sample, _TASK.answers
encode, describe, decode = _TASK.encode, _TASK.describe, _TASK.decode
layout = _TASK.layout
