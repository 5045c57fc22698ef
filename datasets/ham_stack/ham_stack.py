"""The stack task: a POP returns what was pushed last.

>>> inputs = encode("PUSH 5, PUSH 3, POP, POP, POP", bits=3)
>>> inputs[0].tolist()[1:3]
[[1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0]]
>>> describe(inputs[0])
['PUSH 5', 'PUSH 3', 'POP', 'POP', 'POP']
>>> decode(answers(inputs)[0])
['0', '0', '3', '5', '0']
>>> batch = sample(np.random.default_rng(0), 2, length=8)
>>> batch["inputs"].shape, batch["targets"].shape
((2, 8, 6), (2, 8, 5))

Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, section 4.3 (Stack).
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


def _last(pushes, pops, _):
    batch_size, positions = pushes.shape
    rows = np.arange(batch_size)
    # Below the lowest element lies the place of none.
    stack = np.full((batch_size, positions + 1), -1)
    height = np.zeros(batch_size, np.int64)
    source = np.empty((batch_size, positions), np.int64)
    for t in range(positions):
        source[:, t] = stack[rows, height]
        height = np.maximum(height + pushes[:, t] - pops[:, t], 0)
        stack[rows, height] = np.where(pushes[:, t], t, stack[rows, height])
    return source


_TASK = OperationTask(source=_last)
sizes, output_length, sample, answers = (
    _TASK.sizes,
    _TASK.output_length,
    _TASK.sample,
    _TASK.answers,
)
encode, describe, decode = _TASK.encode, _TASK.describe, _TASK.decode
layout = _TASK.layout
EXAMPLE = _TASK.example
