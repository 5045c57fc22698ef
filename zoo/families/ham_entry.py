"""What an entry with hierarchical attentive memory consists of, and how commands speak of it."""

import json
import math
from pathlib import Path

from ... import datasets, plots
from ...reinforce import ReinforceModel
from .. import lengths, scout
from ..evaluate import measure, summary
from ..figures import Exact, Measurement, of_selection
from ..model_card import percent
from . import ham_picture
from .ham import Probe, ask, is_raw, longer_parameters
from .limits import refuse

EXAMPLES = 2500
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
# How much larger than in training the memory is that is measured too.
LARGER = (2, 4)
CURVES = {
    "sequence_error": "training, turns drawn",
    "validation_error": "validation",
    "longer_error": "validation, longer",
}


def measured(run, model, trainings, request):
    """The errors with larger memories, the number of weights, and what the seeds reached."""
    scouted = run.folder.parent / scout.NAME
    return {
        "weights": count_weights(model),
        "scouted": json.loads(scouted.read_text(encoding="utf-8")) if scouted.exists() else [],
        "sizes": sizes(run, request.examples),
        "other_models": other_models(request.into, run.recipe),
    }


def whole(run, examples):
    """What a training reached that has no entry."""
    position = run.position
    rows = sizes(run, examples)
    return {
        "dataset": run.recipe.dataset,
        "settings": run.settings,
        "training_seed": run.recipe.seed,
        "training_backend": run.backend,
        "training_seconds": round(position.seconds, 1),
        "steps": position.step,
        "finished": position.done,
        "trained_leaves": position.level or run.recipe.parameters["length"],
        "symbol_error": rows[0]["symbol_error"],
        "sizes": rows,
    }


def sizes(run, examples):
    """The errors with memories as large as in training and larger.

    Args:
        run: a `Run`.
        examples: fresh ones, at each size.

    Returns:
        A list of dicts: `leaves`; `least` and `length`, between which the examples are as long; and
        what `evaluate.summary` gives.
    """
    recipe, probe = run.recipe, Probe(run.model)
    trained = recipe.parameters["length"]
    rows = []
    for leaves in (trained, *(factor * trained for factor in LARGER)):
        # Without a controller exactly as many operations as leaves.
        least = leaves // 2 + 1 if leaves > trained else recipe.parameters["min_length"]
        least = leaves if is_raw(recipe) else least
        parameters = lengths.between(recipe, (least, leaves))
        found = summary(measure(probe, recipe, examples, seed=0, parameters=parameters), recipe)
        rows.append({"leaves": leaves, "least": least, "length": leaves, **found})
    return rows


def published(recipe, metrics):
    """The measurements that the entry's numbers come from."""
    rows = [
        Measurement(
            f"{row['leaves']} leaves", row, lengths.between(recipe, (row["least"], row["length"]))
        )
        for row in metrics["sizes"]
    ]

    def longer(run):
        return longer_parameters(recipe)

    return [Measurement("test", metrics), *rows, *of_selection(recipe, metrics, longer)]


def exact(recipe, metrics, model, folder):
    """The numbers that do not depend on which examples are drawn."""
    return [Exact("model", "weights", metrics["weights"], count_weights(model))]


def count_weights(model):
    """How many numbers are trained."""
    return sum(math.prod(variable.shape) for variable in model.trainable_variables)


def other_models(folder, recipe):
    """The errors of other entries in `folder` on the same data set."""
    found = []
    for path in sorted(Path(folder).glob("*/metrics.json")):
        metrics = json.loads(path.read_text(encoding="utf-8"))
        other = metrics["model"]
        if metrics["dataset"] == recipe.dataset and other != recipe.name and "sizes" in metrics:
            found.append({"model": other, "sizes": metrics["sizes"]})
    return found


def add_endpoints(archive, model):
    """Give the SavedModel its endpoint, with free batch size and length.

    `serve` (also `serving_default`) takes vectors float32 (batch, m, width), -1 in every element of
    those behind the end of an example, and returns a dict of `outputs`, probabilities of ones
    (batch, outputs, bits). The memory has the least power of two of leaves that is not below m.
    """
    network = model.network if isinstance(model, ReinforceModel) else model
    bits = next(size for size in reversed(network.outputs[0].shape) if size != 1)
    serve_network(archive, network, network.inputs[0].shape[-1], bits)


def serve_network(archive, network, width, bits):
    """Give the SavedModel an endpoint from vectors of a width to vectors of bits."""
    import tensorflow as tf

    def serve(inputs):
        outputs = network(inputs)
        return {"outputs": tf.reshape(outputs, (tf.shape(inputs)[0], -1, bits))}

    archive.add_endpoint(
        "serve",
        serve,
        input_signature=[tf.TensorSpec((None, None, width), "float32", name="inputs")],
    )


def draw(folder, model, recipe, metrics, history):
    """Write the picture of the card."""
    plots.learning_curve(folder / "learning_curve.png", history, CURVES)


def limited(model, limits):
    """Set the number of leaves of a loaded model, if it is not None.

    Raises:
        ValueError: it is no power of two, or another limit was given.
    """
    limits = dict(limits)
    leaves = limits.pop("leaves", None)
    refuse(model, limits)
    if leaves is not None:
        network = model.network if isinstance(model, ReinforceModel) else model
        network.get_layer("ham").num_leaves = leaves


def parameters(recipe, wanted):
    """The data set's parameters for the lengths that were asked for.

    Args:
        recipe: a `Recipe`.
        wanted: a dict of `bits`, `length` (a number, or a pair of the least and the largest) and
            `probe`, each of which may be None.

    Raises:
        ValueError: the tasks have no such parameter.
    """
    for name in ("bits", "probe"):
        if wanted.get(name) is not None:
            raise ValueError(
                f"examples of {recipe.dataset} are as long as --length says, and have no "
                f"--{name}. Received: --{name} {wanted[name]}"
            )
    if wanted.get("length") is None:
        return {}
    return lengths.between(recipe, wanted["length"])


def told(metrics):
    """The share of wrong bits in words; of an entry also its errors with larger memories."""
    words = f"bit error {metrics['symbol_error']:.3%}"
    further = [
        f"{row['leaves']}: {percent(row['sequence_error'])}" for row in metrics.get("sizes", ())
    ]
    return words + (f"; with so many leaves: {', '.join(further)}" if further else "")


def spoken(found):
    """An answer to one example in lines to read."""
    read = found["read"]
    return "\n".join(
        [
            f"read: {read if isinstance(read, str) else ', '.join(read)}",
            f"{found['leaves']} leaves, confidence {found['confidence']:.1%}",
            f"answer: {found['answer']}",
        ]
    )


def check_plot(name, recipe, request):
    """Refuse a picture that cannot be drawn; `request` as for `plot`.

    Raises:
        ValueError: no example, one that is too long, no such kind of file, or a soft memory, which
            takes no path.
    """
    if recipe.hyperparameters["soft"]:
        raise ValueError(f"{name} takes no path that could be drawn")
    if request.input is None:
        raise ValueError(f"{name} is drawn while it answers an example; give one")
    plots.check_format(request.out or f"{name}.png")
    inputs = datasets.task(recipe.dataset).encode(request.input, **recipe.parameters)
    ham_picture.check_drawn(inputs)


def plot(name, model, recipe, request):
    """Draw the tree at each access while the model answers an example in human form (Figure 6).

    Args:
        name: of the entry.
        model: the loaded model.
        recipe: its `Recipe`.
        request: has `out` and `input`.

    Returns:
        A dict: `picture`, its file; `leaves`, those that were attended, in order; and what `ask`
        says of `read` and `answer`.
    """
    inputs = datasets.task(recipe.dataset).encode(request.input, **recipe.parameters)
    out = request.out or f"{name}.png"
    leaves = ham_picture.draw(out, model.network, recipe, inputs, name)
    found = ask(Probe(model), recipe, request.input)
    kept = {key: found[key] for key in ("read", "answer")}
    return {"picture": str(out), "leaves": leaves, **kept}
