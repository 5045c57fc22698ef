"""The duplicate task: bits, followed by blanks, become the bits twice.

>>> inputs = encode("0011")
>>> inputs.tolist()
[[1, 1, 2, 2, 0, 0, 0, 0]]
>>> answers(inputs).tolist()
[[1, 1, 2, 2, 1, 1, 2, 2]]
>>> sample(np.random.default_rng(0), 3, length=9)["inputs"].shape
(3, 9)

Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.2.
"""

import numpy as np

from ..symbols.bit_task import PADDING, BitTask

__all__ = ["PADDING", "answers", "decode", "describe", "encode", "layout", "sample", "sizes"]


def _twice(symbols, counts):
    return np.take_along_axis(symbols, np.arange(symbols.shape[1]) % counts, axis=1)


_TASK = BitTask(result=_twice, copies=2)
sizes, sample, answers = _TASK.sizes, _TASK.sample, _TASK.answers
encode, describe, decode = _TASK.encode, _TASK.describe, _TASK.decode
layout = _TASK.layout
