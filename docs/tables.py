"""Writes the tables of the README and of a page, and draws a picture, from what was measured.

    python docs/tables.py            # rewrites README.md and docs/
    python docs/tables.py --check    # says what is not up to date, and fails

A table stands between two comments, `<!-- NAME: … -->` and `<!-- end of NAME -->`.
"""

import argparse
import json
import re
import sys
from pathlib import Path

from keras_adaptive import plots
from keras_adaptive.zoo.entries.card import markdown
from keras_adaptive.zoo.entries.consistency import differences
from keras_adaptive.zoo.entries.headline import cells, headline
from keras_adaptive.zoo.families.pondernet import card as pondernet_card
from keras_adaptive.zoo.recipe import Recipe
from pages import datasets as datasets_page
from pages import ham as ham_page
from pages import images as images_page
from pages import neural_gpu as neural_gpu_page
from pages import pointer as pointer_page
from pages import recall as recall_page
from pages import sequences as sequences_page
from pages import text as text_page
from pages import thought as thought_page
from pages import translation as translation_page
from pages import verify as verify_page
from pages import words as words_page
from pages import zoo as zoo_page

ROOT = Path(__file__).parents[1]
PICTURE = "docs/pictures/ponder_logic.png"
PICTURE_OF = "act_logic"
README = "README.md"
ZOO_PAGE = "docs/zoo.md"
PERFORMANCE_PAGE = "docs/performance.md"
# What the README shows; all entries and all rows are on the two pages.
SHOWN_MODELS = (
    "act_logic",
    "act_addition",
    "neural_gpu_addition",
    "neural_gpu_reverse",
    "ham_sort",
)
SHOWN_TIMINGS = (
    "`fit`, parity, even, mean N 5: AdaptiveModel / floor",
    "`fit`, logic, even, mean N 5: AdaptiveModel / floor",
    "inference, 1 row in 16 thinks 20 steps, the others 2: compaction / whole batch",
    "an access to HAM, TensorFlow graph, inference, batch 1: 2^20 leaves / 2^10",
)
PONDERNET_PAGE = "docs/pondernet.md"
PONDERNET_MODEL = "pondernet_parity"
STUDIES_PAGE = "docs/studies.md"
STUDIES = ("act_parity", "act_logic")


def written(text, folder, document=README):
    """A document with its tables as the results in `folder` say.

    Args:
        text: the document.
        folder: the repository, with `saved_models/` and `benchmarks/results/`.
        document: which it is, one of `DOCUMENTS`.

    Returns:
        The new text. A table for which there are no results yet is empty.
    """
    for name, table in DOCUMENTS[document](Path(folder)).items():
        text = replaced(text, name, table)
    return text


def readme_tables(folder):
    """The tables of the README by their names."""
    entries = [folder / "saved_models" / name / "metrics.json" for name in SHOWN_MODELS]
    return {
        "models": models_table([path for path in entries if path.is_file()]),
        "timings": timings_table(sorted(folder.glob("benchmarks/results/*.json"))),
    }


def zoo_page_tables(folder):
    """The table of all entries."""
    return {"zoo": zoo_page.zoo_table(sorted(folder.glob("saved_models/*/metrics.json")), read)}


def performance_page_tables(folder):
    """The table of all rows of the benchmarks."""
    return {"benchmarks": benchmark_table(sorted(folder.glob("benchmarks/results/*.json")))}


def pondernet_page_tables(folder):
    """The table of all trainings of the PonderNet, that of its card."""

    path = folder / "saved_models" / PONDERNET_MODEL / "metrics.json"
    if not path.is_file():
        return {"trainings": ""}
    recipe = Recipe.from_dict(read(path.with_name("recipe.json")))
    return {"trainings": pondernet_card.seeds(recipe, read(path))}


def studies_page_tables(folder):
    """The tables of the page on studies by their names, as the studies wrote them."""
    paths = {name: folder / "docs" / "studies" / name / "study.md" for name in STUDIES}
    return {
        name: path.read_text(encoding="utf-8").strip() if path.is_file() else ""
        for name, path in paths.items()
    }


DOCUMENTS = {
    README: readme_tables,
    ZOO_PAGE: zoo_page_tables,
    PERFORMANCE_PAGE: performance_page_tables,
    PONDERNET_PAGE: pondernet_page_tables,
    STUDIES_PAGE: studies_page_tables,
    datasets_page.PAGE: datasets_page.tables,
    ham_page.PAGE: lambda folder: ham_page.tables(folder, read),
    verify_page.PAGE: verify_page.tables,
    neural_gpu_page.PAGE: lambda folder: neural_gpu_page.tables(folder, read),
    images_page.PAGE: lambda folder: images_page.tables(folder, read),
    pointer_page.PAGE: lambda folder: pointer_page.tables(folder, read),
    recall_page.PAGE: lambda folder: recall_page.tables(folder, read),
    sequences_page.PAGE: lambda folder: sequences_page.tables(folder, read),
    text_page.PAGE: lambda folder: text_page.tables(folder, read),
    thought_page.PAGE: lambda folder: thought_page.tables(folder, read),
    translation_page.PAGE: lambda folder: translation_page.tables(folder, read),
    words_page.PAGE: lambda folder: words_page.tables(folder, read),
}


def replaced(text, name, table):
    """`text` with the lines between the comments of `name` replaced.

    Raises:
        ValueError: there are no such comments.

    Example:

    >>> replaced("<!-- a: by hand -->old<!-- end of a -->", "a", "new")
    '<!-- a: by hand -->\\nnew\\n<!-- end of a -->'
    """
    pattern = re.compile(
        rf"(<!-- {re.escape(name)}:[^>]*-->)(.*?)(<!-- end of {re.escape(name)} -->)", re.DOTALL
    )
    if not pattern.search(text):
        raise ValueError(
            f"The document must have '<!-- {name}: … -->' and '<!-- end of {name} -->'."
        )
    body = f"\n{table}\n" if table else "\n"
    return pattern.sub(lambda match: match[1] + body + match[3], text)


def read(path):
    """What a JSON file holds."""
    return json.loads(path.read_text(encoding="utf-8"))


def models_table(paths):
    """The table of a few models from their `metrics.json`."""
    rows = []
    for path in paths:
        recipe = read(path.parent / "recipe.json")
        figures = headline(recipe, read(path))
        name = path.parent.name
        linked = f"[`{name}`](saved_models/{name}/README.md)"
        rows.append([linked, figures["trained_on"], *cells(figures)])
    return markdown(["model", "trained on", "error", "error on larger inputs"], rows)


def timings_table(paths):
    """The table of a few rows of the benchmarks."""
    rows = [
        [row["what"], f"{row['ratio']:.2f}"]
        for path in paths
        for row in read(path).get("rows", ())
        if row["what"] in SHOWN_TIMINGS
    ]
    return markdown(["what", "ratio"], rows) if rows else ""


def benchmark_table(paths):
    """The table of the ratios from the results of the benchmarks."""
    rows = []
    for path in paths:
        for row in json.loads(path.read_text(encoding="utf-8")).get("rows", ()):
            limit = "" if row.get("limit") is None else f"{row['limit']:g}"
            rows.append([row["what"], f"{row['ratio']:.2f}", limit])
    return markdown(["what", "ratio", "at most"], rows) if rows else ""


def draw(folder):
    """Draw the README's picture, error and ponder of one entry, if the entry is there."""
    entry = Path(folder) / "saved_models" / PICTURE_OF
    if not (entry / "metrics.json").is_file():
        return
    rows = json.loads((entry / "metrics.json").read_text(encoding="utf-8"))["figure"]
    figure = json.loads((entry / "recipe.json").read_text(encoding="utf-8"))["figure"]
    path = Path(folder) / PICTURE
    path.parent.mkdir(parents=True, exist_ok=True)
    plots.ponder_against_difficulty(path, {PICTURE_OF: rows}, figure["label"])


def main(arguments=None):
    """The command; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python docs/tables.py", description=__doc__.splitlines()[0]
    )
    parser.add_argument("folder", nargs="?", default=ROOT, help="the repository")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    options = parser.parse_args(arguments)
    changed = False
    for name in DOCUMENTS:
        path = Path(options.folder) / name
        old = path.read_text(encoding="utf-8")
        new = written(old, options.folder, name)
        changed = changed or new != old
        if options.check:
            print(*differences(name, old, new), sep="\n", end="\n" if new != old else "")
        else:
            path.write_text(new, encoding="utf-8")
    if options.check:
        return int(changed)
    draw(options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
