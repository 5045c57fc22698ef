"""Statistical tests of whether a published figure and a second measurement agree.

Shares of wrong answers are compared by Fisher's exact test of the counts, means by Student's t test
with the spread of the second measurement. A figure disagrees if a difference as large as the
observed one is less probable than `RISK` divided by the number of compared figures (Bonferroni). So
if all published figures are correct, all of them agree with a probability of at least 99.9 %.
"""

import dataclasses

import numpy as np

RISK = 0.001
CONFIDENCE = 0.95
# Published means have four decimals.
ROUNDING = 5e-5


@dataclasses.dataclass(frozen=True)
class Ratio:
    """A mean over all parts of all examples, such as wrong symbols, or steps for each input.

    Args:
        totals: the total of each example, such as its number of wrong symbols (examples,).
        parts: the number of parts of each example (examples,).
        largest: the largest ratio that an example can have; by default that of an example with
            one step more than the example with the largest ratio.
    """

    totals: np.ndarray
    parts: np.ndarray
    largest: float | None = None

    @property
    def value(self):
        """The mean."""
        return float(self.totals.sum() / self.parts.sum())

    @property
    def spread(self):
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


def wilson(errors, examples):
    """The 95 % confidence interval of an error rate after Wilson (1927).

    Returns:
        A list of the lower and the upper bound.

    Example:

    >>> wilson(10, 1000)
    [0.005441, 0.018309]
    """
    stats = _statistics()
    interval = stats.binomtest(int(errors), int(examples)).proportion_ci(CONFIDENCE, "wilson")
    # Rounding errors may exceed the range [0, 1].
    return [round(float(min(max(bound, 0.0), 1.0)), 6) for bound in interval]


def of_mean(value, spread, examples, digits=4):
    """The 95 % confidence interval of a mean after Student.

    Example:

    >>> of_mean(2.0, 1.0, 100)
    [1.8016, 2.1984]
    """
    stats = _statistics()
    if examples < 2:
        return [-np.inf, np.inf]
    error = spread / np.sqrt(examples)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, examples - 1) * error)
    return [round(value - half, digits), round(value + half, digits)]


def counts_agree(errors, examples, errors_again, examples_again):
    """The p-value of two counts of wrong examples, after Fisher.

    Example:

    >>> counts_agree(0, 2500, 46, 2500) < 1e-12
    True
    >>> counts_agree(2, 100, 0, 10)
    1.0
    """
    stats = _statistics()
    rows = [[errors, examples - errors], [errors_again, examples_again - errors_again]]
    return min(float(stats.fisher_exact(rows).pvalue), 1.0)


def means_agree(value, examples, again):
    """The p-value of a published mean and a second measurement of it, after Student.

    Args:
        value: the published mean.
        examples: the number of examples of the published mean.
        again: the `Ratio` of the second measurement.
    """
    stats = _statistics()
    count = len(again.totals)
    error = again.spread * np.sqrt(1 / examples + 1 / count)
    difference = max(abs(value - again.value) - ROUNDING, 0.0)
    if error == 0:
        return float(difference == 0)
    return float(min(2 * stats.t.sf(difference / error, max(count - 1, 1)), 1.0))


def limit(figures):
    """The smallest p-value at which a figure agrees, if so many figures are compared."""
    return RISK / max(figures, 1)


def _statistics():
    # SciPy's statistics load slowly, and `predict` does not need them.
    from scipy import stats

    return stats
