"""The networks of Graves: one adaptive recurrent layer, and a head for each step's answer."""

import warnings

import keras
import numpy as np

from ... import datasets, losses, metrics
from ...layers import ACTRNN
from ...models import AdaptiveModel
from ..agreement import Ratio

LOGGED = ("ponder", "ponder_steps")
VALIDATION_EXAMPLES = 1000

# Keras warns at every call that the head of several answers drops the mask, which is nothing new:
# padding has no target, and its weight in the loss is 0.
warnings.filterwarnings("ignore", message=".*'answer'.*destroy the mask", category=UserWarning)


def recurrent(recipe, cell):
    """A model with one `ACTRNN` for the recipe's data set.

    Args:
        recipe: a `Recipe`, whose hyperparameters have `halting` (`"act"` or `"fixed"`),
            `fixed_steps`, `max_ponder`, `epsilon`, `halting_bias` and `target_ponder`.
        cell: a Keras RNN cell.

    Returns:
        An `AdaptiveModel` from inputs (batch, time, width) to probabilities: (batch, time, 1) of
        a 1, (batch, time, classes), or (batch, time, outputs, classes).
    """
    task = datasets.task(recipe.dataset)
    sizes = task.sizes(**recipe.parameters)
    settings = recipe.hyperparameters
    inputs = keras.Input((None, sizes["width"]), name="inputs")
    known = keras.layers.Masking(mask_value=task.PADDING, name="known")(inputs)
    states, *_ = ACTRNN(
        cell,
        max_ponder=settings["max_ponder"],
        epsilon=settings["epsilon"],
        time_penalty=recipe.stages[0].time_penalty,
        halting_bias=settings["halting_bias"],
        halting=settings["halting"],
        steps=settings["fixed_steps"],
        target_ponder=settings["target_ponder"],
        return_sequences=True,
        return_ponder=True,
        name="act",
    )(known)
    return AdaptiveModel(inputs, head(sizes)(states), name=recipe.name)


def head(sizes):
    """The layer that turns states into probabilities, for `sizes` as a data set gives them."""
    if sizes["classes"] == 2:
        return keras.layers.Dense(sizes["outputs"], activation="sigmoid", name="answer")
    if sizes["outputs"] == 1:
        return keras.layers.Dense(sizes["classes"], activation="softmax", name="answer")
    return keras.layers.EinsumDense(
        "btu,uoc->btoc",
        output_shape=(None, sizes["outputs"], sizes["classes"]),
        bias_axes="oc",
        activation="softmax",
        name="answer",
    )


def compile_model(model, recipe, jit_compile="auto", steps_per_execution=1):
    """Compile `model` as `recipe` says: Adam, global norm clipping, loss and error of sequences.

    The loss is a sum over time, so the clipping norm grows with the length of the sequences.
    """
    model.compile(
        optimizer=keras.optimizers.Adam(
            recipe.stages[0].learning_rate, global_clipnorm=recipe.hyperparameters["clipnorm"]
        ),
        loss=losses.SequenceLoss(),
        weighted_metrics=[metrics.SequenceError()],
        jit_compile=jit_compile,
        steps_per_execution=steps_per_execution,
    )


def training_batch(batch, recipe, parameters):
    """Inputs, targets and weights for `fit`."""
    return batch["inputs"], batch["targets"], batch["weights"]


def before_chunk(run):
    """Set τ, unless it is controlled automatically or nothing is pondered."""
    controlled = run.recipe.hyperparameters.get("target_ponder") is not None
    if run.model.get_layer("act").rule.has_ponder_cost and not controlled:
        run.model.get_layer("act").time_penalty = run.stage.time_penalty


def validate(run, probe):
    """Error and ponder on validation data, as columns of the history."""
    from ..evaluate import measure, summary

    found = summary(measure(probe, run.recipe, VALIDATION_EXAMPLES, split="validation"), run.recipe)
    return {
        "validation_error": found["sequence_error"],
        "validation_ponder": found["ponder"],
        "validation_ponder_steps": found["ponder_steps"],
    }


def selection(run, examples):
    """The variant, and error and ponder on the same validation data for every training."""
    from ..evaluate import evaluate

    found = evaluate(run.model, run.recipe, examples, seed=0, split="validation")
    return {
        "variant": run.recipe.variant,
        "validation_error": found["sequence_error"],
        "validation_ponder": found["ponder"],
        "validation_ponder_steps": found["ponder_steps"],
    }


class Probe:
    """A model that also tells how long it thought.

    Args:
        model: a functional model with one `ACTRNN` called with `return_ponder=True`, and one
            output.
    """

    def __init__(self, model):
        layer = model.get_layer("act")
        # A layer's symbolic output is flat; its specification has the structure.
        sequences, *_ = keras.tree.flatten(layer.input)
        structure = layer.compute_output_spec(sequences)
        *_, ponder = keras.tree.pack_sequence_as(structure, layer.output)
        self.model = keras.Model(
            model.inputs[0],
            {
                "outputs": model.outputs[0],
                "ponder": ponder["steps"] + ponder["remainder"],
                "ponder_steps": ponder["steps"],
            },
            name=f"{model.name}_with_ponder",
        )

    def __call__(self, inputs):
        """Outputs, ponder and ponder steps for `inputs` (batch, time, width), as NumPy arrays."""
        answers = self.model.predict_on_batch(inputs)
        return {name: np.asarray(value) for name, value in answers.items()}


def examples_at_once(recipe, parameters):
    """How many examples are measured in one batch."""
    return 500


def found(batch, answers):
    """Difficulty, ponder and ponder steps of each input, 0 where there is none."""
    real = answers["ponder_steps"] > 0
    return {
        "difficulty": np.where(real, batch["difficulty"], 0),
        "ponder": answers["ponder"],
        "ponder_steps": answers["ponder_steps"],
    }


def ratios(found):
    """Sums over an example's inputs of `ponder` (ρ = N + R) and `ponder_steps` (N)."""
    real = found["ponder_steps"] > 0
    names = ("ponder", "ponder_steps")
    return {
        name: Ratio(np.where(real, found[name], 0.0).sum(axis=1, dtype="float64"), real.sum(axis=1))
        for name in names
    }


def summary(found):
    """Means over all inputs of `ponder` (ρ = N + R) and `ponder_steps` (N)."""
    return {name: round(ratio.value, 4) for name, ratio in ratios(found).items()}


def by_difficulty(found):
    """The numbers of an evaluation for each difficulty.

    An example's difficulty is that of its hardest input; ponder is the mean over inputs of the
    difficulty.

    Returns:
        A list of dicts: `difficulty`, `examples`, `sequence_error`, `ponder`, `ponder_steps`.
    """
    hardest = found["difficulty"].max(axis=1)
    rows = []
    for difficulty in np.unique(hardest):
        inputs = found["difficulty"] == difficulty
        examples = hardest == difficulty
        rows.append(
            {
                "difficulty": int(difficulty),
                "examples": int(examples.sum()),
                "sequence_error": round(float(found["wrong"][examples].mean()), 6),
                "ponder": round(float(found["ponder"][inputs].mean()), 4),
                "ponder_steps": round(float(found["ponder_steps"][inputs].mean()), 4),
            }
        )
    return rows


def ask(probe, recipe, text):
    """What a model answers to one example in human form.

    Args:
        probe: a `Probe`.
        recipe: the model's `Recipe`.
        text: the example.

    Returns:
        A dict as of `ask_inputs`.
    """
    task = datasets.task(recipe.dataset)
    return ask_inputs(probe, task, task.encode(text, **recipe.parameters))


def ask_inputs(probe, task, inputs):
    """What a model answers to one example, in human form.

    Args:
        probe: a `Probe`.
        task: the module of the data set.
        inputs: (1, time, width).

    Returns:
        A dict: `answer`; and lists with an element for each input of the sequence: `inputs` and
        `answers` in human form, `confidence` (the probability of the answer), `ponder_steps` (N)
        and `ponder` (ρ = N + R). Where the task asks nothing, the answer is `""` and the confidence
        None.

    Raises:
        ValueError: the task asks nothing at all.
    """
    read = task.describe(inputs[0])
    asked = task.asked(inputs[0]) if hasattr(task, "asked") else [True] * len(read)
    if not any(asked):
        raise ValueError(f"nothing is asked of {' '.join(read)!r}: one input more is needed")
    found = probe(inputs)
    outputs = found["outputs"][0]
    answers = [x if real else "" for x, real in zip(task.decode(outputs), asked, strict=True)]
    shares = zip(confidence(outputs), asked, strict=True)
    # Where answers follow the inputs, they are the answer; else it is the last one.
    following = [said for said, was in zip(answers, read, strict=True) if not was]
    return {
        "answer": " ".join(following) if following else answers[-1],
        "inputs": read,
        "answers": answers,
        "confidence": [round(float(value), 4) if real else None for value, real in shares],
        "ponder_steps": [round(float(value)) for value in found["ponder_steps"][0]],
        "ponder": [round(float(value), 3) for value in found["ponder"][0]],
    }


def confidence(outputs):
    """The probability of the answer at each step, from probabilities (time, …, classes)."""
    if outputs.shape[-1] == 1:
        return abs(outputs[:, 0] - 0.5) + 0.5
    best = outputs.max(-1)
    return best if best.ndim == 1 else best.prod(-1)
