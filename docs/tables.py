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
from statistics import mean, median

from keras_adaptive import plots
from keras_adaptive.zoo.entries.card import markdown, percent
from keras_adaptive.zoo.entries.consistency import differences
from keras_adaptive.zoo.entries.headline import cells, headline, is_of_one_length
from keras_adaptive.zoo.families.language import card as language_card
from keras_adaptive.zoo.families.pondernet import card as pondernet_card
from keras_adaptive.zoo.recipe import Recipe
from pages import ham as ham_page
from pages import neural_gpu as neural_gpu_page
from pages import pointer as pointer_page
from pages import recall as recall_page
from pages import thought as thought_page
from pages import verify as verify_page

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
    "`keras-adaptive predict act_parity +-0+` / `import tensorflow`",
    "inference, 1 row in 16 thinks 20 steps, the others 2: compaction / whole batch",
    "Neural GPU (paper), training, n = 41: step / bare convolutions",
    "an access to HAM, TensorFlow graph, inference, batch 1: 2^20 leaves / 2^10",
)
TEXT_PAGE = "docs/enwik8.md"
TEXT_MODEL = "act_enwik8_small"
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
    return {"zoo": zoo_table(sorted(folder.glob("saved_models/*/metrics.json")))}


def performance_page_tables(folder):
    """The table of all rows of the benchmarks."""
    return {"benchmarks": benchmark_table(sorted(folder.glob("benchmarks/results/*.json")))}


def text_page_tables(folder):
    """The tables of the page on text by their names, those of the model's card."""
    path = folder / "saved_models" / TEXT_MODEL / "metrics.json"
    if not path.is_file():
        return dict.fromkeys(("bits", "kinds", "boundaries"), "")
    metrics = read(path)
    recipe = Recipe.from_dict(read(path.with_name("recipe.json")))
    return {
        "bits": language_card.scores(recipe, metrics),
        "kinds": language_card.kinds_table(metrics["by_difficulty"]),
        "boundaries": language_card.boundaries_table(metrics),
    }


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
    TEXT_PAGE: text_page_tables,
    PONDERNET_PAGE: pondernet_page_tables,
    STUDIES_PAGE: studies_page_tables,
    ham_page.PAGE: lambda folder: ham_page.tables(folder, read),
    verify_page.PAGE: verify_page.tables,
    neural_gpu_page.PAGE: lambda folder: neural_gpu_page.tables(folder, read),
    pointer_page.PAGE: lambda folder: pointer_page.tables(folder, read),
    recall_page.PAGE: lambda folder: recall_page.tables(folder, read),
    thought_page.PAGE: lambda folder: thought_page.tables(folder, read),
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


def without_act(plain):
    """The error of the baseline; a shorter training than the model's is said."""
    if not plain:
        return "–"
    scale = plain["settings"]["steps_scale"] or 1
    short = "" if scale == 1 else f" ({scale:g} × the training)"
    return percent(plain["sequence_error"]) + short


def models_table(paths):
    """The table of a few models from their `metrics.json`."""
    rows = []
    for path in paths:
        recipe = read(path.parent / "recipe.json")
        found = headline(recipe, read(path))
        name = path.parent.name
        linked = f"[`{name}`](saved_models/{name}/README.md)"
        rows.append([linked, found["trained_on"], *cells(found)])
    return markdown(["model", "trained on", "wrong there", "wrong beyond"], rows)


def timings_table(paths):
    """The table of a few rows of the benchmarks."""
    rows = [
        [row["what"], f"{row['ratio']:.2f}"]
        for path in paths
        for row in read(path).get("rows", ())
        if row["what"] in SHOWN_TIMINGS
    ]
    return markdown(["what", "ratio"], rows) if rows else ""


def zoo_table(paths):
    """The tables of the models from their `metrics.json`, one for each family of networks."""
    entries = [
        (path.parent.name, read(path.parent / "recipe.json"), read(path)) for path in sorted(paths)
    ]
    others = {"lengths", "sizes", "bits_per_character", "beyond", "sides"}
    act = [entry for entry in entries if not others & set(entry[2])]
    tables = [act_table(act)] if act else []
    ranges = [entry for entry in entries if "beyond" in entry[2]]
    if ranges:
        words = "Errors beyond the range of training, and the median over seeds with other halting:"
        tables.append(f"{words}\n\n{range_table(ranges)}")
    for unit, words in (("bits", "digits of each number"), ("length", "positions")):
        those = [
            entry
            for entry in entries
            if "lengths" in entry[2] and entry[1]["length_parameters"][1] == unit
        ]
        recall = [entry for entry in those if "fixed" in entry[2]]
        pointers = [entry for entry in those if entry[1]["family"] == "pointer"]
        those = [entry for entry in those if entry not in recall + pointers]
        for title, some in (
            (f"Errors at lengths in {words}", those),
            (f"Recall networks, at lengths in {words}", recall),
            ("Pointer networks, at numbers of points", pointers),
        ):
            if some:
                tables.append(f"{title}:\n\n{length_table(some)}")
    memories = [entry for entry in entries if "sizes" in entry[2]]
    if memories:
        tables.append(f"{memory_words(memories)}\n\n{memory_table(memories)}")
    images = [entry for entry in entries if "sides" in entry[2]]
    if images:
        words = "Images, means of all seeds, with FLOPs as a share of those of the plain network:"
        tables.append(f"{words}\n\n{image_table(images)}")
    texts = [entry for entry in entries if "bits_per_character" in entry[2]]
    if texts:
        tables.append(f"Bits for each byte of held-out text:\n\n{text_table(texts)}")
    return "\n\n".join(tables)


def read(path):
    """What a JSON file holds."""
    return json.loads(path.read_text(encoding="utf-8"))


def link(name):
    """The name of an entry, with a link to its card."""
    return f"[`{name}`](../saved_models/{name}/README.md)"


def averaged(metrics):
    """What is said of a model that averages several networks."""
    count = metrics.get("ensemble")
    return f" (average of {count} networks)" if count else ""


def act_table(entries):
    """The table of the models with a halting rule, from triples of name, recipe and metrics."""
    rows = []
    for name, recipe, metrics in entries:
        low, high = metrics["confidence_interval"]
        paper, plain = recipe["paper"], metrics["without_act"]
        rows.append(
            [
                link(name),
                f"**{percent(metrics['sequence_error'])}** ({percent(low)} to {percent(high)})",
                without_act(plain),
                paper["error"],
                paper["error_without_act"],
                f"{metrics['ponder_steps']:.1f}",
            ]
        )
    header = ["model", "error", "without ACT", "paper, with", "paper, without", "mean steps"]
    return markdown(header, rows)


def range_table(entries):
    """The table of models that were asked beyond the range of their training, as `act_table`."""
    rows = []
    for name, recipe, metrics in entries:
        found = headline(recipe, metrics)
        others = [
            percent(median(errors)) if errors else "–"
            for errors in (
                [run["longer_error"] for run in metrics["runs"] if run["variant"] == variant]
                for variant in ("act", "plain")
            )
        ]
        low, high = metrics["beyond"]["confidence_interval"]
        beyond = f"**{percent(found['error_beyond'])}** ({percent(low)} to {percent(high)})"
        steps = f"{metrics['beyond']['ponder_steps']:.1f}"
        cells = [found["trained_on"], percent(found["error"]), found["beyond"], beyond]
        rows.append([link(name), *cells, *others, steps])
    header = ["model", "trained on", "error", "beyond", "error beyond", "ACT", "one step"]
    return markdown([*header, "mean steps"], rows)


def text_table(entries):
    """The table of models that predict the bytes of a text, as `act_table`."""
    rows = []
    for name, recipe, metrics in entries:
        plain = metrics["without_act"]
        rows.append(
            [
                link(name),
                f"{recipe['parameters']['size'] * 90 // 100:,} bytes of {recipe['dataset']}",
                f"**{metrics['bits_per_character']:.3f}**",
                f"{plain['bits_per_character']:.3f}" if plain else "–",
                f"{metrics['ponder_steps']:.2f}",
            ]
        )
    return markdown(["model", "trained on", "bits", "without ACT", "mean steps"], rows)


def image_table(entries):
    """The table of models for images and of their variants, as `act_table`."""
    rows = []
    for name, _, metrics in entries:
        runs = metrics["runs"]
        for variant in dict.fromkeys(run["variant"] for run in runs):
            seeds = [run for run in runs if run["variant"] == variant]
            accuracy, share = (mean(run[k] for run in seeds) for k in ("accuracy", "flops_share"))
            rows.append([link(name), variant, len(seeds), percent(accuracy), percent(share)])
    return markdown(["model", "halting", "seeds", "accuracy", "share of FLOPs"], rows)


def length_table(entries):
    """The table of models that were measured at many lengths, as `act_table`."""
    found = [
        {row["length"]: row for row in metrics["lengths"] if is_of_one_length(row)}
        for *_, metrics in entries
    ]
    lengths = sorted(set().union(*found))
    rows = []
    for (name, recipe, metrics), measured in zip(entries, found, strict=True):
        cells = [
            percent(measured[length]["sequence_error"]) if length in measured else "–"
            for length in lengths
        ]
        rows.append([link(name) + averaged(metrics), *cells, recipe["paper"].get("error", "–")])
    return markdown(["model", *lengths, "paper"], rows)


def memory_table(entries):
    """The table of models that were measured with larger memories, as `act_table`."""
    leaves = [row["leaves"] for row in entries[0][2]["sizes"]]
    rows = []
    for name, recipe, metrics in entries:
        found = {row["leaves"]: percent(row["sequence_error"]) for row in metrics["sizes"]}
        paper = [recipe["paper"].get(key, "–") for key in ("error", "longer_error")]
        trained = Recipe.from_dict(recipe).largest_length
        cells = (found.get(count, "–") for count in leaves)
        rows.append([link(name), trained, *cells, *paper])
    header = [f"paper, {leaves[0]}", f"paper, {leaves[-1]}"]
    return markdown(["model", "trained with up to", *leaves, *header], rows)


def memory_words(entries):
    """What the table of memories shows."""
    exact = [name for name, _, metrics in entries if is_of_one_length(metrics["sizes"][0])]
    words = "Errors with so many leaves of memory, for more than half as many input vectors"
    words += "; in the first column for any number up to that"
    if exact:
        words += f". {', '.join(f'`{name}`' for name in exact)}: exactly as many operations"
    return words + ". The LSTMs have no memory, and are measured on the same examples:"


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
