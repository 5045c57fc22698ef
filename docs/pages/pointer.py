"""The tables of docs/pointer.md: what the pointer networks of the zoo reached, see their cards."""

from keras_adaptive.zoo.families.pointer import card
from keras_adaptive.zoo.recipe import Recipe

PAGE = "docs/pointer.md"
ENTRIES = ("hull_pointer", "hull50_pointer", "tour_pointer", "tour20_pointer")


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
    return tables
