"""The priority queue task: a POP returns the value with the highest priority.

>>> inputs = encode("PUSH 2:5, PUSH 6:3, POP, POP, POP", bits=3)
>>> inputs[0].tolist()[1:3]
[[1.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
>>> describe(inputs[0])
['PUSH 2:5', 'PUSH 6:3', 'POP', 'POP', 'POP']
>>> decode(answers(inputs)[0])
['0', '0', '3', '5', '0']
>>> batch = sample(np.random.default_rng(0), 2, length=8)
>>> batch["inputs"].shape, batch["targets"].shape
((2, 8, 11), (2, 8, 5))

Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, section 4.3 (PriorityQueue).
"""

import numpy as np

from ..arguments import check_between
from ..vectors import PADDING
from ..vectors.operation_task import LARGEST_PRIORITY_BITS, OperationTask

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


def _highest(pushes, pops, priorities):
    batch_size, positions = pushes.shape
    columns = np.arange(batch_size)
    bits = int(np.max(priorities, where=pushes, initial=1)).bit_length()
    check_between(1, LARGEST_PRIORITY_BITS, bits=bits)
    # Row p + 1 has the place of the element of priority p, -1 for none. Row 0 is of no priority.
    numbers = np.arange(2**bits + 1, dtype=np.int16)[:, None]
    stored = np.full((2**bits + 1, batch_size), -1, np.int32)
    source = np.empty((batch_size, positions), np.int64)
    for t in range(positions):
        push, pop = pushes[:, t], pops[:, t]
        highest = ((stored >= 0) * numbers).max(0)
        source[:, t] = stored[highest, columns]
        row = np.where(push, priorities[:, t] + 1, 0)
        taken = stored[row, columns] >= 0
        if taken.any():
            raise ValueError(
                "stored elements of `inputs` must have different priorities. "
                f"Received: priority {row[taken][0] - 1} at step {t} while it is taken"
            )
        stored[np.where(pop, highest, row), columns] = np.where(push, t, -1)
    return source


_TASK = OperationTask(source=_highest, priorities=True, example="PUSH 9:5, PUSH 12:3, POP, POP")
sizes, output_length, sample, answers = (
    _TASK.sizes,
    _TASK.output_length,
    _TASK.sample,
    _TASK.answers,
)
encode, describe, decode = _TASK.encode, _TASK.describe, _TASK.decode
layout = _TASK.layout
EXAMPLE = _TASK.example
