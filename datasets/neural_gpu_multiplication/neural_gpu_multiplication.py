"""The multiplication task: two numbers of d digits, one after the other, become their product.

>>> inputs = encode("0110*1010")
>>> inputs.tolist()
[[1, 2, 2, 1, 3, 1, 2, 1, 2]]
>>> answers(inputs).tolist()
[[1, 1, 2, 2, 2, 2, 1, 1, 0]]
>>> batch = sample(np.random.default_rng(0), 3, bits=4)
>>> batch["inputs"].shape
(3, 9)

Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.1 (bmul).
"""

from ..symbols.digits import factor, multiply
from ..symbols.number_task import PADDING, NumberTask

__all__ = ["PADDING", "answers", "decode", "describe", "encode", "layout", "sample", "sizes"]

_TASK = NumberTask(
    result=multiply,
    result_digits=lambda digits: 2 * digits,
    second=factor,
    operators="*·×x",
    example="110101*011011",
)
sizes, sample, answers = _TASK.sizes, _TASK.sample, _TASK.answers
encode, describe, decode = _TASK.encode, _TASK.describe, _TASK.decode
layout = _TASK.layout
