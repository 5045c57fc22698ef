"""What an entry with one adaptive recurrent layer consists of, and how commands speak of it."""

from pathlib import Path

from ... import datasets, halting, plots
from .. import baseline
from ..evaluate import against_difficulty, difficulty_parameters
from ..figures import ERROR, Measurement
from .act import Probe, ask, ask_inputs
from .limits import refuse

EXAMPLES = 10_000
SEQUENCES = 3
# So many are looked through for sequences that are long enough.
DRAWN = 100
KEPT = (
    "variant",
    "training_seed",
    "settings",
    "steps",
    "training_seconds",
    "validation_error",
    "sequence_error",
    "confidence_interval",
    "examples",
    "ponder_steps",
)


def measured(run, model, trainings, request):
    """The baseline without ACT, and the rows of the figure."""
    return {
        "without_act": best_plain(trainings),
        "figure": against_difficulty(model, run.recipe),
    }


def published(recipe, metrics):
    """The measurements that the entry's numbers come from."""
    figure, run = recipe.figure, metrics["runs"][0]
    drawn = [
        Measurement(
            f"{figure.label}: {row['difficulty']}",
            row,
            difficulty_parameters(recipe, row["difficulty"]),
            drawn=True,
        )
        for row in metrics["figure"]
    ]
    row = {"examples": metrics["examples"], ERROR: run["validation_error"]}
    validation = Measurement("validation", row, split="validation")
    plain = metrics["without_act"]
    if plain and "weights" in plain:
        drawn.append(Measurement("without ACT", plain, member=baseline.NAME))
    return [Measurement("test", metrics), validation, *drawn]


def best_plain(trainings, judged="validation_error", kept=KEPT):
    """The numbers of the best training without ACT on validation data, or None."""
    plain = [training for training in trainings if training["variant"] == "plain"]
    if not plain:
        return None
    best = min(plain, key=lambda training: training[judged])
    return {key: best[key] for key in kept}


def add_endpoints(archive, model):
    """Give the SavedModel its endpoints, with free batch size and time.

    They return a dict of `outputs`, `ponder` and `ponder_steps`: `serve` (also
    `serving_default`) takes the inputs, `serve_with_limits` also `max_ponder` and `epsilon`.
    """
    import tensorflow as tf

    probe = Probe(model).model
    given = model.inputs[0]
    inputs = tf.TensorSpec((None, None, *given.shape[2:]), given.dtype, name="inputs")

    def serve(inputs):
        # A batch costs what its rows think, not its size times the longest thought.
        with halting.compaction():
            return probe(inputs)

    def with_limits(inputs, max_ponder, epsilon):
        with halting.limits(max_ponder=max_ponder, epsilon=epsilon):
            return serve(inputs)

    archive.add_endpoint("serve", serve, input_signature=[inputs])
    archive.add_endpoint(
        "serve_with_limits",
        with_limits,
        input_signature=[
            inputs,
            tf.TensorSpec((), "int32", name="max_ponder"),
            tf.TensorSpec((), "float32", name="epsilon"),
        ],
    )


def draw(folder, model, recipe, metrics, history):
    """Write the pictures of the card."""
    curves = {"with ACT": metrics["figure"]}
    plots.ponder_against_difficulty(folder / "ponder.png", curves, recipe.figure.label)
    if recipe.figure.along_sequences:
        sequences = some_sequences(model, recipe)
        plots.ponder_along_sequence(folder / "sequences.png", sequences)


def some_sequences(model, recipe, least=3):
    """A few test sequences, answered, for `ponder_along_sequence`.

    They have at least `least` inputs; where hardly any does, the longest of some that are drawn.
    """
    probe, task = Probe(model), datasets.task(recipe.dataset)
    parameters = {**recipe.parameters, "same_length": True}
    drawn, long = [], []
    while len(long) < SEQUENCES and len(drawn) < DRAWN:
        batch = datasets.batch(
            recipe.dataset, 1, seed=1, index=len(drawn), split="test", **parameters
        )
        drawn.append(batch["inputs"])
        if drawn[-1].shape[1] >= least:
            long.append(drawn[-1])
    if len(long) < SEQUENCES:
        long = sorted(drawn, key=lambda inputs: -inputs.shape[1])[:SEQUENCES]
    return [ask_inputs(probe, task, inputs) for inputs in long]


def limited(model, limits):
    """Set `max_ponder` and `epsilon` of a loaded model, those that are not None.

    Raises:
        ValueError: another limit was given.
    """
    limits = dict(limits)
    refuse(model, {"leaves": limits.pop("leaves", None)})
    for name, value in limits.items():
        if value is not None:
            setattr(model.get_layer("act"), name, value)


def parameters(recipe, wanted):
    """Nothing but the recipe's own distribution can be measured.

    Raises:
        ValueError: a length or a probe was asked for.
    """
    for name, value in wanted.items():
        if value is not None:
            raise ValueError(
                f"--{name} is for models that take inputs of any length; {recipe.name} is measured "
                f"on its own distribution, with {dict(recipe.parameters)}"
            )
    return {}


def told(metrics):
    """The ponder of an evaluation in words."""
    return f"ponder {metrics['ponder']:.2f}, steps {metrics['ponder_steps']:.2f}"


def spoken(found):
    """An answer to one example as a table, with a line for each input; "" where none is asked."""
    header = ("input", "answer", "steps", "confidence")
    shown = ["" if value is None else f"{value:.1%}" for value in found["confidence"]]
    columns = (found["inputs"], found["answers"], found["ponder_steps"], shown)
    rows = list(zip(*columns, strict=True))
    rows = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.rjust, row, widths)) for row in rows]
    return "\n".join([*(line.rstrip() for line in lines), f"answer: {found['answer']}"])


def check_plot(name, recipe, request):
    """Refuse a picture that cannot be drawn; `request` as for `plot`.

    Raises:
        ValueError: no such kind of file, or an option that does not go with an example.
    """
    plots.check_format(request.out or f"{name}.png")
    refuse_with_example(request)


def refuse_with_example(request):
    """Refuse the options of a measurement where a single example is drawn.

    Raises:
        ValueError: one was given.
    """
    for option in ("examples", "seed"):
        if request.input is not None and getattr(request, option) is not None:
            raise ValueError(f"--{option} is for pictures against difficulty, without an example")


def plot(name, model, recipe, request):
    """Draw ponder along an example in human form, or error and ponder against difficulty.

    Args:
        name: of the entry.
        model: the loaded model.
        recipe: its `Recipe`.
        request: has `out`, `input`, `examples` and `seed`, each of which may be None.

    Returns:
        A dict: `picture`, its file, and `ponder` or `rows`.
    """
    out = Path(request.out or f"{name}.png")
    if request.input is not None:
        found = ask(Probe(model), recipe, request.input)
        plots.ponder_along_sequence(out, [found], name)
        return {"picture": str(out), "ponder": found["ponder"]}
    rows = against_difficulty(model, recipe, request.examples, request.seed)
    plots.ponder_against_difficulty(out, {name: rows}, recipe.figure.label, name)
    return {"picture": str(out), "rows": rows}
