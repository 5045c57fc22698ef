"""Trains several seeds for the first stage of a recipe, and continues with the best one.

Whether a network learns an algorithm that also works beyond the training lengths depends on the
seed, and shows early. The choice uses validation data alone.
"""

from pathlib import Path
from typing import Any

from ... import checkpoints
from ...checkpoints.files import remove_temporary_files, write_json
from ...checkpoints.lock import lock_folder
from .. import recipes
from ..recipe import Recipe
from ..settings import check_option
from ..training import SEEDS
from ..training.run import Run
from .trainings import Trainings


def choose_seed(
    recipe: str | Recipe, out: str | Path, seeds: int, resume: bool = False, **settings: Any
) -> Run:
    """Train the first stage with seeds 0, 1, …, and continue with the best seed to the end.

    The best seed has the fewest wrong symbols on validation examples that are longer than those
    of the stage. `scouted_stages` of the recipe sets how many stages come before the choice.

    Args:
        recipe: the name of a recipe of a family that validates longer examples, or the `Recipe`.
        out: the folder for the trainings, `seed-0`, `seed-1`, …, and `scout.json`, the errors
            of each seed.
        seeds: integer >= 1, the number of seeds.
        resume: continue the trainings in `out`.
        **settings: keyword arguments of `train`, except `seed` and `resume`.

    Returns:
        The `Run` of the chosen seed.

    Raises:
        ValueError: `seeds` is below 1, the recipe's family does not measure longer examples, or
            as `train`.
        FileExistsError: `out` already holds trainings, and `resume` is False.
        FileNotFoundError: `resume` without trainings.
    """
    check_option("seeds", seeds)
    loaded = recipes.load(recipe) if isinstance(recipe, str) else recipe
    if "longer" not in loaded.hyperparameters:
        raise ValueError(
            f"seeds are chosen by examples that are longer than those trained on, which "
            f"{loaded.name} does not measure: give one seed"
        )
    out = Path(out)
    begun = checkpoints.exists(out / "seed-0")
    if resume and not begun:
        raise FileNotFoundError(f"there are no trainings to resume in {out}")
    with lock_folder(out):
        if begun and not resume:
            raise FileExistsError(
                f"{out} already holds trainings. Resume, or choose another folder."
            )
        remove_temporary_files(out)
        results, stages = [], loaded.scouted_stages
        trainings = Trainings(recipe, out, settings)

        def train(seed, **more):
            outcome = trainings.train(f"seed-{seed}", seed, **{**settings, **more})
            if outcome.error is not None:
                raise FloatingPointError(outcome.error)
            return outcome.run

        for seed in range(seeds):
            run = train(seed, until_stage=stages)
            end = next(row for row in reversed(run.history) if row["stage"] < stages)
            columns = ("longer_error", "longer_symbol_error")
            errors = {name: end[name] for name in columns}
            results.append({"seed": seed, "steps": end["step"], **errors})
            write_json(out / SEEDS, results)
        best = min(results, key=lambda row: (row["longer_symbol_error"], row["longer_error"]))
        return train(best["seed"])
