"""The tables of docs/enwik8.md: what the networks reached that predict bytes, see their cards."""

from keras_adaptive.zoo.families.language import card
from keras_adaptive.zoo.recipe import Recipe

PAGE = "docs/enwik8.md"
WHOLE, SMALL = "act_enwik8", "act_enwik8_small"


def tables(folder, read):
    """The tables of the page by their names.

    Args:
        folder: the repository.
        read: a function from a path to what its JSON says.
    """
    whole = {f"whole text: {name}": table for name, table in tables_of(WHOLE, folder, read)}
    small = dict(tables_of(SMALL, folder, read))
    # There are two trainings, both in the first table.
    del small["trainings"]
    return whole | small


def tables_of(entry, folder, read):
    """Pairs of the name of a table and the table, empty if there is no such entry."""
    path = folder / "saved_models" / entry / "metrics.json"
    if not path.is_file():
        return [(name, "") for name in ("bits", "kinds", "boundaries", "trainings")]
    metrics, recipe = read(path), Recipe.from_dict(read(path.with_name("recipe.json")))
    return [
        ("bits", card.scores(recipe, metrics)),
        ("kinds", card.kinds_table(metrics["by_difficulty"])),
        ("boundaries", card.boundaries_table(metrics)),
        ("trainings", card.trainings(metrics["runs"])),
    ]
