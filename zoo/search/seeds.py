"""Several seeds on the first stage of a recipe, and the rest of it with the most promising one.

Whether a network finds an algorithm that works beyond the lengths that it was trained on differs
from seed to seed, and shows early. The choice looks at validation data alone.
"""

import json
from pathlib import Path
from typing import Any

from ... import checkpoints
from ...checkpoints.files import remove_temporary_files, write_file
from ...checkpoints.lock import lock_folder
from .. import recipes
from ..recipe import Recipe
from ..training import SEEDS
from ..training.run import Run
from .trainings import Trainings


def scout(
    recipe: str | Recipe, out: str | Path, seeds: int, resume: bool = False, **settings: Any
) -> Run:
    """Train the first stage with seeds 0, 1, …, and go on with the best of them to the end.

    A seed is the better, the fewer symbols its network gets wrong in validation examples that are
    longer than those of the stage. A recipe may say that more stages come before the choice.

    Args:
        recipe: the name of a recipe of a family that validates longer examples, or the `Recipe`.
        out: the folder for the trainings, `seed-0`, `seed-1`, …, and `scout.json`, what each of
            them reached.
        seeds: integer >= 1, how many.
        resume: go on with what is in `out`.
        **settings: of `train`, but for `seed` and `resume`.

    Returns:
        The `Run` of the chosen seed.

    Raises:
        ValueError: `seeds` is below 1, the recipe's family does not measure longer examples, or
            as `train`.
        FileExistsError: `out` already holds trainings, and `resume` is False.
        FileNotFoundError: `resume` without trainings.
    """
    if int(seeds) != seeds or seeds < 1:
        raise ValueError(f"`seeds` must be an integer of at least 1. Received: {seeds!r}")
    known = recipes.load(recipe) if isinstance(recipe, str) else recipe
    if "longer" not in known.hyperparameters:
        raise ValueError(
            f"seeds are chosen by examples that are longer than those trained on, which "
            f"{known.name} does not measure: give one seed"
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
        found, stages = [], known.scouted_stages
        trainings = Trainings(recipe, out, settings)

        def train(seed, **more):
            outcome = trainings.train(f"seed-{seed}", seed, **{**settings, **more})
            if outcome.error is not None:
                raise FloatingPointError(outcome.error)
            return outcome.run

        for seed in range(seeds):
            run = train(seed, until_stage=stages)
            end = next(row for row in reversed(run.history) if row["stage"] < stages)
            kept = ("longer_error", "longer_symbol_error")
            found.append({"seed": seed, "steps": end["step"], **{name: end[name] for name in kept}})
            write_file(out / SEEDS, json.dumps(found, indent=1))
        best = min(found, key=lambda row: (row["longer_symbol_error"], row["longer_error"]))
        return train(best["seed"])
