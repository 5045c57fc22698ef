"""What an entry with a Neural GPU consists of, and how commands speak of it."""

import json
from pathlib import Path

import keras
import numpy as np

from ... import datasets, plots
from .. import lengths, scout
from ..figures import Measurement, of_selection
from ..model_card import percent
from .limits import refuse
from .neural_gpu import Probe, ask

EXAMPLES = 1000
AVERAGED = True
KEPT = (
    "training_seed",
    "training_backend",
    "settings",
    "steps",
    "finished",
    "training_seconds",
    "validation_error",
    "validation_symbol_error",
    "longer",
    "longer_error",
    "longer_symbol_error",
    "sequence_error",
    "symbol_error",
    "confidence_interval",
    "examples",
)
# A mental image has its length twice: as positions and as steps.
LARGEST_DRAWN = 401
CURVES = {
    "sequence_error": "training",
    "validation_error": "validation",
    "longer_error": "validation, longer",
    "longer_symbol_error": "validation, longer: symbols",
}


def measured(run, model, trainings, request):
    """The errors at all lengths, those of the other models of the task, and the scouted seeds."""
    scouted = run.folder.parent / scout.NAME
    return {
        "scouted": json.loads(scouted.read_text(encoding="utf-8")) if scouted.exists() else [],
        "lengths": lengths.measured(run, request.examples, request.long_examples, request.lengths),
        "other_models": other_models(request.into, run.recipe),
    }


def published(recipe, metrics):
    """The measurements that the entry's numbers come from."""
    rows = [
        Measurement(lengths.name_of(row), row, lengths.parameters_of(row, recipe))
        for row in metrics["lengths"]
    ]

    def longer(run):
        return lengths.between(recipe, run["longer"])

    return [Measurement("test", metrics), *rows, *of_selection(recipe, metrics, longer)]


def other_models(folder, recipe):
    """The errors of other entries in `folder` on the same data set, in the same base."""
    found = []
    for path in sorted(Path(folder).glob("*/metrics.json")):
        metrics = json.loads(path.read_text(encoding="utf-8"))
        other, base = metrics["model"], metrics["parameters"].get("base", 2)
        alike = metrics["dataset"] == recipe.dataset and base == recipe.parameters.get("base", 2)
        if alike and other != recipe.name and "lengths" in metrics:
            found.append({"model": other, "lengths": metrics["lengths"]})
    return found


def add_endpoints(archive, model):
    """Give the SavedModel its endpoint, with free batch size and length.

    `serve` (also `serving_default`) takes symbols int32 (batch, n), -1 behind the end of an
    example, and returns a dict of `outputs`, probabilities (batch, n, classes).
    """
    import tensorflow as tf

    def serve(inputs):
        return {"outputs": model(inputs)}

    archive.add_endpoint(
        "serve", serve, input_signature=[tf.TensorSpec((None, None), "int32", name="inputs")]
    )


def draw(folder, model, recipe, metrics, history):
    """Write the pictures of the card."""
    plots.learning_curve(folder / "learning_curve.png", history, CURVES)
    # Long enough for something to happen, short enough to see it.
    length = max(recipe.parameters[recipe.length_parameters[1]] // 5, 2)
    parameters = {**recipe.parameters, **dict.fromkeys(recipe.length_parameters, length)}
    batch = datasets.batch(recipe.dataset, 1, seed=1, split="test", **parameters)
    draw_thoughts(folder / "mental_image.gif", model, recipe, batch["inputs"])


def draw_thoughts(path, model, recipe, inputs, title=None):
    """Write the mental image step by step, as an animation and as a sheet of stills.

    Args:
        path: of the animation, `.gif`; or of the sheet, one of `plots.FORMATS`. The other one
            lies beside it.
        model: with a layer `neural_gpu` and a layer `answer`; of an ensemble the first is drawn.
        recipe: its `Recipe`.
        inputs: symbols (1, n).
        title: above the pictures.

    Returns:
        The paths of the animation and of the sheet.

    Raises:
        ValueError: the example is too long, or another kind of file.
    """
    check_drawn(path, inputs)
    path = Path(path)
    animation = path.with_suffix(".gif")
    sheet = path.with_suffix(".png") if path.suffix == ".gif" else path
    members = [layer for layer in model.layers if isinstance(layer, keras.Model)]
    model = members[0] if members else model
    _, images = model.get_layer("neural_gpu")(inputs, return_images=True)
    images = np.asarray(images)[0]
    answers = np.asarray(model.get_layer("answer")(images[:, :, 0, :])).argmax(-1)
    read = symbols_of(inputs[0], recipe)
    written = [["·" if k == 0 else str(k - 1) for k in row] for row in answers]
    plots.mental_image_animation(animation, images, read, written, title)
    plots.mental_image_stills(sheet, images, read, written, title)
    return animation, sheet


def check_drawn(path, inputs):
    """Refuse what cannot be drawn, or not to such a file; the arguments are as of `draw_thoughts`.

    Raises:
        ValueError: the example is too long, or another kind of file.
    """
    if inputs.shape[1] > LARGEST_DRAWN:
        raise ValueError(
            f"examples of up to {LARGEST_DRAWN} positions are drawn. "
            f"Received: one of {inputs.shape[1]}"
        )
    plots.check_format(path, (*plots.FORMATS, ".gif"))


def symbols_of(inputs, recipe):
    """A character for each symbol of one example, inputs (n,)."""
    task = datasets.task(recipe.dataset)
    operator = next((x for x in task.describe(inputs) if not x.isdecimal()), None)
    characters = ["·", *map(str, range(recipe.parameters.get("base", 2))), operator]
    return [characters[symbol] for symbol in inputs]


def limited(model, limits):
    """There are no limits to set.

    Raises:
        ValueError: one was given.
    """
    refuse(model, limits)


def parameters(recipe, wanted):
    """The data set's parameters for the length and the probe that were asked for.

    Args:
        recipe: a `Recipe` with `length_parameters`.
        wanted: a dict of `bits`, `length` (a pair if they differ) and `probe`, each of which may be
            None.

    Raises:
        ValueError: the task has no such parameter.
    """
    known = recipe.length_parameters[1]
    other = {"bits": "length", "length": "bits"}[known]
    if wanted.get(other) is not None:
        raise ValueError(
            f"examples of {recipe.dataset} are as long as --{known} says. "
            f"Received: --{other} {wanted[other]}"
        )
    found = {}
    if wanted.get(known) is not None:
        found = lengths.between(recipe, wanted[known])
    if wanted.get("probe") is not None:
        if not lengths.PROBES[known]:
            raise ValueError(
                f"--probe is for numbers, and {recipe.dataset} has none. "
                f"Received: {wanted['probe']}"
            )
        found["probe"] = wanted["probe"]
    return found


def told(metrics):
    """The share of wrong symbols in words; of an entry also its errors at the longer lengths."""
    words = f"bit error {metrics['symbol_error']:.3%}"
    further = [
        f"{lengths.name_of(row)}: {percent(row['sequence_error'])}"
        for row in metrics.get("lengths", ())
        if row["probe"] is None
    ]
    return words + (f"; at length {', '.join(further)}" if further else "")


def spoken(found):
    """An answer to one example in lines to read."""
    return "\n".join(
        [
            f"read: {found['symbols_read']}",
            f"written: {found['symbols_written']}",
            f"{found['steps']} steps, confidence {found['confidence']:.1%}",
            f"answer: {found['answer']}",
        ]
    )


def check_plot(name, recipe, request):
    """Refuse a picture that cannot be drawn; `request` as for `plot`.

    Raises:
        ValueError: no example, one that is too long, or no such kind of file.
    """
    if request.input is None:
        raise ValueError(f"{name} is drawn while it thinks about an example; give one")
    inputs = datasets.task(recipe.dataset).encode(request.input, **recipe.parameters)
    check_drawn(request.out or f"{name}.gif", inputs)


def plot(name, model, recipe, request):
    """Draw the mental image while the model thinks about an example in human form.

    Args:
        name: of the entry.
        model: the loaded model.
        recipe: its `Recipe`.
        request: has `out` and `input`.

    Returns:
        A dict: `animation` and `picture`, the files, and what `ask` says.
    """
    found = ask(Probe(model), recipe, request.input)
    inputs = datasets.task(recipe.dataset).encode(request.input, **recipe.parameters)
    out = request.out or f"{name}.gif"
    animation, sheet = draw_thoughts(out, model, recipe, inputs, name)
    return {"animation": str(animation), "picture": str(sheet), **found}
