"""Counting by sorting bits: bits become the same bits, the zeros first.

>>> answers(encode("10110010")).tolist()
[[1, 1, 1, 1, 2, 2, 2, 2]]
>>> sample(np.random.default_rng(0), 3, length=9)["inputs"].shape
(3, 9)

Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.2.
"""

import numpy as np

from ..symbols.bit_task import PADDING, BitTask

__all__ = ["PADDING", "answers", "decode", "describe", "encode", "layout", "sample", "sizes"]


def _ascending(symbols, counts):
    zeros = (symbols == 1).sum(axis=1, keepdims=True)
    return np.where(np.arange(symbols.shape[1]) < zeros, 1, 2)


_TASK = BitTask(result=_ascending)
sizes, sample, answers = _TASK.sizes, _TASK.sample, _TASK.answers
encode, describe, decode = _TASK.encode, _TASK.describe, _TASK.decode
layout = _TASK.layout
