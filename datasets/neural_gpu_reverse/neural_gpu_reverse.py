"""The reverse task: bits become the same bits, the last one first.

>>> answers(encode("0011")).tolist()
[[2, 2, 1, 1]]
>>> sample(np.random.default_rng(0), 3, length=9)["inputs"].shape
(3, 9)

Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.2.
"""

import numpy as np

from ..symbols.bit_task import PADDING, BitTask

__all__ = ["PADDING", "answers", "decode", "describe", "encode", "layout", "sample", "sizes"]


def _reversed(symbols, counts):
    source = np.maximum(counts - 1 - np.arange(symbols.shape[1]), 0)
    return np.take_along_axis(symbols, source, axis=1)


_TASK = BitTask(result=_reversed)
sizes, sample, answers = _TASK.sizes, _TASK.sample, _TASK.answers
encode, describe, decode = _TASK.encode, _TASK.describe, _TASK.decode
layout = _TASK.layout
