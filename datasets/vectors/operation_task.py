"""Data structures: a sequence of PUSH and POP operations, with an output at each POP."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ..arguments import check_at_least, check_between, check_integers
from .sequences import (
    check_bits,
    check_width,
    draw_bits,
    draw_lengths,
    format_vectors,
    gather,
    make_batch,
    pad_vectors,
    parse_vectors,
    sequence_mask,
    to_bits,
    to_numbers,
    validate_inputs,
)

# A structure has a place for each priority.
LARGEST_PRIORITY_BITS = 10


@dataclasses.dataclass(frozen=True)
class OperationTask:
    """A data structure, step by step: the t-th output answers the t-th operation.

    The vector of "PUSH x" is 1 and the bits of x; with priorities, that of "PUSH p:x" is 1, the
    bits of p and those of x. The vector of "POP" is zeros. A POP of an empty structure returns
    zeros.

    Args:
        source: from pushes, pops, bool (batch, n), and priorities (batch, n), to the place of the
            operation that stored what each POP returns, -1 where there is none, int (batch, n);
            elsewhere it is ignored.
        priorities: elements have priorities.
        example: a text that `encode` reads.

    Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, section 4.3.
    """

    source: Callable
    priorities: bool = False
    example: str = "PUSH 5, PUSH 3, POP, POP"

    def sizes(self, bits: int = 5, **_: Any) -> dict[str, int]:
        """Width of the input, and number of simultaneous outputs, the bits of a value."""
        check_bits(bits=bits)
        if self.priorities:
            check_between(1, LARGEST_PRIORITY_BITS, bits=bits)
        return {"width": 1 + bits * (1 + self.priorities), "outputs": bits, "classes": 2}

    def output_length(self, length: int) -> int:
        """Number of outputs for n operations: n."""
        return length

    def sample(
        self,
        rng: np.random.Generator,
        batch_size: int,
        *,
        length: int = 32,
        min_length: int | None = None,
        same_length: bool = False,
        short_share: float = 0.0,
        late_pops: float = 1.0,
        drained_share: float = 0.0,
        bits: int = 5,
    ) -> dict[str, np.ndarray]:
        """Draws sequences of operations, the t-th of n a POP with probability t / n.

        Values are uniform bits. A priority is uniform among those that no stored element has, so
        high ones occur more often; **a PUSH when all are taken becomes a POP**.

        Args:
            rng: a `numpy.random.Generator`.
            batch_size: number of examples.
            length: largest n, the number of operations.
            min_length: smallest n; n is uniform between the two. Defaults to `length`, as in the
                paper.
            same_length: draw one n for all examples, and do not pad.
            short_share: share of the examples (with `same_length`: of the batches) whose n is
                drawn from 1 to `length`.
            late_pops: at least 1; the t-th of n operations is a POP with probability (t / n)^k,
                where k is uniform from 1 to `late_pops` for each sequence. Above 1, more elements
                are stored.
            drained_share: share of the sequences that end with as many POPs as there are elements
                then, so that each element is asked for.
            bits: width of a value, and of a priority.

        Returns:
            A dict of `inputs` float32 (batch, n, width), padded with -1 (`PADDING`) at the end,
            `targets` int32 (batch, n, bits), 0 except at POPs, `weights` float32 (batch, n), 1 at
            POPs and else 0, and `difficulty` int32 (batch, n), n inside the example and 0 at the
            padding.

        Raises:
            ValueError: a parameter is out of its range.
        """
        width = self.sizes(bits)["width"]
        min_length = length if min_length is None else min_length
        check_integers(1, length=length)
        lengths, positions = draw_lengths(
            rng, batch_size, length, min_length, same_length, short_share
        )
        check_at_least(1, late_pops=late_pops)
        draws = rng.random((batch_size, positions))
        if late_pops != 1:
            draws **= 1 / rng.uniform(1, late_pops, (batch_size, 1))
        pops = draws * lengths[:, None] < np.arange(1, positions + 1)
        check_between(0, 1, drained_share=drained_share)
        if drained_share:
            _drain(pops, lengths, rng.random(batch_size) < drained_share)
        inputs = draw_bits(rng, batch_size, positions, width)
        if self.priorities:
            inputs[..., 1 : 1 + bits] = to_bits(_draw_priorities(rng, pops, bits), bits)
        inputs[..., 0] = 1
        inputs[pops] = 0
        inputs = pad_vectors(inputs, lengths)
        weights = pops & sequence_mask(lengths, positions)
        return make_batch(inputs, lengths, self.answers(inputs), weights)

    def answers(self, inputs: np.ndarray) -> np.ndarray:
        """What each operation returns, int32 (batch, n, bits), 0 for a PUSH.

        Raises:
            ValueError: `inputs` (batch, n, width) are not operations, or two stored elements have
                the same priority.
        """
        inputs, lengths, bits = self._checked(inputs)
        pushes, real = inputs[..., 0] == 1, sequence_mask(lengths, inputs.shape[1])
        priorities = to_numbers(inputs[..., 1 : 1 + bits]) if self.priorities else None
        source = self.source(pushes, ~pushes & real, priorities)
        answered = ~pushes & real & (source >= 0)
        values = gather(inputs[..., -bits:], np.maximum(source, 0))
        return (values * answered[..., None]).astype(np.int32)

    def encode(self, text: str, *, bits: int = 5, **_: Any) -> np.ndarray:
        """An input from its text form, operations separated by commas.

        Args:
            text: for instance `"PUSH 5, PUSH 3, POP, POP"`, in the queue with priorities
                `"PUSH 9:5, …"`, the priority first. Lower case works as well. The most
                significant bit of a number comes first in the vector.
            bits: width of a value, and of a priority.

        Returns:
            Inputs float32 (1, n, width).

        Raises:
            ValueError: `text` is not of that form, or two stored elements have the same priority.
        """
        width = self.sizes(bits)["width"]
        words = [operation.split() for operation in str(text).upper().split(",")]
        inputs = np.zeros((1, len(words), width), np.float32)
        try:
            for vector, word in zip(inputs[0], words):
                if word != ["POP"]:
                    push, element = word
                    if push != "PUSH":
                        raise ValueError(f"no operation: {push!r}")
                    vector[0] = 1
                    vector[1:] = parse_vectors([element], *[bits] * (1 + self.priorities))[0]
        except ValueError as error:
            raise ValueError(
                f"an input is operations separated by commas, with numbers below {2**bits}, for "
                f"instance {self.example!r}. Received: {text!r}"
            ) from error
        self.answers(inputs)
        return inputs

    def layout(self, bits: int = 5, **_: Any) -> str:
        """What the vectors of inputs and outputs stand for, in words."""
        width = self.sizes(bits)["width"]
        push = f"1, the {bits} bits of the priority, and the" if self.priorities else "1 and the"
        return (
            f"The vector of a PUSH is {push} {bits} bits of the value, the most significant "
            f"first; that of a POP is {width} zeros. The output at a POP is the {bits} bits of "
            "the value that it returns, likewise; at a PUSH it is meaningless."
        )

    def describe(self, inputs: np.ndarray) -> list[str]:
        """The text form of each operation of one example, inputs (n, width), a list."""
        inputs, lengths, bits = self._checked(np.asarray(inputs)[None])
        example = inputs[0, : lengths[0]]
        elements = format_vectors(example[:, 1:], *[bits] * (1 + self.priorities))
        return [
            f"PUSH {element}" if push else "POP" for push, element in zip(example[:, 0], elements)
        ]

    def decode(self, outputs: np.ndarray) -> list[str]:
        """The number at each operation, from probabilities (n, bits), a list.

        The output at a PUSH is meaningless.
        """
        outputs = np.asarray(outputs)
        return format_vectors(outputs > 0.5, outputs.shape[-1])

    def _checked(self, inputs):
        """`inputs`, lengths, and the width of a value, of operations."""
        inputs, lengths = validate_inputs(inputs)
        width = inputs.shape[-1]
        parts = 1 + self.priorities
        check_width(
            inputs,
            width > 1 and (width - 1) % parts == 0,
            "1 element, and those of a priority and a value of the same width"
            if self.priorities
            else "1 element and those of a value",
        )
        if ((inputs[..., 0] == 0) & (inputs[..., 1:] != 0).any(-1)).any():
            raise ValueError(
                "a vector of `inputs` that begins with 0 is a POP, and must be zeros. "
                f"Received: {inputs!r}"
            )
        return inputs, lengths, (width - 1) // parts


def _drain(pops, lengths, drained):
    """Set `pops` (batch, n) at the end of drained sequences, so that no element is left."""
    stored = np.zeros(len(pops), int)
    for t in range(pops.shape[1]):
        pops[:, t] |= drained & (stored + 2 > lengths - t)
        stored = np.maximum(stored + np.where(pops[:, t], -1, 1), 0)


def _draw_priorities(rng, pops, bits):
    """Priorities of the pushes, int (batch, n); sets `pops` where no priority is free."""
    batch_size, positions = pops.shape
    columns, numbers = np.arange(batch_size), np.arange(1, 2**bits + 1, dtype=np.int16)[:, None]
    free = np.ones((2**bits, batch_size), np.int16)
    priorities = np.zeros((batch_size, positions), np.int64)
    uniform = rng.random((positions, batch_size))
    for t in range(positions):
        ranks = np.cumsum(free, axis=0, dtype=np.int16)
        count = ranks[-1]
        pop = pops[:, t]
        pop |= count == 0
        # The k-th of those that are free, for a uniform k.
        pushed = (ranks <= (uniform[t] * count).astype(np.int16)).sum(0, dtype=np.int16)
        # -1 in an empty queue: the last one, which is free already.
        highest = ((1 - free) * numbers).max(0) - 1
        free[np.where(pop, highest, pushed), columns] = pop
        priorities[:, t] = pushed
    return priorities
