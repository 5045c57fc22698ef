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
from ..training import SEEDS, checkpoint
from ..training.run import Run
from .trainings import SHARED, Trainings, checked, kept_in, resumed

# The file with the settings of the trainings.
NAME = "seeds.json"
# The settings, beside the recipe and the seeds, that decide what is trained.
KEPT = (*SHARED, "precision")


def choose_seed(
    recipe: str | Recipe, out: str | Path, seeds: int, resume: bool = False, **settings: Any
) -> Run:
    """Train the first stage with seeds 0, 1, …, and continue with the best seed to the end.

    The best seed has the fewest wrong symbols on validation examples that are longer than those
    of the stage; one with which the training diverges is left out. `scouted_stages` of the recipe
    sets how many stages come before the choice.

    Args:
        recipe: the name of a recipe of a family that validates longer examples, or the `Recipe`.
        out: the folder for the trainings, `seed-0`, `seed-1`, …, their settings, `seeds.json`,
            and the errors of each seed, `scout.json`.
        seeds: integer >= 1, the number of seeds.
        resume: continue the trainings in `out`, with their settings; `seeds` may differ.
        **settings: keyword arguments of `train`, except `seed` and `resume`.

    Returns:
        The `Run` of the chosen seed.

    Raises:
        ValueError: `seeds` is below 1, the recipe's family does not measure longer examples, with
            `resume` a setting differs from that of the trainings, or as `train`.
        FileExistsError: `out` already holds trainings, and `resume` is False.
        FileNotFoundError: `resume` without trainings.
        FloatingPointError: the training diverged, with all seeds or later with the best one.
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
        kept = _settings(out, {"recipe": loaded.name, **settings}, begun)
        write_json(out / NAME, kept)
        results, stages = [], loaded.scouted_stages
        trainings = Trainings(recipe, out, kept)
        settings |= {name: kept[name] for name in KEPT}
        for seed in range(seeds):
            outcome = trainings.train(f"seed-{seed}", seed, **settings, until_stage=stages)
            results.append({"seed": seed, **_errors(outcome, stages)})
            write_json(out / SEEDS, results)
        measured = [row for row in results if "longer_error" in row]
        if measured:
            best = min(measured, key=lambda row: (row["longer_symbol_error"], row["longer_error"]))
            outcome = trainings.train(f"seed-{best['seed']}", best["seed"], **settings)
        if outcome.error is not None:
            raise FloatingPointError(outcome.error)
        return outcome.run


def _errors(outcome, stages):
    """The errors on longer examples at the end of the first `stages`, and after which step."""
    if outcome.error is not None:
        return {"steps": outcome.steps, "diverged": True}
    end = next(row for row in reversed(outcome.run.history) if row["stage"] < stages)
    columns = ("longer_error", "longer_symbol_error")
    return {"steps": end["step"], **{name: end[name] for name in columns}}


def _settings(out, given, begun):
    """The recipe and the settings of all trainings in a folder, new or `begun`.

    Raises:
        ValueError: the trainings have begun, and a value that is given differs from theirs.
    """
    new = dict.fromkeys(("recipe", *KEPT))
    # A command without `--set` gives an empty dict, which stands for the overrides that are kept.
    received = {**new, **given, "overrides": given.get("overrides") or None}
    received = checked({name: received[name] for name in new}, new, "training")
    if not begun:
        return {**new, **received}
    kept = kept_in(out / NAME, new, True, "training") or _settings_of_checkpoints(out)
    return resumed(kept, received, (), f"{out} holds trainings")


def _settings_of_checkpoints(out):
    """The settings of trainings that an earlier version began, which wrote no `seeds.json`.

    Raises:
        ValueError: their settings are not the same.
    """
    folders = filter(checkpoints.exists, sorted(out.glob("seed-*")))
    found = {folder.name: checkpoint.latest(folder).state["settings"] for folder in folders}
    first = found["seed-0"]
    for place, one in found.items():
        for name in KEPT:
            if one.get(name) != first.get(name):
                raise ValueError(
                    f"{name}: {out} holds trainings with different settings, seed-0 with "
                    f"{first.get(name)!r} and {place} with {one.get(name)!r}: choose another folder"
                )
    return {name: first.get(name) for name in ("recipe", *KEPT)}
