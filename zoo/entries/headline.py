"""The headline of an entry: its task, and its errors at the training sizes and beyond."""

from ..family_traits import dataset_prefixes
from ..recipe import Recipe
from .card import percent

# An entry with a larger error at its training sizes, or with longer tours, is an experiment.
LEARNED = 0.5
NOTHING_LARGER = "It was not measured on larger inputs."
# Of these parameters, all examples have as many; of the others, up to as many.
EXACT = ("bits",)
# Data sets whose examples have no size that a recipe sets.
TITLES = {"cifar10": "CIFAR-10", "tatoeba": "Tatoeba", "wikitext2": "WikiText-2"}


def headline(recipe, metrics):
    """The main figures of an entry.

    Args:
        recipe, metrics: the contents of `recipe.json` and `metrics.json`.

    Returns:
        A dict of texts and numbers: `task`; `trained_on`, the sizes of its training inputs; `error`
        there, or of the largest of them, `at`, where it was measured by size (of a text
        `bits_per_character`, `perplexity` or `bleu`; of tours also `length_ratio`, their length
        beside the shortest, and `length_ratio_beyond`); `beyond`, the largest size it was measured
        at, and `error_beyond`, both None where nothing is larger; and `experiment`, whether it did
        not learn its task.
    """
    unit = (recipe.get("length_parameters") or (None, None))[1]
    rows = [row for row in metrics.get("lengths", ()) if is_of_one_length(row)]
    rows += metrics.get("sizes", ())
    figures = {
        "task": task_of(recipe["dataset"]),
        "trained_on": TITLES.get(recipe["dataset"])
        or ", ".join(
            f"{value} {key}" if key in EXACT else f"up to {value} {key}"
            for key, value in sizes_of(recipe).items()
        ),
        "error": metrics.get("sequence_error"),
        "at": None,
        "beyond": None,
        "error_beyond": None,
    }
    if "bits_per_character" in metrics:
        figures["bits_per_character"] = metrics["bits_per_character"]
        figures["trained_on"] = f"{recipe['parameters']['size'] * 90 // 100:,} bytes"
    if "bleu" in metrics:
        figures["bleu"] = metrics["bleu"]
    elif "perplexity" in metrics:
        figures["perplexity"] = metrics["perplexity"]
    if rows:
        figures |= _at_lengths(recipe, unit, rows)
    if metrics.get("sides"):
        last, side = metrics["sides"][-1], recipe["parameters"]["side"]
        figures |= {
            "trained_on": f"{side} × {side} pixels",
            "beyond": f"{last['side']} × {last['side']} pixels",
            "error_beyond": last["sequence_error"],
        }
    if "beyond" in metrics:
        row, what = metrics["beyond"], recipe["figure"]["label"]
        figures |= {
            "trained_on": f"up to {recipe['parameters']['length']} {what}",
            "beyond": f"{row['min_length']} to {row['length']} {what}",
            "error_beyond": row["sequence_error"],
        }
    # A tour that is not the shortest may be nearly as short.
    wrong = figures["length_ratio"] - 1 if "length_ratio" in figures else figures["error"]
    figures["experiment"] = wrong is not None and wrong > LEARNED
    return figures


def _at_lengths(recipe, unit, rows):
    """The figures of an entry that was measured at several lengths or sizes of memory."""
    last, trained = rows[-1], Recipe.from_dict(recipe).largest_length
    kind = "points" if recipe["family"] == "pointer" else "positions"
    words = "leaves" if "leaves" in last else {"length": kind}.get(unit, unit)
    key = "leaves" if "leaves" in last else "length"
    known = next((row for row in rows if row[key] == trained), rows[0])
    figures = {
        "trained_on": f"up to {known[key]} {words}",
        "at": f"{known[key]} {words}",
        "error": known["sequence_error"],
    }
    if "length_ratio" in last:
        figures["length_ratio"] = known["length_ratio"]
    if last[key] > trained:
        figures |= {"beyond": f"{last[key]} {words}", "error_beyond": last["sequence_error"]}
        if "length_ratio" in last:
            figures["length_ratio_beyond"] = last["length_ratio"]
    return figures


def task_of(dataset):
    """The task of a data set: its name without the prefix of the paper's network.

    Example:

    >>> task_of("neural_gpu_sort_bits"), task_of("enwik8")
    ('sort bits', 'enwik8')
    """
    for prefix in dataset_prefixes():
        dataset = dataset.removeprefix(prefix)
    return dataset.replace("_", " ")


def is_of_one_length(row):
    """Whether a measurement is of random examples of one length."""
    return row.get("probe") is None and row["least"] == row["length"]


def sizes_of(recipe):
    """The parameters of a recipe's data set that are numbers."""
    return {
        key: f"{value:,}"
        for key, value in recipe["parameters"].items()
        if isinstance(value, int) and not isinstance(value, bool)
    }


def limits_in_words(figures):
    """Sentences on the training sizes of an entry, and its errors there and beyond.

    Args:
        figures: the dict of `headline`.

    Example:

    >>> figures = {"trained_on": "up to 20 bits", "at": "20 bits", "error": 0.0}
    >>> figures |= {"error_beyond": 0.02, "beyond": "2000 bits", "experiment": False}
    >>> print(limits_in_words(figures))
    Trained on up to 20 bits. At 20 bits 0.00 % of the answers are wrong; at 2000 bits, the
    largest inputs that were measured, 2.00 % are.
    """
    if figures.keys() & {"bits_per_character", "perplexity", "bleu"}:
        return f"Trained on {figures['trained_on']}, and measured on text of the same source alone."
    if "length_ratio" in figures:
        text = (
            f"Trained on {figures['trained_on']}. With {figures['at']}, a tour is "
            f"{_longer(figures, '')} than the shortest on average"
        )
        if figures["beyond"] is None:
            return f"{text}. {NOTHING_LARGER}"
        return (
            f"{text}; with\n{figures['beyond']}, the largest inputs that were measured, it is "
            f"{_longer(figures, '_beyond')}."
        )
    where = f"At {figures['at']}" if figures["at"] else "On inputs like these"
    text = (
        f"Trained on {figures['trained_on']}. {where} {percent(figures['error'])} of the answers "
        "are wrong"
    )
    if figures["experiment"]:
        text = f"**It did not learn its task**, and is here for comparison. {text}"
    if figures["error_beyond"] is None:
        return f"{text}. {NOTHING_LARGER}"
    return (
        f"{text}; at {figures['beyond']}, the\nlargest inputs that were measured, "
        f"{percent(figures['error_beyond'])} are."
    )


def cells(figures):
    """The errors at the training sizes and beyond, as texts.

    Example:

    >>> cells({"error": 0.0, "error_beyond": 0.02, "beyond": "2000 bits"})
    ['0.00 %', '2.00 % at 2000 bits']
    """
    if "bits_per_character" in figures:
        return [f"{figures['bits_per_character']:.2f} bits per byte", "–"]
    if "perplexity" in figures:
        return [f"perplexity {figures['perplexity']:.1f}", "–"]
    if "bleu" in figures:
        return [f"BLEU {figures['bleu']:.1f}", "–"]
    if "length_ratio" in figures:
        beyond = figures["beyond"] and f"{_longer(figures, '_beyond')} at {figures['beyond']}"
        return [f"tours {_longer(figures, '')}", beyond or "–"]
    if figures["error_beyond"] is None:
        return [percent(figures["error"]), "–"]
    return [percent(figures["error"]), f"{percent(figures['error_beyond'])} at {figures['beyond']}"]


def _longer(figures, where):
    """By how much tours are longer than the shortest, in words."""
    return f"{percent(figures['length_ratio' + where] - 1)} longer"
