"""What an entry publishes: each measurement that its numbers come from, and how to repeat it."""

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path

# What is counted, as `Family.summary` and the rows of `metrics.json` name it.
ERROR = "sequence_error"


@dataclasses.dataclass(frozen=True)
class Measurement:
    """A model's answers to examples of one kind, and what was published of them.

    Args:
        what: the kind of examples, in words.
        row: the published numbers, by the names of `Family.summary`; at least `examples`.
        parameters: the data set's parameters that differ from the recipe's.
        split: `"test"` or `"validation"`.
        member: which model answers: one of an ensemble, by its number; the file of the network
            without ACT; or, None, the published model.
        drawn: whether readers see the numbers in a picture only.
        max_ponder: the most steps that the model was allowed; its own by default.
    """

    what: str
    row: Mapping
    parameters: Mapping = dataclasses.field(default_factory=dict)
    split: str = "test"
    member: int | str | None = None
    drawn: bool = False
    max_ponder: int | None = None


@dataclasses.dataclass(frozen=True)
class Exact:
    """A number that does not depend on which examples are drawn.

    Args:
        what: of what it is, in words.
        figure: its name.
        published, measured: its values.
        tolerance: how far apart they may be; another processor rounds otherwise.
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
        longer_parameters: a function from a training to the data set's parameters of the longer
            examples.
    """
    members, found = metrics.get("ensemble"), []
    for place, run in enumerate(metrics["runs"][: members or 1]):
        member = place if members else None
        of = f"training {place + 1}, " if members else ""
        if members:
            found.append(Measurement(f"{of}test", run, member=member))
        kinds = [("validation", metrics["examples"], {})]
        kinds += [("longer", min(metrics["examples"], 1000), longer_parameters(run))]
        for prefix, examples, parameters in kinds:
            row = {
                "examples": examples,
                ERROR: run[f"{prefix}_error"],
                "symbol_error": run[f"{prefix}_symbol_error"],
            }
            words = "validation" if prefix == "validation" else f"validation at {run['longer']}"
            found.append(Measurement(of + words, row, parameters, "validation", member))
    return found


def other_models(recipe, folder, rows):
    """The errors of other entries in a folder on the same data set, in the same base.

    Args:
        recipe: the `Recipe` of the entry.
        folder: where entries lie.
        rows: what `metrics.json` calls the list of them.

    Returns:
        A list of dicts: `model`, its name, and `rows`.
    """
    found = []
    for path in sorted(Path(folder).glob("*/metrics.json")):
        other = json.loads(path.read_text(encoding="utf-8"))
        base = other["parameters"].get("base", 2)
        alike = other["dataset"] == recipe.dataset and base == recipe.parameters.get("base", 2)
        if alike and other["model"] != recipe.name and rows in other:
            found.append({"model": other["model"], rows: other[rows]})
    return found
