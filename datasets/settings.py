"""Settings that have a type and a range, and those that the parameters of the tasks have."""

import abc
import dataclasses
import itertools
import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

# The longest inputs, in digits, positions or vectors; longer ones would take too long.
LONGEST = 100_000


@dataclasses.dataclass(frozen=True)
class Setting(abc.ABC):
    """What a setting may be; each kind of setting is a subclass.

    Args:
        help: what it is, in a line.
        none: whether None is allowed, which is written `null` on the command line.
    """

    help: str
    none: bool = dataclasses.field(default=False, kw_only=True)

    def check(self, name: str, value: Any) -> None:
        """Refuse a value that the setting cannot have.

        Args:
            name: what the setting is called.
            value: what was given.

        Raises:
            ValueError: the value is of another type, or out of its range.

        Example:

        >>> Integer("of a vector", 1, 8).check("units", 2.5)
        Traceback (most recent call last):
            ...
        ValueError: units must be a whole number from 1 to 8. Received: 2.5
        """
        if value is None and self.none:
            return
        if value is None or not self.allows(value):
            raise ValueError(f"{name} must be {self.allowed}. Received: {value!r}")

    @property
    def allowed(self) -> str:
        """What is allowed, in words."""
        return f"{self.words}, or null" if self.none else self.words

    @property
    @abc.abstractmethod
    def words(self) -> str:
        """What is allowed besides None, in words."""

    @abc.abstractmethod
    def allows(self, value: Any) -> bool:
        """Whether a value that is not None is allowed."""


@dataclasses.dataclass(frozen=True)
class Integer(Setting):
    """A whole number from `least` to `most`; 2.0 and True are not."""

    least: int
    most: int

    @property
    def words(self) -> str:
        return f"a whole number from {self.least:,} to {self.most:,}"

    def allows(self, value: Any) -> bool:
        number = isinstance(value, Integral) and not isinstance(value, bool)
        return number and self.least <= value <= self.most


@dataclasses.dataclass(frozen=True)
class Number(Setting):
    """A finite number from `least` to `most`; the ends that are `open` do not belong to it.

    Args:
        least, most: the ends.
        open: `"low"`, `"high"`, both as `"low high"`, or none.
    """

    least: float = -math.inf
    most: float = math.inf
    open: str = ""

    @property
    def words(self) -> str:
        low, high = math.isfinite(self.least), math.isfinite(self.most)
        above = f"above {self.least:g}" if "low" in self.open else f"at least {self.least:g}"
        below = f"below {self.most:g}" if "high" in self.open else f"at most {self.most:g}"
        ends = " and ".join([*([above] if low else []), *([below] if high else [])])
        return f"a number {ends}" if ends else "a finite number"

    def allows(self, value: Any) -> bool:
        if not isinstance(value, Real) or isinstance(value, bool):
            return False
        try:
            value = float(value)
        except OverflowError:  # of a whole number
            return False
        if not -1e300 < value < 1e300:
            return False
        low = value > self.least if "low" in self.open else value >= self.least
        high = value < self.most if "high" in self.open else value <= self.most
        return low and high


@dataclasses.dataclass(frozen=True)
class Flag(Setting):
    """True or False; 0, 1 and words are not."""

    words: ClassVar[str] = "true or false"

    def allows(self, value: Any) -> bool:
        return isinstance(value, bool)


@dataclasses.dataclass(frozen=True)
class Choice(Setting):
    """One of some words."""

    choices: tuple[str, ...]

    @property
    def words(self) -> str:
        return "one of " + ", ".join(self.choices)

    def allows(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.choices


@dataclasses.dataclass(frozen=True)
class Several(Setting):
    """A list of settings of one kind.

    Args:
        of: what each element may be.
        least, most: how many there are.
        rising: whether each is larger than the one before.
    """

    of: Setting
    least: int
    most: int
    rising: bool = False

    @property
    def words(self) -> str:
        count = f"{self.least}" if self.least == self.most else f"{self.least} to {self.most}"
        order = ", each larger than the one before" if self.rising else ""
        return f"a list of {count} values, each {self.of.words}{order}"

    def allows(self, value: Any) -> bool:
        if not isinstance(value, (list, tuple)) or not self.least <= len(value) <= self.most:
            return False
        return all(map(self.of.allows, value)) and not (
            self.rising and any(low >= high for low, high in itertools.pairwise(value))
        )


SHARE: dict[str, Any] = {"least": 0, "most": 1}
# By name, as a name means the same kind of thing in every task; how parameters go together, and
# what a task cannot do, its `sample` says.
PARAMETERS = {
    "aligned": Flag("digits of the two numbers take turns"),
    "base": Integer("of the digits", 2, 10),
    "bits": Integer("elements of a vector, digits of a number, or bits of a value", 1, LONGEST),
    "dense_share": Number("share of the examples with many of the largest digit", **SHARE),
    "digits": Integer("most digits of a number", 1, LONGEST),
    "distinct_keys": Integer("different keys of an example at most", 1, LONGEST, none=True),
    "drained_share": Number("share of the examples that end with an empty structure", **SHARE),
    "examples_per_length": Integer("different examples of each length", 1, 10**9, none=True),
    "first_target": Flag("the first number is asked for, too"),
    "gates": Integer("most gates in a vector", 1, LONGEST),
    "hard_share": Number("share of the examples that are hard", **SHARE),
    "key_bits": Integer("width of a key", 1, 32),
    "largest_digit": Integer("that is drawn", 1, 9, none=True),
    "late_pops": Number("how late the POPs come", 1, 1000),
    "length": Integer("largest length", 1, LONGEST),
    "long_run_share": Number("share of the examples whose result has a long run", **SHARE),
    "max_digits": Integer("digits that an input has room for", 1, LONGEST),
    "max_gates": Integer("gates that an input has room for", 1, LONGEST),
    "max_nonzeros": Integer("most elements that are not 0", 1, LONGEST, none=True),
    "max_numbers": Integer("numbers that sequences are padded to", 1, LONGEST),
    "max_vectors": Integer("vectors that sequences are padded to", 1, LONGEST),
    "min_bits": Integer("fewest digits of a number", 1, LONGEST),
    "min_digits": Integer("fewest digits of a number", 1, LONGEST),
    "min_gates": Integer("fewest gates in a vector", 1, LONGEST),
    "min_length": Integer("least length", 1, LONGEST, none=True),
    "min_nonzeros": Integer("fewest elements that are not 0", 1, LONGEST),
    "min_numbers": Integer("fewest numbers in a sequence", 1, LONGEST),
    "min_separation": Number("least distance of two numbers", **SHARE),
    "min_vectors": Integer("fewest vectors in a sequence", 1, LONGEST),
    "noise": Number("standard deviation of the noise in each pixel", 0, 10),
    "numbers": Integer("most numbers in a sequence", 1, LONGEST),
    "placement": Choice("where the elements that are not 0 stand", ("random", "prefix")),
    "positions": Integer("elements among which those that are not 0 lie", 1, LONGEST, none=True),
    "probe": Choice(
        "what random numbers miss", ("carries", "ones", "zeros", "powers", "unequal"), none=True
    ),
    "result_runs_share": Number("share of the examples whose result has runs", **SHARE),
    "runs_share": Number("share of the examples with runs of equal digits", **SHARE),
    "same_length": Flag("all examples of a batch have one length"),
    "short_share": Number("share of the examples that may be as short as can be", **SHARE),
    "side": Integer("height and width of an image in pixels", 8, 4096),
    "size": Integer("bytes of the text that are used", 100, 100_000_000),
    "split": Choice("part of the text", ("train", "validation", "test")),
    "unequal_share": Number("share of the examples whose numbers differ in length", **SHARE),
    "value_bits": Integer("width of a value", 0, 32),
    "vectors": Integer("most vectors in a sequence", 1, LONGEST),
    "views": Integer("examples in a row with the same points", 1, 1000),
    "vocabulary": Integer("words or subwords that are known", 10, 33_278),
}


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse parameters of a task that no task could have.

    Args:
        parameters: a mapping from names, which may be unknown, to values.

    Raises:
        ValueError: a value is of another type, or out of its range; or this is not a mapping.

    Example:

    >>> check_parameters({"same_length": "maybe"})
    Traceback (most recent call last):
        ...
    ValueError: same_length must be true or false. Received: 'maybe'
    """
    if not isinstance(parameters, Mapping):
        raise ValueError(f"parameters must map names to values. Received: {parameters!r}")
    for name, value in parameters.items():
        if name in PARAMETERS:
            PARAMETERS[name].check(name, value)
