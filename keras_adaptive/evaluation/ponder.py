"""Errors and ponder of a model that ponders at each input of a sequence."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..statistics import Ratio
from .errors import Evaluation


class PonderEvaluation(Evaluation):
    """The evaluation of models with adaptive computation time at each input of a sequence.

    Its probe returns `ponder` (ρ = N + R) and `ponder_steps` (N) `(batch, time)` too, as a
    `PonderProbe` does.
    """

    def example_results(
        self, batch: Mapping[str, np.ndarray], answers: Mapping[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """Difficulty, ponder and ponder steps of each input, 0 where there is none."""
        real = answers["ponder_steps"] > 0
        return {
            "difficulty": np.where(real, batch["difficulty"], 0),
            "ponder": answers["ponder"],
            "ponder_steps": answers["ponder_steps"],
        }

    def ratios(self, results: Mapping[str, np.ndarray]) -> dict[str, Ratio]:
        """Sums over an example's inputs of `ponder` (ρ = N + R) and `ponder_steps` (N)."""
        real = results["ponder_steps"] > 0
        return {
            name: Ratio(
                np.where(real, results[name], 0.0).sum(axis=1, dtype="float64"), real.sum(axis=1)
            )
            for name in ("ponder", "ponder_steps")
        }

    def means(self, results: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """Means over all inputs of `ponder` (ρ = N + R) and `ponder_steps` (N)."""
        return {name: round(ratio.value, 4) for name, ratio in self.ratios(results).items()}

    def by_difficulty(self, results: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
        """The numbers of an evaluation for each difficulty.

        An example's difficulty is that of its hardest input; ponder is the mean over inputs of the
        difficulty.

        Returns:
            A list of dicts: `difficulty`, `examples`, `sequence_error`, `ponder`, `ponder_steps`.
        """
        hardest = results["difficulty"].max(axis=1)
        rows = []
        for difficulty in np.unique(hardest):
            inputs = results["difficulty"] == difficulty
            examples = hardest == difficulty
            rows.append(
                {
                    "difficulty": int(difficulty),
                    "examples": int(examples.sum()),
                    "sequence_error": round(float(results["wrong"][examples].mean()), 6),
                    "ponder": round(float(results["ponder"][inputs].mean()), 4),
                    "ponder_steps": round(float(results["ponder_steps"][inputs].mean()), 4),
                }
            )
        return rows
