"""Confidence intervals of error rates and means, and tests whether two measurements agree.

Error rates have Wilson's interval and are compared by Fisher's exact test of the counts; means have
Student's interval and are compared by Student's t-test. `plateaus` counts how often a series got
stuck.
"""

import dataclasses
import math
import numbers
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import arguments
from .types import Tensor

CONFIDENCE = 0.95


@dataclasses.dataclass(frozen=True)
class Ratio:
    """A mean over all parts of all examples, such as wrong symbols, or steps per input.

    Args:
        totals: `(examples,)`, the total of each example, such as its number of wrong symbols.
        parts: `(examples,)`, the number of parts of each example.
        largest: the largest ratio that an example can have; by default that of an example with
            one step more than the example with the largest ratio.

    Example:

    >>> Ratio(np.array([0, 1, 2]), np.array([10, 10, 20])).value
    0.075
    """

    totals: Tensor
    parts: Tensor
    largest: float | None = None

    def __post_init__(self) -> None:
        """Makes arrays of lists."""
        for name in ("totals", "parts"):
            object.__setattr__(self, name, np.asarray(getattr(self, name)))

    @property
    def value(self) -> float:
        """The mean."""
        return float(self.totals.sum() / self.parts.sum())

    @property
    def spread(self) -> float:
        """The standard deviation of the contribution of an example to the mean.

        One example with the largest ratio is added, so that the spread is not zero if all examples
        are alike.
        """
        largest = self.largest
        if largest is None:
            largest = ((self.totals + 1) / np.maximum(self.parts, 1)).max()
        mean = self.parts.mean()
        added = np.append(self.totals - self.value * self.parts, (largest - self.value) * mean)
        return float(added.std(ddof=1) / mean)


def error_interval(errors: int, examples: int) -> list[float]:
    """The 95 % confidence interval of an error rate.

    Args:
        errors: the number of wrong examples.
        examples: the number of examples.

    Returns:
        A list of the lower and the upper bound, rounded to six decimals.

    Example:

    >>> error_interval(10, 1000)
    [0.005441, 0.018309]

    Source: Wilson (1927).
    """
    examples = arguments.integer("examples", examples, least=1)
    errors = arguments.integer("errors", errors, least=0, most=examples)
    test = _stats().binomtest(int(errors), int(examples))
    # Rounding errors may exceed the range [0, 1].
    bounds = [min(max(bound, 0.0), 1.0) for bound in test.proportion_ci(CONFIDENCE, "wilson")]
    return [round(float(bound), 6) for bound in bounds]


def mean_interval(value: float, spread: float, examples: int, digits: int = 4) -> list[float]:
    """The 95 % confidence interval of a mean, after Student.

    Args:
        value: the mean.
        spread: the standard deviation of the examples.
        examples: the number of examples.
        digits: decimals of the bounds. Defaults to `4`.

    Returns:
        A list of the lower and the upper bound.

    Example:

    >>> mean_interval(2.0, 1.0, 100)
    [1.8016, 2.1984]
    """
    value = arguments.number("value", value)
    spread = arguments.number("spread", spread, least=0)
    digits = arguments.integer("digits", digits, least=0)
    if arguments.integer("examples", examples, least=1) < 2:
        return [-np.inf, np.inf]
    error = spread / np.sqrt(examples)
    half = float(_stats().t.ppf((1 + CONFIDENCE) / 2, examples - 1) * error)
    return [round(value - half, digits), round(value + half, digits)]


def quotient_of_means(values: Tensor, above: Tensor, below: Tensor) -> tuple[float, list[float]]:
    """The mean of some values divided by that of others, and its 95 % confidence interval.

    Args:
        values: `(examples, parts)`, positive; examples are independent, parts need not be.
        above: boolean of the same shape, the values whose mean is divided.
        below: the same, those by whose mean it is divided.

    Returns:
        A pair of the quotient and a list of its lower and upper bound, rounded to four decimals.

    Raises:
        ValueError: there are no such values.

    Source: the delta method on the logarithm.

    Example:

    >>> values = np.array([[3.0, 2.0], [3.0, 2.0], [3.0, 2.0]])
    >>> quotient_of_means(values, values > 2, values < 3)
    (1.5, [1.5, 1.5])
    """
    logarithm, spread = 0.0, np.zeros(len(values))
    for name, those, sign in (("above", above, 1), ("below", below, -1)):
        totals, counts = (values * those).sum(axis=1, dtype="float64"), those.sum(axis=1)
        if not counts.any():
            arguments.refuse(name, "no values", "at least one")
        mean = totals.sum() / counts.sum()
        logarithm += sign * math.log(mean)
        # What each example adds to the logarithm of the mean, to the first order.
        spread += sign * (totals - mean * counts) / totals.mean()
    interval = mean_interval(logarithm, float(spread.std(ddof=1)), len(values), 6)
    return round(math.exp(logarithm), 4), [round(math.exp(bound), 4) for bound in interval]


def standard_error(values: Sequence[float]) -> float:
    """The standard error of the mean, 0 for a single value.

    Args:
        values: numbers, at least one.

    Returns:
        A float.

    Raises:
        ValueError: there are no values.

    Example:

    >>> round(standard_error([0.1, 0.2, 0.3]), 4)
    0.0577
    """
    if not len(values):
        arguments.refuse("values", values, "numbers, at least one")
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def median_of_each(records: Sequence[Any]) -> Any:
    """The medians of the numbers at the same places of records, such as those of trainings.

    Args:
        records: at least one; dicts and lists of the same structure, however deep. Keys that some
            lack are left out. Of what is not a number in all of them, the first is taken.

    Returns:
        A record of that structure, with integers where all are integers, and NaN where one is NaN.

    Raises:
        ValueError: there is no record.

    Example:

    >>> median_of_each([{"errors": [1, 0]}, {"errors": [5, 2]}, {"errors": [2, 1]}])
    {'errors': [2, 1]}
    """
    if not records:
        arguments.refuse("records", records, "records, at least one")
    first = records[0]
    if isinstance(first, dict):
        shared = [key for key in first if all(key in record for record in records)]
        return {key: median_of_each([record[key] for record in records]) for key in shared}
    if isinstance(first, list):
        return [median_of_each(each) for each in zip(*records)]
    if not all(isinstance(x, numbers.Real) and not isinstance(x, bool) for x in records):
        return first
    if any(math.isnan(x) for x in records):
        return math.nan
    median = statistics.median(records)
    if all(isinstance(record, numbers.Integral) for record in records):
        return int(median)
    return median.item() if isinstance(median, np.generic) else median


def plateaus(values: Sequence[float], patience: int | None) -> int:
    """How often `patience` values in a row were no new minimum.

    A learning rate that is halved at each plateau is multiplied by 0.5 to the power of this, as
    `keras.callbacks.ReduceLROnPlateau` would do, but without a state of its own: the history of a
    training is enough to resume it.

    Args:
        values: numbers, such as the validation errors of a training in their order.
        patience: integer >= 1, or None for never.

    Returns:
        An integer.

    Raises:
        TypeError, ValueError: `patience` is not of that form.

    Example:

    >>> plateaus([0.5, 0.4, 0.4, 0.5, 0.3], patience=2)
    1
    """
    arguments.integer("patience", patience, least=1, none=True)
    count, waited, least = 0, 0, float("inf")
    for value in values if patience else ():
        waited = 0 if value < least else waited + 1
        least = value if value < least else least  # NaN is never a new minimum.
        if waited == patience:
            count, waited = count + 1, 0
    return count


def compare_errors(errors: int, examples: int, errors_again: int, examples_again: int) -> float:
    """The p-value of two counts of wrong examples, by Fisher's exact test.

    Args:
        errors: the number of wrong examples in the first measurement.
        examples: the number of its examples.
        errors_again: the number of wrong examples in the second measurement.
        examples_again: the number of its examples.

    Returns:
        The probability of a difference at least as large, if both have the same error rate.

    Example:

    >>> compare_errors(0, 2500, 46, 2500) < 1e-12
    True
    >>> compare_errors(2, 100, 0, 10)
    1.0
    """
    examples = arguments.integer("examples", examples, least=1)
    errors = arguments.integer("errors", errors, least=0, most=examples)
    examples_again = arguments.integer("examples_again", examples_again, least=1)
    errors_again = arguments.integer("errors_again", errors_again, least=0, most=examples_again)
    rows = [[errors, examples - errors], [errors_again, examples_again - errors_again]]
    return min(float(_stats().fisher_exact(rows).pvalue), 1.0)


def compare_means(value: float, examples: int, again: Ratio, rounding: float = 0.0) -> float:
    """The p-value of a mean and a second measurement of it, by Student's t test.

    The examples of the mean are taken to be spread as those of the second measurement. If ratios
    have a largest value, they are taken to be spread at least as if each were this value or 0:
    what is rare, such as an answer that is worth nothing, may be missing from the second one.

    Args:
        value: the mean.
        examples: the number of examples of the mean.
        again: the second measurement.
        rounding: by how much `value` may differ because it is rounded. Defaults to `0.0`.

    Returns:
        The probability of a difference at least as large, if both have the same mean.

    Example:

    >>> again = Ratio(np.array([3.0, 4.0, 5.0, 4.0]), np.ones(4))
    >>> compare_means(4.0, 1000, again), compare_means(9.0, 1000, again) < 0.01
    (1.0, True)
    """
    value = arguments.number("value", value)
    examples = arguments.integer("examples", examples, least=1)
    arguments.instance("again", again, Ratio, "a `Ratio`")
    rounding = arguments.number("rounding", rounding, least=0)
    count = len(again.totals)
    spread = again.spread
    if again.largest is not None:
        spread = max(spread, np.sqrt(max(value * (again.largest - value), 0.0)))
    error = np.sqrt(spread**2 / examples + again.spread**2 / count)
    difference = max(abs(value - again.value) - rounding, 0.0)
    if error == 0:
        return float(difference == 0)
    return float(min(2 * _stats().t.sf(difference / error, max(count - 1, 1)), 1.0))


def _stats() -> Any:
    # SciPy's statistics load slowly, and a model that only answers does not need them.
    from scipy import stats

    return stats
