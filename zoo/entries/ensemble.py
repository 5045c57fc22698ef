"""Ensembles: several trainings of a recipe whose outputs are averaged."""

import hashlib

from ... import ensemble
from .. import families
from ..training.run import Run


def averaged_run(runs):
    """The ensemble of several trainings, which is measured and exported like a single one.

    Args:
        runs: two or more `Run`s of one recipe. The ensemble has the recipe, seed and history of the
            first, and a folder for its measurements inside the first one's folder.

    Returns:
        A `Run`.

    Raises:
        ValueError: the trainings are of different recipes, their models have different outputs, or
            a training is given twice.
    """
    first = runs[0]
    for run in runs[1:]:
        if run.recipe.name != first.recipe.name:
            raise ValueError(f"{run.folder} is a training of {run.recipe.name}")
    members = sorted(f"{run.folder.resolve()} {run.position.step}" for run in runs)
    if len(set(members)) < len(members):
        raise ValueError(f"an ensemble has each training once. Received: {members}")
    family = families.of(first.recipe)
    if not family.can_be_averaged:
        raise ValueError(
            f"ensembles are of models that give nothing but probabilities, and {first.recipe.name} "
            "gives more"
        )
    model = ensemble.average_outputs([run.model for run in runs], first.recipe.name)
    family.compile(model)
    # The folder depends on the members and on how long each was trained.
    digest = hashlib.sha256("\n".join(members).encode()).hexdigest()
    folder = first.folder / f"ensemble-{digest[:12]}"
    return Run(
        first.recipe, model, folder, first.settings, first.position, first.history, first.backend
    )
