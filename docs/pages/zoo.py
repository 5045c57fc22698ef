"""The tables of all models on the page of the zoo, one for each family of networks."""

from statistics import mean, median

from keras_adaptive.zoo.entries import baseline
from keras_adaptive.zoo.entries.card import markdown, percent
from keras_adaptive.zoo.entries.headline import headline, is_of_one_length
from keras_adaptive.zoo.recipe import Recipe


def zoo_table(paths, read):
    """The tables of the models from their `metrics.json`, one for each family of networks.

    Args:
        paths: of these files.
        read: function that returns the contents of a JSON file.
    """
    entries = [
        (path.parent.name, read(path.parent / "recipe.json"), read(path)) for path in sorted(paths)
    ]
    others = {"lengths", "sizes", "bits_per_character", "beyond", "sides", "bleu", "perplexity"}
    act = [entry for entry in entries if not others & set(entry[2])]
    tables = [act_table(act)] if act else []
    ranges = [entry for entry in entries if "beyond" in entry[2]]
    if ranges:
        words = "Errors within and beyond the range of training. *ACT* and *one step*: medians "
        words += "over seeds of the same network with other halting, beyond the range (of "
        words += "validation data; the others are of test data):"
        tables.append(f"{words}\n\n{range_table(ranges)}")
    for unit, words in (("bits", "digits of each number"), ("length", "positions")):
        those = [
            entry
            for entry in entries
            if "lengths" in entry[2] and entry[1]["length_parameters"][1] == unit
        ]
        recall = [entry for entry in those if "fixed" in entry[2]]
        tours = [entry for entry in those if "length_ratio" in entry[2]]
        hulls = [entry for entry in those if entry[1]["family"] == "pointer" and entry not in tours]
        those = [entry for entry in those if entry not in recall + hulls + tours]
        for title, some, score in (
            (f"Errors at lengths in {words}", those, "sequence_error"),
            (f"Recall networks, at lengths in {words}", recall, "sequence_error"),
            ("Pointer networks, at numbers of points", hulls, "sequence_error"),
            ("Tours, length / shortest at numbers of points", tours, "length_ratio"),
        ):
            if some:
                tables.append(f"{title}:\n\n{length_table(some, score)}")
    memories = [entry for entry in entries if "sizes" in entry[2]]
    if memories:
        tables.append(f"{memory_words(memories)}\n\n{memory_table(memories)}")
    images = [entry for entry in entries if "sides" in entry[2]]
    if images:
        words = (
            "Images, means of all trainings with the same τ, with FLOPs as a share of those of the "
            "plain network:"
        )
        tables.append(f"{words}\n\n{image_table(images)}")
    texts = [entry for entry in entries if "bits_per_character" in entry[2]]
    if texts:
        tables.append(f"Bits for each byte of held-out text:\n\n{text_table(texts)}")
    words = [entry for entry in entries if "perplexity" in entry[2] and "bleu" not in entry[2]]
    if words:
        title = "Language models on words, all trainings, with the mean steps per word"
        tables.append(f"{title}:\n\n{words_table(words)}")
    translations = [entry for entry in entries if "bleu" in entry[2]]
    if translations:
        words = "Translation, all trainings, with the mean steps per subword:"
        tables.append(f"{words}\n\n{translation_table(translations)}")
    return "\n\n".join(tables)


def link(name):
    """The name of an entry, with a link to its card."""
    return f"[`{name}`](../saved_models/{name}/README.md)"


def averaged(metrics):
    """A note on a model that averages several networks."""
    count = metrics.get("ensemble")
    return f" (average of {count} networks)" if count else ""


def act_table(entries):
    """The table of the models with a halting rule, from triples of name, recipe and metrics."""
    rows = []
    for name, recipe, metrics in entries:
        low, high = metrics["confidence_interval"]
        paper = recipe["paper"]
        rows.append(
            [
                link(name),
                f"**{percent(metrics['sequence_error'])}** ({percent(low)} to {percent(high)})",
                without_act(metrics),
                paper["error"],
                paper["error_without_act"],
                f"{metrics['ponder_steps']:.1f}",
            ]
        )
    papers = ["paper, with ACT", "paper, without ACT"]
    header = ["model", "error", "without ACT", *papers, "mean steps"]
    return markdown(header, rows)


def range_table(entries):
    """The table of models that were asked beyond the range of their training, as `act_table`."""
    rows = []
    for name, recipe, metrics in entries:
        figures = headline(recipe, metrics)
        others = [
            percent(median(errors)) if errors else "–"
            for errors in (
                [run["longer_error"] for run in metrics["runs"] if run["variant"] == variant]
                for variant in ("act", "plain")
            )
        ]
        low, high = metrics["beyond"]["confidence_interval"]
        beyond = f"**{percent(figures['error_beyond'])}** ({percent(low)} to {percent(high)})"
        steps = f"{metrics['beyond']['ponder_steps']:.1f}"
        cells = [figures["trained_on"], percent(figures["error"]), figures["beyond"], beyond]
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


def words_table(entries):
    """The table of models that predict the words of a text, as `act_table`."""
    rows = [
        [link(name), run["variant"], batches_of(run), f"{run['perplexity']:.1f}"]
        + [f"{run['ponder_steps']:.2f}"]
        for name, _, metrics in entries
        for run in metrics["runs"]
    ]
    return markdown(["model", "halting", "batches", "perplexity", "steps"], rows)


def batches_of(run):
    """How many batches a training had, after those of the training whose weights it began with."""
    before = run["settings"].get("weights")
    return f"{before['steps']:,} + {run['steps']:,}" if before else f"{run['steps']:,}"


def translation_table(entries):
    """The table of models that translate, as `act_table`."""
    rows = [
        [link(name), run["variant"], batches_of(run), f"{run['bleu']:.1f}", f"{run['chrf']:.1f}"]
        + [f"{run['ponder_steps']:.2f}"]
        for name, _, metrics in entries
        for run in metrics["runs"]
    ]
    return markdown(["model", "halting", "batches", "BLEU", "chrF", "steps"], rows)


def image_table(entries):
    """The table of all trainings on images, those of a model with its name, each kind once."""
    published = {
        (recipe["dataset"], kind_of(metrics["runs"][0], recipe)): name
        for name, recipe, metrics in entries
    }
    rows = {}
    for _, recipe, metrics in entries:
        runs = [(kind_of(run, recipe), run) for run in metrics["runs"]]
        # The deepest network without halting has all of the FLOPs.
        full = max(run["flops"] for run in metrics["runs"] if run["variant"] == "plain")
        for kind in dict.fromkeys(kind for kind, _ in runs):
            key = recipe["dataset"], kind
            name = published.get(key)
            alike = [run for other, run in runs if other == kind]
            accuracy, flops = (mean(run[each] for run in alike) for each in ("accuracy", "flops"))
            row = [len(alike), percent(accuracy), percent(round(flops / full, 4))]
            rows[key] = [recipe["dataset"], kind, link(name) if name else "–", *row]
    columns = ["data set", "halting", "model", "trainings", "accuracy", "share of FLOPs"]
    return markdown(columns, [rows[key] for key in sorted(rows)])


def kind_of(run, recipe):
    """The halting of a training, its τ if it was set, and its units if an entry has others."""
    changed = run["settings"]["overrides"] or {}
    words = [run["variant"]]
    if "time_penalty" in changed:
        words.append(f"τ = {changed['time_penalty']:g}")
    units = recipe["hyperparameters"]["residual_units"]
    if changed.get("residual_units", units) != units:
        words.append(f"{changed['residual_units']} units per block")
    return ", ".join(words)


def length_table(entries, score):
    """The table of models that were measured at many lengths, as `act_table`; `score` is shown."""
    as_text = percent if score == "sequence_error" else "{:.4f}".format
    errors = [
        {row["length"]: row for row in metrics["lengths"] if is_of_one_length(row)}
        for *_, metrics in entries
    ]
    lengths = sorted(set().union(*errors))
    rows = []
    for (name, recipe, metrics), measured in zip(entries, errors, strict=True):
        cells = [
            as_text(measured[length][score]) if length in measured else "–"
            for length in lengths
        ]
        rows.append([link(name) + averaged(metrics), *cells, recipe["paper"].get("error", "–")])
    return markdown(["model", *lengths, "paper"], rows)


def memory_table(entries):
    """The table of models that were measured with larger memories, as `act_table`."""
    leaves = [row["leaves"] for row in entries[0][2]["sizes"]]
    rows = []
    for name, recipe, metrics in entries:
        errors = {row["leaves"]: percent(row["sequence_error"]) for row in metrics["sizes"]}
        paper = [recipe["paper"].get(key, "–") for key in ("error", "longer_error")]
        trained = Recipe.from_dict(recipe).largest_length
        cells = (errors.get(count, "–") for count in leaves)
        rows.append([link(name), trained, *cells, *paper])
    header = [f"paper, {leaves[0]}", f"paper, {leaves[-1]}"]
    return markdown(["model", "trained with up to", *leaves, *header], rows)


def memory_words(entries):
    """What the table of memories shows."""
    exact = [name for name, _, metrics in entries if is_of_one_length(metrics["sizes"][0])]
    words = "Errors by number of leaves of the memory. In the columns 32, 64 and 128 an input has "
    words += "1 to 32, 33 to 64 and 65 to 128 vectors"
    if exact:
        words += f" ({', '.join(f'`{name}`' for name in exact)}: exactly as many as leaves)"
    return words + ". The LSTMs have no memory, and are measured on the same examples:"


def without_act(metrics):
    """The error of the baseline, with a note if its training was shorter."""
    plain = metrics["without_act"]
    if not plain:
        return "–"
    share = baseline.share_of_training(metrics, plain)
    short = "" if share >= 1 else f" ({share:.1f} × the training)"
    return percent(plain["sequence_error"]) + short
