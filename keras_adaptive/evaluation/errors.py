"""Errors of a model, example by example."""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from .. import arguments, metrics
from ..statistics import Ratio, error_interval

# Batches without any target after which measuring gives up.
PATIENCE = 100


class Evaluation:
    """Measures each example, and summarizes the measurements.

    The defaults suit models that answer with symbols: the error of whole sequences and of symbols.
    Subclasses measure more by `example_results` and `ratios`.
    """

    # The metric that models are judged by. Evaluations that keep `"sequence_error"` also measure
    # whether an example has any mistake.
    main_metric: ClassVar[str] = "sequence_error"

    def collect(
        self,
        probe: Callable[[np.ndarray], Mapping[str, np.ndarray]],
        batches: Iterable[Mapping[str, np.ndarray]],
        examples: int,
        seconds: float = math.inf,
    ) -> dict[str, np.ndarray]:
        """Lets a model answer batches of examples.

        Args:
            probe: a function of inputs that returns a dict of arrays, among them `outputs`, such
                as a `Probe`.
            batches: dicts of `inputs`, `targets`, `weights` and `difficulty`, as the tasks of
                `keras_adaptive.datasets` draw them.
            examples: the number of examples that have a target; others are left out.
            seconds: time after which no further batch is started. Defaults to no limit.

        Returns:
            A dict of arrays: `wrong` bool `(examples,)`, if the sequence error is the main metric,
            and those of `example_results`.

        Raises:
            ValueError: `examples` is below 1, or no example has a target.
        """
        examples = arguments.integer("examples", examples, least=1)
        began = time.monotonic()
        parts, count = [], 0
        for number, batch in enumerate(batches):
            if number == PATIENCE and not count:
                raise ValueError(f"no example of the first {PATIENCE} batches has a target")
            answers = probe(batch["inputs"])
            counts = np.asarray(metrics.has_target(batch["weights"]))
            part = self.example_results(batch, answers)
            if self.main_metric == "sequence_error":
                arrays = batch["targets"], answers["outputs"], batch["weights"]
                part = {"wrong": np.asarray(metrics.sequence_errors(*arrays)), **part}
            parts.append({name: values[counts] for name, values in part.items()})
            count += int(counts.sum())
            if count >= examples or time.monotonic() - began >= seconds:
                break
        if not count:
            raise ValueError("Argument `batches` must have an example with a target. There is none")
        return {name: _joined([part[name] for part in parts])[:examples] for name in parts[0]}

    def summary(self, results: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """The numbers of an evaluation.

        Args:
            results: of `collect`.

        Returns:
            A dict: `examples`, `errors`, `sequence_error` with `confidence_interval` (95 %,
            Wilson), and `means`; without the errors if another metric is the main one.
        """
        if "wrong" not in results:
            examples = len(next(iter(results.values())))
            return {"examples": examples, **self.means(results)}
        examples, errors = len(results["wrong"]), int(results["wrong"].sum())
        return {
            "examples": examples,
            "errors": errors,
            "sequence_error": errors / examples,
            "confidence_interval": error_interval(errors, examples),
            **self.means(results),
        }

    def example_results(
        self, batch: Mapping[str, np.ndarray], answers: Mapping[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """The measurements of each example: by default wrong symbols, all symbols, and difficulty.

        Args:
            batch: as in `collect`.
            answers: of the probe.
        """
        arrays = batch["targets"], answers["outputs"], batch["weights"]
        wrong = np.asarray(metrics.symbol_errors(*arrays))
        counts = batch["weights"].reshape(wrong.shape[:2] + (1,) * (wrong.ndim - 2)) > 0
        axes = tuple(range(1, wrong.ndim))
        return {
            "wrong_symbols": wrong.sum(axis=axes),
            "symbols": np.broadcast_to(counts, wrong.shape).sum(axis=axes),
            "difficulty": batch["difficulty"].max(axis=1),
        }

    def ratios(self, results: Mapping[str, np.ndarray]) -> dict[str, Ratio]:
        """The means of an evaluation, with their spread: by default of wrong symbols."""
        wrong, symbols = results["wrong_symbols"], results["symbols"]
        return {"symbol_error": Ratio(wrong, symbols, largest=1.0)}

    def means(self, results: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """The numbers of an evaluation besides the sequence error."""
        return {name: round(ratio.value, 6) for name, ratio in self.ratios(results).items()}

    def further_numbers(
        self, probe: Callable[[np.ndarray], Any], results: Mapping[str, np.ndarray], split: str
    ) -> dict[str, Any]:
        """Numbers of an evaluation that need more than the results: by default none.

        Args:
            probe: as in `collect`.
            results: of `collect`.
            split: `"validation"` or `"test"`, the data that was measured.
        """
        return {}

    def by_difficulty(self, results: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
        """The numbers of an evaluation for each difficulty, a dict each."""
        rows = []
        for difficulty in np.unique(results["difficulty"]):
            those = results["difficulty"] == difficulty
            rows.append(
                {
                    "difficulty": int(difficulty),
                    "examples": int(those.sum()),
                    "sequence_error": round(float(results["wrong"][those].mean()), 6),
                    **self.means({name: values[those] for name, values in results.items()}),
                }
            )
        return rows


def _joined(parts):
    """Arrays after one another; of several lengths, shorter ones get zeros at the end."""
    if parts[0].ndim > 1:
        most = max(part.shape[1] for part in parts)
        rest = [(0, 0)] * (parts[0].ndim - 2)
        parts = [np.pad(part, [(0, 0), (0, most - part.shape[1]), *rest]) for part in parts]
    return np.concatenate(parts)
