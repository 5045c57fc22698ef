"""The queue task: a POP returns what was pushed first, of what is still there.

>>> inputs = encode("PUSH 5, PUSH 3, POP, POP, POP", bits=3)
>>> inputs[0].tolist()[1:3]
[[1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]]
>>> describe(inputs[0])
['PUSH 5', 'PUSH 3', 'POP', 'POP', 'POP']
>>> decode(answers(inputs)[0])
['0', '0', '5', '3', '0']
>>> batch = sample(np.random.default_rng(0), 2, length=8)
>>> batch["inputs"].shape, batch["targets"].shape
((2, 8, 6), (2, 8, 5))

Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, section 4.3 (Queue).
"""

import numpy as np

from ..vectors import PADDING
from ..vectors.operation_task import OperationTask

__all__ = [
    "EXAMPLE",
    "PADDING",
    "answers",
    "decode",
    "describe",
    "encode",
    "layout",
    "output_length",
    "sample",
    "sizes",
]


def _first(pushes, pops, _):
    balance = np.cumsum(pushes.astype(np.int64) - pops, axis=1)
    lowest = np.minimum.accumulate(np.minimum(balance, 0), axis=1)
    # A POP of an empty queue is a new lowest balance.
    empty = np.diff(lowest, axis=1, prepend=0) < 0
    # The k-th POP that finds something finds the k-th PUSH.
    rank = np.maximum(np.cumsum(pops & ~empty, axis=1) - 1, 0)
    places = np.argsort(~pushes, axis=1, kind="stable")
    return np.where(empty, -1, np.take_along_axis(places, rank, axis=1))


_TASK = OperationTask(source=_first)
sizes, output_length, sample, answers = (
    _TASK.sizes,
    _TASK.output_length,
    _TASK.sample,
    _TASK.answers,
)
encode, describe, decode = _TASK.encode, _TASK.describe, _TASK.decode
layout = _TASK.layout
EXAMPLE = _TASK.example
