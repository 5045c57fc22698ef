"""The published figures of an entry, and how to measure them again."""

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path

# The key of the error in `Family.summary` and in `metrics.json`.
ERROR = "sequence_error"


@dataclasses.dataclass(frozen=True)
class Measurement:
    """The published numbers of a model on one kind of examples.

    Args:
        what: the kind of examples, in words.
        row: the published numbers, with the keys of `Family.summary`; at least `examples`.
        parameters: the data set's parameters that differ from the recipe's.
        split: `"test"` or `"validation"`.
        member: which model is measured: the number of an ensemble's member, the file of the network
            without ACT, or None for the published model.
        drawn: whether the numbers are published in a picture only.
        max_ponder: the limit of the model's steps; its own by default.
        steps_multiplier: steps per symbol; the model's own by default.
    """

    what: str
    row: Mapping
    parameters: Mapping = dataclasses.field(default_factory=dict)
    split: str = "test"
    member: int | str | None = None
    drawn: bool = False
    max_ponder: int | None = None
    steps_multiplier: int | None = None


@dataclasses.dataclass(frozen=True)
class Exact:
    """A number that does not depend on which examples are drawn.

    Args:
        what: what it describes, in words.
        figure: its name.
        published, measured: its values.
        tolerance: the largest allowed difference, because processors round differently.
    """

    what: str
    figure: str
    published: float
    measured: float
    tolerance: float = 0.0


def of_selection(recipe, metrics, longer_parameters):
    """The measurements on validation data that the published trainings were chosen by.

    Args:
        recipe: the entry's `Recipe`.
        metrics: its `metrics.json`.
        longer_parameters: a function that takes a training and returns the data set's parameters
            of its longer validation examples.
    """
    members, measurements = metrics.get("ensemble"), []
    for place, run in enumerate(metrics["runs"][: members or 1]):
        member = place if members else None
        of = f"training {place + 1}, " if members else ""
        if members:
            measurements.append(Measurement(f"{of}test", run, member=member))
        kinds = [("validation", metrics["examples"], {})]
        kinds += [("longer", min(metrics["examples"], 1000), longer_parameters(run))]
        for prefix, examples, parameters in kinds:
            row = {
                "examples": examples,
                ERROR: run[f"{prefix}_error"],
                "symbol_error": run[f"{prefix}_symbol_error"],
            }
            words = "validation" if prefix == "validation" else f"validation at {run['longer']}"
            measurements.append(Measurement(of + words, row, parameters, "validation", member))
    return measurements


def other_models(recipe, folder, rows):
    """The errors of other entries in a folder on the same data set, in the same base.

    Args:
        recipe: the `Recipe` of the entry.
        folder: where entries lie.
        rows: the key of their list in `metrics.json`.

    Returns:
        A list of dicts: `model`, its name, and `rows`.
    """
    models = []
    for path in sorted(Path(folder).glob("*/metrics.json")):
        other = json.loads(path.read_text(encoding="utf-8"))
        base = other["parameters"].get("base", 2)
        alike = other["dataset"] == recipe.dataset and base == recipe.parameters.get("base", 2)
        if alike and other["model"] != recipe.name and rows in other:
            models.append({"model": other["model"], rows: other[rows]})
    return models
