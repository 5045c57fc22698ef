"""An entry of the zoo from a training: models, numbers, pictures, card and manifest."""

import itertools
import json
import subprocess
from pathlib import Path

import keras

from .. import datasets, halting, plots
from . import manifest, model_card
from .evaluate import against_difficulty, evaluate_run
from .families.act import Probe
from .files import folder_written_whole
from .run import restore, table
from .store import ask

HISTORY_ROWS = 500
SEQUENCES = 3
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


def export(folder, into="saved_models", others=(), examples=10_000):
    """Write the entry of a trained model, whole.

    Args:
        folder: the folder of the training to publish.
        into: where entries lie; the entry's folder in it is replaced.
        others: folders of the other trainings of the recipe, for the card: other seeds, and
            those without ACT (the best of them on validation data is the baseline).
        examples: of the evaluation on the test split, at least.

    Returns:
        The path of the entry.

    Raises:
        FileNotFoundError: a folder has no checkpoint.
        ValueError: a folder is of another recipe, or the backend is not TensorFlow.
        OSError: the entry cannot be written; an old one stays whole.
    """
    if keras.backend.backend() != "tensorflow":
        raise ValueError(
            "a SavedModel is exported with the TensorFlow backend, whatever the training ran on. "
            f"Received: the backend {keras.backend.backend()}"
        )
    run = restore(folder)
    metrics = measured(run, examples)
    trainings = [metrics]
    for other in others:
        other = restore(other)
        if other.recipe.name != run.recipe.name:
            raise ValueError(f"{other.folder} is a training of {other.recipe.name}")
        trainings.append(measured(other, examples))
    # The entry's model is its layers without optimizer and compiled state.
    model = type(run.model)(run.model.inputs, run.model.outputs, name=run.recipe.name)
    curves = {"with ACT": against_difficulty(model, run.recipe)}
    metrics = {
        **metrics,
        "commit": commit(),
        "without_act": baseline(trainings),
        "runs": [{key: training[key] for key in KEPT} for training in trainings],
        "figure": curves["with ACT"],
    }
    path = Path(into) / run.recipe.name
    with folder_written_whole(path) as new:
        model.save(new / "model.keras")
        write_saved_model(model, new)
        write_json(new / "recipe.json", run.recipe.to_dict())
        write_json(new / "metrics.json", metrics)
        (new / "history.csv").write_text(table(thinned(run.history)), encoding="utf-8")
        draw(new, model, run.recipe, curves)
        (new / "README.md").write_text(model_card.write(run.recipe, metrics), encoding="utf-8")
        manifest.write(new)
    return path


def measured(run, examples):
    """The metrics of a training, measured now unless they were after its last step."""
    path = run.folder / "metrics.json"
    if path.exists():
        metrics = json.loads(path.read_text(encoding="utf-8"))
        if metrics["steps"] == run.position.step and metrics["examples"] >= examples:
            return metrics
    return evaluate_run(run, examples)


def baseline(trainings):
    """The numbers of the best training without ACT on validation data, or None."""
    plain = [training for training in trainings if training["variant"] == "plain"]
    if not plain:
        return None
    best = min(plain, key=lambda training: training["validation_error"])
    return {key: best[key] for key in KEPT}


def write_saved_model(model, folder):
    """Write the SavedModel, with free batch size and time.

    Its endpoints return a dict of `outputs`, `ponder` and `ponder_steps`: `serve` (also
    `serving_default`) takes the inputs, `serve_with_limits` also `max_ponder` and `epsilon`.
    """
    import tensorflow as tf

    probe = Probe(model).model
    inputs = tf.TensorSpec((None, None, model.inputs[0].shape[-1]), "float32", name="inputs")

    def serve(inputs):
        # A batch costs what its rows think, not its size times the longest thought.
        with halting.compaction():
            return probe(inputs)

    def with_limits(inputs, max_ponder, epsilon):
        with halting.limits(max_ponder=max_ponder, epsilon=epsilon):
            return serve(inputs)

    archive = keras.export.ExportArchive()
    archive.track(probe)
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
    archive.write_out(str(folder), verbose=False)


def draw(folder, model, recipe, curves):
    """Write the pictures of the card."""
    plots.ponder_against_difficulty(folder / "ponder.png", curves, recipe.figure.label)
    if recipe.figure.along_sequences:
        sequences = some_sequences(model, recipe)
        plots.ponder_along_sequence(folder / "sequences.png", sequences)


def some_sequences(model, recipe, least=3):
    """A few test sequences of at least `least` inputs, answered, for `ponder_along_sequence`."""
    probe, task = Probe(model), datasets.task(recipe.dataset)
    parameters = {**recipe.parameters, "same_length": True}
    sequences = []
    for index in itertools.count():
        batch = datasets.batch(recipe.dataset, 1, seed=1, index=index, split="test", **parameters)
        if batch["inputs"].shape[1] < least:
            continue
        sequences.append(ask(probe, task, batch["inputs"]))
        if len(sequences) == SEQUENCES:
            return sequences


def thinned(history):
    """About `HISTORY_ROWS` rows of a history at most; those with validation and the last stay."""
    kept = {i for i, row in enumerate(history) if "validation_error" in row}
    step = -(-len(history) // max(HISTORY_ROWS - len(kept), 1))
    return [history[i] for i in sorted({*kept, *range(len(history) - 1, -1, -step)})]


def commit():
    """The commit of the clone that this file lies in, or None."""
    try:
        found = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return found.stdout.strip()


def write_json(path, data):
    """Write `data` as readable JSON."""
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
