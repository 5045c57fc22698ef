"""Made-up sentence pairs in the form of Tatoeba's."""

from keras_adaptive.datasets.tatoeba import tatoeba

NAMES = ("Tom", "Mary", "Ann", "Bob", "Eve", "Max", "Kim", "Lee", "Sue", "Joe")
VERBS = (("sees", "sieht"), ("knows", "kennt"), ("likes", "mag"), ("hears", "hört"))
OBJECTS = (("a dog", "einen Hund"), ("a cat", "eine Katze"), ("the house", "das Haus"))


def lines():
    """The lines of a file. Some English sentences have two translations."""
    rows = []
    for name in NAMES:
        for verb, german_verb in VERBS:
            for thing, german_thing in OBJECTS:
                source = f"{name} {verb} {thing}."
                rows.append(f"{source}\t{name} {german_verb} {german_thing}.")
                if verb == "likes":
                    rows.append(f"{source}\t{name} hat {german_thing} gern.\tCC-BY 2.0")
    return rows


def write(folder, patch):
    """Write the file where the environment says; returns its path."""
    place = folder / tatoeba.FOLDER
    place.mkdir()
    path = place / tatoeba.FILE
    path.write_text("\n".join([*lines(), ""]), encoding="utf-8")
    patch.setenv(tatoeba.VARIABLE, str(folder))
    return path
