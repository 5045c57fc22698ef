"""The tables of docs/pointer.md: what the pointer networks of the zoo reached, see their cards."""

from keras_adaptive.zoo.entries.card import markdown, percent
from keras_adaptive.zoo.families.pointer import card
from keras_adaptive.zoo.recipe import Recipe

PAGE = "docs/pointer.md"
ENTRIES = ("hull_pointer", "tour_pointer")
# First trainings on more points, without an entry: what `evaluate --json` said.
FIRST = {"act": "ACT", "plain": card.NAMES["plain"]}
RESULTS = "docs/results/hull50_{}.json"


def tables(folder, read):
    """The tables of the page by their names.

    Args:
        folder: the repository.
        read: a function from a path to what its JSON says.
    """
    tables = {}
    for name in ENTRIES:
        path = folder / "saved_models" / name / "metrics.json"
        shown = ("", "")
        if path.is_file():
            metrics, recipe = read(path), Recipe.from_dict(read(path.with_name("recipe.json")))
            shown = card.by_points(metrics), card.trainings_table(recipe, metrics)
        tables[name], tables[f"{name} trainings"] = shown
    paths = {name: folder / RESULTS.format(name) for name in FIRST}
    found = {name: read(path) for name, path in paths.items() if path.is_file()}
    return {**tables, "hull50_pointer": first_trainings(found) if found else ""}


def first_trainings(found):
    """What trainings on 50 points reached.

    Args:
        found: what `evaluate --json` said, by the names of `FIRST`.
    """
    rows = []
    for name, result in found.items():
        low, high = map(percent, result["confidence_interval"])
        rows.append(
            [
                FIRST[name],
                f"{result['examples']:,}",
                f"**{percent(result['sequence_error'])}** ({low} to {high})",
                percent(result["area_covered"]),
                percent(result["invalid"]),
                f"{result['ponder_steps']:.2f}",
            ]
        )
    header = ["halting", "examples", "sequence error", "area covered", "invalid", "steps"]
    return markdown(header, rows)
