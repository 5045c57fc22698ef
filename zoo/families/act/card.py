"""The sections of the model card of an entry with one adaptive recurrent layer."""

from .... import datasets
from ....datasets import human_form
from ...entries import baseline
from ...entries.card import (
    asking,
    batches,
    encoding,
    loading,
    percent,
    trained,
    whole_minutes,
    with_medians,
)
from ...entries.changes import changes, of_data, of_paper
from ...recipes import configure

SOURCE = (
    "Alex Graves, [Adaptive Computation Time for Recurrent Neural Networks]"
    "(https://arxiv.org/abs/1603.08983), 2016, section 3"
)
# Those of every entry.
DIFFERENCES = ("The halting unit sees the cell's output, which Equation 5 of the paper allows.",)


def results(recipe, metrics):
    """The table of errors beside the paper's."""
    low, high = metrics["confidence_interval"]
    drawn = "" if of_data(recipe) else " of the paper's distribution"
    lines = [
        "Sequence error rate (an example with any mistake counts) on "
        f"{metrics['examples']:,} fresh test examples{drawn}, with the "
        "95 % confidence interval (Wilson).",
        "",
        "| | error | steps per input | paper |",
        "|---|---|---|---|",
        f"| this model | **{percent(metrics['sequence_error'])}** "
        f"({percent(low)} to {percent(high)}) | {metrics['ponder_steps']:.2f} | "
        f"{of_paper(recipe, 'error')} |",
    ]
    paper = of_paper(recipe, "error_without_act")
    if metrics["without_act"]:
        kept = f" ({baseline.in_words(metrics)})"
        units = configure(metrics["without_act"]["settings"]).hyperparameters["units"]
        same = units == recipe.hyperparameters["units"]
        name = "without ACT" if same else f"without ACT, with {units} units"
        lines.append(compared(name, metrics, metrics["without_act"], kept) + f" {paper} |")
    else:
        lines.append(f"| without ACT | not measured | 1 | {paper} |")
    fixed = [run for run in metrics["runs"] if run["variant"].startswith("fixed")]
    # The best of each number of steps comes last.
    fixed.sort(key=lambda run: run["validation_error"], reverse=True)
    for run in {run["variant"]: run for run in fixed}.values():
        count = run["variant"].removeprefix("fixed-")
        lines.append(compared(f"{count} steps for every input", metrics, run) + " – |")
    return "\n".join([*lines, "", trend(metrics["figure"], recipe.figure.label)])


def compared(name, metrics, training, kept=""):
    """A row of the results without its last column, for a training without ACT."""
    low, high = training["confidence_interval"]
    share = baseline.share_of_training(metrics, training)
    length = "as long a training" if round(share, 1) >= 1 else f"{share:.1f} times the examples"
    return (
        f"| {name}, {length}{kept} | {percent(training['sequence_error'])} ({percent(low)} to "
        f"{percent(high)}) | {training['ponder_steps']:.2f} |"
    )


def trend(rows, label):
    """How ponder depends on difficulty, in a sentence.

    >>> rows = [{"difficulty": n, "ponder": x} for n, x in ((1, 9.38), (2, 9.1), (3, 8.67))]
    >>> trend(rows, "bits")
    'With difficulty, from 1 to 3 (bits), the mean ponder falls from 9.38 to 8.67.'
    >>> trend(rows[1:] + rows[:1], "bits")
    'The mean ponder lies between 8.67, at 3, and 9.38, at 1 (bits).'
    """
    first, last = rows[0], rows[-1]
    least, most = (choose(rows, key=lambda row: row["ponder"]) for choose in (min, max))
    if {first["ponder"], last["ponder"]} != {least["ponder"], most["ponder"]}:
        return (
            f"The mean ponder lies between {least['ponder']:.2f}, at {least['difficulty']}, and "
            f"{most['ponder']:.2f}, at {most['difficulty']} ({label})."
        )
    verb = "rises" if last["ponder"] > first["ponder"] else "falls"
    return (
        f"With difficulty, from {first['difficulty']} to {last['difficulty']} ({label}), the mean "
        f"ponder {verb} from {first['ponder']:.2f} to {last['ponder']:.2f}."
    )


def pictures(recipe):
    """The pictures and what they show."""
    figure = recipe.figure
    text = (
        f"![error and ponder against difficulty](ponder.png)\n\nError and ponder ρ = N + R "
        f"against difficulty ({figure.label}), {figure.examples:,} sequences for each point, "
        f"as in Figure {figure.number} of the paper."
    )
    if figure.along_sequences:
        text += (
            "\n\n![ponder along sequences](sequences.png)\n\nPonder at each input of three test "
            "sequences: inputs below, answers above."
        )
    return text


def use(recipe, metrics):
    """How to load and serve the model."""
    this = loading(recipe, metrics)
    example = datasets.task(recipe.dataset).EXAMPLE
    example = human_form.fitting(recipe.dataset, example, recipe.parameters)
    return f"""```python
from keras_adaptive import datasets, zoo

model = zoo.load({this})                  # a compiled keras.Model, for more training too
quick = zoo.load({this}, max_ponder=2)    # the same, thinking less
{encoding(recipe, example)}
{asking(recipe, metrics, example)}  # the same, with the steps per input
```

`model.keras` is for evaluation and further training. The SavedModel in this folder answers without
this package: its endpoint `serve` takes inputs (batch, time, width) and returns `outputs`, `ponder`
and `ponder_steps`; `serve_with_limits` also takes `max_ponder` and `epsilon`. It is for inference
only: gradients through it are silently zero."""


def training(recipe, metrics):
    """The settings, the command, and every training that was run."""
    settings = recipe.hyperparameters
    words = (
        f"{settings['units']} units ({recipe.paper['cell']} in the paper); Adam, gradients clipped "
        f"at a global norm of {settings['clipnorm']:g}"
    )
    lines = [
        *trained(words, recipe, metrics),
        f"{listed(metrics['runs'])} {choice(metrics['runs'])}",
        "",
        "| variant | seed | other settings | steps | minutes | validation error | test error | N |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for run in with_medians(metrics["runs"]):
        lines.append(
            f"| {run['variant']} | {run['training_seed']} | {changes(run['settings'])} | "
            f"{batches(run)} | {whole_minutes(run)} | "
            f"{percent(run['validation_error'])} | {percent(run['sequence_error'])} | "
            f"{run['ponder_steps']:.2f} |"
        )
    return "\n".join(lines)


def listed(runs):
    """Which trainings a card lists, in a sentence."""
    if all(run.get("finished", True) for run in runs):
        return (
            "The finished trainings that the card was made from (not those that were stopped "
            "early, nor those of earlier versions of the recipe)."
        )
    return "The trainings that the card was made from; some were stopped early, as marked."


def choice(runs):
    """Why the first of the trainings was published, if the numbers say so."""
    adaptive = [run for run in runs if run["variant"] == runs[0]["variant"]]
    if len(adaptive) == 1:
        return "The published one is the first, the only one with ACT."
    if runs[0]["validation_error"] == min(run["validation_error"] for run in adaptive):
        return "The published one is the first, which has the least error on validation data."
    return "The published one is the first, though another has a lower error on validation data."
