"""The tables of docs/translation.md: what translation networks reached, see the entry's card."""

from keras_adaptive.zoo.families.translation import card

PAGE = "docs/translation.md"
ENTRY = "translation_en_de"


def tables(folder, read):
    """The tables of the page by their names.

    Args:
        folder: the repository.
        read: a function from a path to what its JSON says.
    """
    path = folder / "saved_models" / ENTRY / "metrics.json"
    if not path.is_file():
        return {"translation": "", "translation kinds": ""}
    metrics = read(path)
    return {
        "translation": card.trainings_table(metrics),
        "translation kinds": card.kinds_table(metrics),
    }
