"""The table of all data sets on their page."""

import re

from keras_adaptive import datasets
from keras_adaptive.zoo.entries.card import markdown

PAGE = "docs/datasets.md"


def tables(folder):
    """The tables of the page by their names: from the first sentences of the READMEs."""
    generated = datasets.names()
    rows = []
    for path in sorted(folder.glob("datasets/*/README.md")):
        name = path.parent.name
        origin = "drawn" if name in generated else "files"
        rows.append([f"[`{name}`](../datasets/{name}/README.md)", first_sentence(path), origin])
    rows.sort(key=lambda row: row[2])
    return {"all": markdown(["data set", "", "examples"], rows) if rows else ""}


def first_sentence(path):
    """The first sentence below the heading of a README."""
    text = " ".join(path.read_text(encoding="utf-8").split("\n\n")[1].split())
    return re.match(r".*?[.?](?= |$)", text)[0]
