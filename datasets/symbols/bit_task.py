"""Functions from a sequence of bits to the same bits in another order."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ..arguments import check_integers
from .sequences import (
    BLANK,
    PADDING,
    check_draws,
    draw_digits,
    draw_lengths,
    format_symbols,
    make_batch,
    repeat_in_runs,
    validate_inputs,
)


@dataclasses.dataclass(frozen=True)
class BitTask:
    """A function of sequences of bits of any length.

    Symbols are 0 for a blank, 1 and 2 for the bits 0 and 1. Bits are in the order in which they
    are read. Where the result has several copies of each bit, an example of n positions has
    n // `copies` bits and blanks after it.

    Args:
        result: from symbols (batch, n) and the number of bits in each row (batch, 1) to the
            symbols of the results (batch, n); anything after a result is ignored.
        copies: how often each bit occurs in the result.

    Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.2.
    """

    result: Callable
    copies: int = 1

    def sizes(self, **_: Any) -> dict[str, int]:
        """Number of symbols in the input, and number of classes of the output: blank and bits."""
        return {"symbols": 3, "classes": 3}

    def sample(
        self,
        rng: np.random.Generator,
        batch_size: int,
        *,
        length: int = 41,
        min_length: int | None = None,
        same_length: bool = False,
        short_share: float = 0.0,
        runs_share: float = 0.0,
        examples_per_length: int | None = None,
    ) -> dict[str, np.ndarray]:
        """Draws sequences of uniform bits, and the results.

        Args:
            rng: a `numpy.random.Generator`.
            batch_size: number of examples.
            length: largest n, the number of positions.
            min_length: smallest n; n is uniform between the two. By default the smallest possible
                one, 1 (duplicate: 2).
            same_length: draw one n for all examples, and do not pad.
            short_share: share of the examples (with `same_length`: of the batches) whose n is
                drawn from the smallest possible one to `length`.
            runs_share: share of the examples whose bits come in runs of equal ones, some of which
                are longer than runs of uniform bits. Their mean length differs between examples.
            examples_per_length: the number of different examples for each number of bits, the same
                for every `rng`; None for no limit.

        Returns:
            A dict of `inputs` int32 (batch, n), padded with -1 (`PADDING`) at the end, `targets`
            int32 (batch, n), 0 there, `weights` float32 (batch, n), 1 inside the example and 0
            after it, and `difficulty` int32 (batch, n), n inside the example and 0 at the padding.

        Raises:
            ValueError: a parameter is out of its range.
        """
        min_length = self.copies if min_length is None else min_length
        check_integers(self.copies, min_length=min_length)
        runs = {"runs_share": runs_share}
        check_draws(short_share, examples_per_length, runs, min_length=min_length, length=length)
        lengths = draw_lengths(
            rng, batch_size, self.copies, min_length, length, short_share, same_length
        )
        max_length = int(lengths[0]) if same_length else length
        counts = lengths // self.copies
        bits = draw_digits(rng, counts, 2, examples_per_length)
        inside = np.arange(bits.shape[1]) < counts[:, None]
        if runs_share:
            bits = repeat_in_runs(rng, bits, inside & (rng.random((batch_size, 1)) < runs_share))
        position = np.arange(max_length)
        inputs = np.where(position < lengths[:, None], BLANK, PADDING).astype(np.int32)
        inputs[position < counts[:, None]] = bits[inside] + 1
        return make_batch(inputs, self.answers(inputs), lengths)

    def answers(self, inputs: np.ndarray) -> np.ndarray:
        """The results for `inputs` (batch, n), int32 (batch, n), 0 at the padding.

        Raises:
            ValueError: `inputs` are not bits, followed by as many blanks as the result needs.
        """
        inputs, counts = self._split_bits(inputs)
        after_result = np.arange(inputs.shape[1]) >= self.copies * counts
        return np.where(after_result, BLANK, self.result(inputs, counts)).astype(np.int32)

    def encode(self, text: str, **_: Any) -> np.ndarray:
        """An input from its text form, bits in the order in which they are read.

        Args:
            text: for instance `"0011"`. Spaces are ignored.

        Returns:
            Inputs int32 (1, n).

        Raises:
            ValueError: `text` is not of that form.
        """
        plain = "".join(str(text).split())
        if not plain or set(plain) - {"0", "1"}:
            raise ValueError(f"an input is bits, for instance '0011'. Received: {text!r}")
        inputs = np.full((1, self.copies * len(plain)), BLANK, np.int32)
        inputs[0, : len(plain)] = [int(bit) + 1 for bit in plain]
        return inputs

    def layout(self, **_: Any) -> str:
        """What the symbols of inputs and the classes of answers stand for, in words."""
        zero, one = self.encode("01")[0, :2]
        example = "the bits in the order in which they are read"
        if self.copies > 1:
            example += f", and blanks up to {self.copies} positions for each"
        return (
            f"In inputs and answers, {zero} is the bit 0, {one} the bit 1, and {BLANK} a blank. An "
            f"example is {example}. An answer is the most probable class at each position: the "
            "bits of the result, and blanks after them."
        )

    def describe(self, inputs: np.ndarray) -> str:
        """The text form of one example, inputs (n,): its bits, without the blanks."""
        inputs, counts = self._split_bits(np.asarray(inputs)[None])
        return format_symbols(inputs[0, : counts[0, 0]])

    def decode(self, outputs: np.ndarray) -> str:
        """The result as text, from probabilities (n, classes).

        Blanks at the end of the output are left out; another is written `_`.
        """
        return format_symbols(np.asarray(outputs).argmax(-1))

    def _split_bits(self, inputs):
        """The symbols (batch, n), and the number of bits in each row (batch, 1)."""
        inputs, lengths = validate_inputs(inputs)
        counts = lengths[:, None] // self.copies
        position = np.arange(inputs.shape[1])
        bits = (inputs == 1) | (inputs == 2)
        real = position < lengths[:, None]
        valid = np.where(real, bits == (position < counts), inputs == PADDING)
        valid &= bits | (inputs == BLANK) | (inputs == PADDING)
        valid = valid.all(1) & (counts[:, 0] > 0)
        if not valid.all():
            wrong = inputs[np.argmin(valid)]
            rule = "bits, the symbols 1 and 2"
            if self.copies > 1:
                rule += f", in the first n // {self.copies} positions, followed by blanks, 0"
            raise ValueError(f"an input must be {rule}. Received: {wrong!r}")
        return inputs, counts
