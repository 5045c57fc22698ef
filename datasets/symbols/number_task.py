"""Binary operations on two numbers of d digits, given one after the other."""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from ..arguments import check_between, check_integers
from . import probes
from .digits import from_integer, to_integer
from .sequences import (
    BLANK,
    PADDING,
    check_draws,
    draw_digits,
    draw_lengths,
    format_symbols,
    longest_runs,
    make_batch,
    repeat_in_runs,
    validate_inputs,
)

LARGEST_BASE = 10
# The number of pairs of which one with a long run in its result is drawn.
CANDIDATES = 8


@dataclasses.dataclass(frozen=True)
class NumberTask:
    """A binary operation on numbers of any length.

    Symbols are 0 for a blank, 1 to `base` for the digits 0 to `base` - 1, and `base` + 1 for the
    operator. An example has n = 2 d + 1 positions: the d digits of the first number, the least
    significant first, the operator, and the d digits of the second. The result is in its first
    positions, the least significant digit first, with as many zeros as make up its full number of
    digits, and blanks after it.

    Args:
        result: from two arrays of digits (batch, d) and the base to the digits of the results.
        result_digits: from d to the number of digits of a result.
        second: from a result and a first number, as integers, the base and d to the second number,
            of at most d digits.
        operators: the accepted signs of the operator; `describe` writes the first.
        example: a text that `encode` reads.

    Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.1.
    """

    result: Callable
    result_digits: Callable
    second: Callable
    operators: str
    example: str

    def sizes(self, base: int = 2, **_: Any) -> dict[str, int]:
        """Number of symbols in the input, and number of classes of the output: blank and digits."""
        check_base(base)
        return {"symbols": base + 2, "classes": base + 1}

    def sample(
        self,
        rng: np.random.Generator,
        batch_size: int,
        *,
        bits: int = 20,
        min_bits: int = 1,
        base: int = 2,
        largest_digit: int | None = None,
        aligned: bool = False,
        same_length: bool = False,
        short_share: float = 0.0,
        dense_share: float = 0.0,
        runs_share: float = 0.0,
        result_runs_share: float = 0.0,
        long_run_share: float = 0.0,
        unequal_share: float = 0.0,
        examples_per_length: int | None = None,
        probe: str | None = None,
    ) -> dict[str, np.ndarray]:
        """Draws pairs of numbers, each digit uniform, and the results.

        Args:
            rng: a `numpy.random.Generator`.
            batch_size: number of examples.
            bits: largest d, the number of digits of a number.
            min_bits: smallest d; d is uniform between the two.
            base: of the digits, 2 to 10.
            largest_digit: the digits are uniform from 0 to this, for a curriculum over easier
                numbers of the same base; None for all digits of the base.
            aligned: the digits of the two numbers alternate and the operator is at the end,
                so that digits of the same significance are neighbours.
            same_length: draw one d for all examples, and do not pad.
            short_share: share of the examples (with `same_length`: of the batches) whose d is
                drawn from 1 to `bits`.
            dense_share: share of the examples in which the largest digit is frequent: each digit is
                replaced by it with a probability that is drawn for the example, uniform between 0
                and 1. A product of such numbers has large sums in its middle.
            runs_share: share of the examples whose digits come in runs of equal ones, so that they
                carry farther than uniform digits do. Their mean length differs between numbers.
            result_runs_share: share of the examples whose result has digits in such runs, a product
                those of its upper half: the second number follows from the result and the first.
            long_run_share: share of the examples that are, of `CANDIDATES` pairs of uniform digits,
                the pair whose result has the longest run of equal ones.
            unequal_share: share of the examples whose numbers have lengths of their own, each from
                0 to d, with zeros before them.
            examples_per_length: the number of different examples for each d, the same for every
                `rng`; None for no limit.
            probe: None, or a kind of numbers that random ones rarely include:
                `"carries"`, `"ones"`, `"zeros"`, `"powers"`, `"unequal"`.

        Returns:
            A dict of `inputs` int32 (batch, n), padded with -1 (`PADDING`) at the end, `targets`
            int32 (batch, n), 0 there, `weights` float32 (batch, n), 1 inside the example and 0
            after it, and `difficulty` int32 (batch, n), d inside the example and 0 at the padding.

        Raises:
            ValueError: a parameter is out of its range.
        """
        changes = {
            "dense_share": dense_share,
            "runs_share": runs_share,
            "result_runs_share": result_runs_share,
            "long_run_share": long_run_share,
            "unequal_share": unequal_share,
        }
        check_draws(short_share, examples_per_length, changes, min_bits=min_bits, bits=bits)
        check_base(base)
        change = probes.get_probe(probe, self.operators[0])
        alone = {"examples_per_length": examples_per_length, "largest_digit": largest_digit}
        _check_alone("probe", probe, {**changes, **alone})
        if largest_digit is not None:
            check_integers(1, largest_digit=largest_digit)
            check_between(1, base - 1, largest_digit=largest_digit)
            # These draw all digits.
            others = {name: changes[name] for name in ("result_runs_share", "long_run_share")}
            _check_alone("largest_digit", largest_digit, others)
        digits_below = base if largest_digit is None else largest_digit + 1
        lengths = draw_lengths(rng, batch_size, 1, min_bits, bits, short_share, same_length)
        max_length = int(lengths[0]) if same_length else bits
        both = draw_digits(rng, 2 * lengths, digits_below, examples_per_length)
        both = np.pad(both, ((0, 0), (0, 2 * max_length - both.shape[1])))
        position = np.arange(max_length)
        inside = position < lengths[:, None]
        first = both[:, :max_length] * inside
        offsets = np.minimum(position + lengths[:, None], 2 * max_length - 1)
        second = np.take_along_axis(both, offsets, axis=1) * inside
        if dense_share:
            often = (rng.random((batch_size, 1)) < dense_share) * rng.random((batch_size, 1))
            first, second = (
                np.where(inside & (rng.random(digits.shape) < often), digits_below - 1, digits)
                for digits in (first, second)
            )
        if unequal_share:
            rows = rng.random((batch_size, 1)) < unequal_share
            first, second = (
                digits * ~(rows & (position >= rng.integers(0, lengths + 1)[:, None]))
                for digits in (first, second)
            )
        if runs_share:
            rows = rng.random((batch_size, 1)) < runs_share
            changed = rows & inside
            first, second = (repeat_in_runs(rng, digits, changed) for digits in (first, second))
        if result_runs_share:
            rows = rng.random((batch_size, 1)) < result_runs_share
            first, second = self._draw_results_in_runs(rng, first, second, lengths, base, rows)
        if long_run_share:
            rows = np.flatnonzero(rng.random(batch_size) < long_run_share)
            first, second = first.copy(), second.copy()
            first[rows], second[rows] = self._draw_long_runs(rng, lengths[rows], max_length, base)
        if change is not None:
            first, second = change(rng, first, second, lengths, base)
        inputs = _join_numbers(first, second, lengths, base, aligned)
        return make_batch(inputs, self.answers(inputs), lengths)

    def answers(self, inputs: np.ndarray) -> np.ndarray:
        """The results for `inputs` (batch, n), int32 (batch, n), 0 at the padding.

        The operator is the largest symbol and so gives the base; its position shows whether the
        numbers are aligned.

        Raises:
            ValueError: `inputs` are not two numbers of the same length with an operator.
        """
        first, second, lengths, base = self._split_numbers(inputs)
        position = np.arange(np.shape(inputs)[1])
        result = self.result(first, second, base)
        result = result[:, : len(position)] + 1
        targets = np.full((len(result), len(position)), BLANK, np.int32)
        targets[:, : result.shape[1]] = result
        targets[position >= self.result_digits(lengths)[:, None]] = BLANK
        return targets

    def encode(self, text: str, *, base: int = 2, aligned: bool = False, **_: Any) -> np.ndarray:
        """An input from its text form, most significant digit first.

        The shorter number gets leading zeros. If a digit is too large for `base`, both numbers are
        read as decimal.

        Args:
            text: two numbers with the operator between them.
            base: of the digits.
            aligned: as in `sample`.

        Returns:
            Inputs int32 (1, n).

        Raises:
            ValueError: `text` is not of that form.
        """
        check_base(base)
        plain = str(text)
        for spelling in self.operators[1:]:
            plain = plain.replace(spelling, self.operators[0])
        numbers = [part.strip() for part in plain.split(self.operators[0])]
        if len(numbers) != 2 or not all(x.isascii() and x.isdigit() for x in numbers):
            raise ValueError(
                f"an input is two numbers with {self.operators[0]!r} between them, digits below "
                f"{base} or else decimal, for instance {self.example!r}. Received: {text!r}"
            )
        values = [[int(digit) for digit in reversed(number)] for number in numbers]
        if max(map(max, values)) >= base:
            values = [from_integer(to_integer(value, 10), base) for value in values]
        length = max(map(len, values))
        first, second = np.zeros((2, 1, length), np.int8)
        for row, value in zip((first, second), values):
            row[0, : len(value)] = value
        return _join_numbers(first, second, np.array([length]), base, aligned)

    def layout(self, *, base: int = 2, aligned: bool = False, **_: Any) -> str:
        """What the symbols of inputs and the classes of answers stand for, in words.

        Args:
            base: of the digits.
            aligned: as in `sample`.
        """
        sign = self.operators[0]
        zero, operator = np.unique(self.encode(f"0{sign}0", base=base, aligned=aligned))
        digits = f"{zero} is the digit 0, {zero + 1} the digit 1"
        if base > 2:
            digits += f", and so on up to {zero + base - 1}"
        order = "a number, the operator, and the other number"
        if aligned:
            order = "the digits of both numbers by turns, and the operator"
        return (
            f"In inputs and answers, {digits}, and {BLANK} a blank, which is in answers only; "
            f"{operator} is the operator {sign}, in inputs only. An example is {order}; both have "
            "equally many digits, the shorter one with leading zeros, and the least significant "
            "comes first. An answer is the most probable class at each position: the digits of the "
            "result, the least significant first, and blanks after them."
        )

    def describe(self, inputs: np.ndarray) -> str:
        """The text form of one example, inputs (n,), most significant digit first."""
        first, second, lengths, _ = self._split_numbers(np.asarray(inputs)[None])
        texts = ["".join(map(str, x[0, : lengths[0]][::-1])) for x in (first, second)]
        return self.operators[0].join(texts)

    def decode(self, outputs: np.ndarray) -> str:
        """The result as text, from probabilities (n, classes).

        The most significant digit comes first. Blanks at the end of the output are left out;
        another is written `_`: such an output is not a number.
        """
        return format_symbols(np.asarray(outputs).argmax(-1))[::-1]

    def _draw_results_in_runs(self, rng, first, second, lengths, base, rows):
        """The pairs of numbers, in `rows` (batch, 1) with results whose digits come in runs."""
        widths = self.result_digits(lengths)
        results = draw_digits(rng, widths, base)
        inside = np.arange(results.shape[1]) < widths[:, None]
        results = repeat_in_runs(rng, results, rows & inside)
        first, second = first.copy(), second.copy()
        # Nothing but 0 is a product of 0.
        first[rows[:, 0] & ~first.any(axis=1), 0] = 1
        for row in np.flatnonzero(rows):
            length = int(lengths[row])
            result = to_integer(results[row, : widths[row]].tolist(), base)
            given = to_integer(first[row, :length].tolist(), base)
            solution = from_integer(self.second(result, given, base, length), base)
            second[row] = 0
            second[row, : len(solution)] = solution
        return first, second

    def _draw_long_runs(self, rng, lengths, width, base):
        """Two numbers (batch, width) for each length, with a long run in their result."""
        shape = len(lengths), CANDIDATES
        inside = np.arange(width) < lengths[:, None, None]
        both = rng.integers(0, base, (2, *shape, width), np.int8) * inside
        results = self.result(*both.reshape(2, -1, width), base)
        ends = np.repeat(self.result_digits(lengths), CANDIDATES)
        best = longest_runs(results, ends).reshape(shape).argmax(axis=1)
        return both[:, np.arange(len(lengths)), best]

    def _split_numbers(self, inputs):
        """Both numbers (batch, d) with zeros after their digits, lengths (batch,), and base."""
        inputs, positions = validate_inputs(inputs)
        operator = int(inputs.max())
        base, lengths = operator - 1, (positions - 1) // 2
        where = (inputs == operator).argmax(1)
        valid = positions == 2 * lengths + 1
        valid &= (lengths >= 1) & ((inputs == operator).sum(1) == 1)
        valid &= (where == lengths) | (where == 2 * lengths)
        valid &= ((inputs == PADDING) | (inputs > BLANK)).all(1)
        if not 2 <= base <= LARGEST_BASE or not valid.all():
            wrong = inputs[np.argmin(valid)]
            raise ValueError(
                "an input must be two numbers of the same length with the operator, the largest "
                f"symbol, between them or (aligned) at the end. Received: {wrong!r}"
            )
        length, position = lengths[:, None], np.arange(lengths.max())
        aligned = where[:, None] == 2 * length
        offsets = np.minimum(position + length + 1, 2 * length)
        sources = (
            np.where(aligned, 2 * position, position),
            np.where(aligned, 2 * position + 1, offsets),
        )
        first, second = (
            np.where(position < length, np.take_along_axis(inputs, source, axis=1) - 1, 0)
            for source in sources
        )
        return first, second, lengths, base


def check_base(base: int) -> None:
    """Checks that `base` is between 2 and 10, so that a digit is one character.

    Raises:
        ValueError: it is not.
    """
    check_integers(2, base=base)
    check_between(2, LARGEST_BASE, base=base)


def _check_alone(name, value, others):
    """Checks that none of `others` is given with `value`, unless that is None."""
    given = ", ".join(f"{other}={x!r}" for other, x in others.items() if x)
    if value is not None and given:
        raise ValueError(
            f"`{name}` excludes {', '.join(map('`{}`'.format, others))}. "
            f"Received: {name}={value!r}, {given}"
        )


def _join_numbers(first, second, lengths, base, aligned):
    """The symbols of two numbers (batch, d) and the operator, padded, int32 (batch, 2 d + 1)."""
    max_length = first.shape[1]
    operator = np.full((len(first), 1), base + 1, np.int32)
    symbols = np.concatenate([first + np.int32(1), second + np.int32(1), operator], axis=1)
    position, lengths = np.arange(2 * max_length + 1), lengths[:, None]
    if aligned:
        source = position % 2 * max_length + position // 2
        source = np.where(position < 2 * lengths, source, 2 * max_length)
    else:
        source = np.where(position < lengths, position, position - lengths - 1 + max_length)
        source = np.where(position == lengths, 2 * max_length, np.minimum(source, 2 * max_length))
    joined = np.take_along_axis(symbols, source, axis=1)
    return np.where(position <= 2 * lengths, joined, PADDING).astype(np.int32)
