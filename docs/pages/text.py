"""The tables of docs/enwik8.md: what the networks reached that predict bytes, see their cards."""

from keras_adaptive.zoo.families.language import card
from keras_adaptive.zoo.recipe import Recipe

PAGE = "docs/enwik8.md"
# What the names of the tables of each entry begin with.
ENTRIES = {"act_enwik8": "whole text: ", "act_enwik8_small": ""}
TABLES = ("bits", "kinds", "boundaries", "trainings")


def tables(folder, read):
    """The tables of the page by their names.

    Args:
        folder: the repository.
        read: a function from a path to what its JSON says.
    """
    tables = {}
    for entry, prefix in ENTRIES.items():
        path = folder / "saved_models" / entry / "metrics.json"
        shown = dict.fromkeys(TABLES, "")
        if path.is_file():
            metrics, recipe = read(path), Recipe.from_dict(read(path.with_name("recipe.json")))
            shown = {
                "bits": card.scores(recipe, metrics),
                "kinds": card.kinds_table(metrics["by_difficulty"]),
                "boundaries": card.boundaries_table(metrics),
                "trainings": card.trainings(metrics["runs"]),
            }
        tables |= {prefix + name: table for name, table in shown.items()}
    return tables
