"""The Neural GPUs: symbols in, the answer's symbols out at the same positions."""

import keras
import numpy as np

from ... import datasets, losses, metrics, relaxation
from ...datasets.symbols.digits import from_integer, to_integer
from ...layers import NeuralGPU
from ...optimizers import GradientNoise, RelativeClipAdamax
from ..agreement import Ratio

LOGGED = ()
# As many steps as positions.
POWER = 2
VALIDATION_EXAMPLES = 500
LONGER_EXAMPLES = 100
# What is measured in one batch, in positions of the mental image times steps.
LARGEST_BATCH = 1_000_000

# Hyperparameters that are arguments of the layer.
OF_LAYER = (
    "maps",
    "width",
    "num_layers",
    "kernel_size",
    "gate_cutoff",
    "nonlinearity",
    "diagonal",
    "saturation_cost",
    "dropout",
    "dropout_on",
    "dropout_schedule",
    "initial_scale",
    "update_bias",
    "reset_bias",
    "gate_sharpness",
    "relaxation",
    "relaxation_pull",
)


def build(recipe):
    """A model from symbols (batch, n) to probabilities (batch, n, classes), with one `NeuralGPU`.

    Args:
        recipe: a `Recipe` whose hyperparameters may have any of `OF_LAYER`.
    """
    sizes = datasets.task(recipe.dataset).sizes(**recipe.parameters)
    settings = {k: v for k, v in recipe.hyperparameters.items() if k in OF_LAYER}
    symbols = keras.Input((None,), dtype="int32", name="inputs")
    column = NeuralGPU(sizes["symbols"], **settings, seed=recipe.seed, name="neural_gpu")(symbols)
    answer = keras.layers.Dense(sizes["classes"], activation="softmax", name="answer")(column)
    return keras.Model(symbols, answer, name=recipe.name)


def compile_model(model, recipe, jit_compile="auto", steps_per_execution=1):
    """Compile `model` as `recipe` says.

    The loss is the mean over all symbols; with bins, the gradients of a batch of each bin are
    averaged before the weights change.
    """
    settings = recipe.hyperparameters
    bins = max(len(stage.bins) for stage in recipe.stages)
    common = {"gradient_accumulation_steps": bins if bins > 1 else None}
    rate = recipe.stages[0].learning_rate
    if settings["optimizer"] == "adam":
        optimizer = keras.optimizers.Adam(
            rate, epsilon=1e-4, global_clipnorm=settings["clipnorm"], **common
        )
    else:
        optimizer = RelativeClipAdamax(rate, **common)
    if settings.get("gradient_noise"):
        optimizer = GradientNoise(optimizer, settings["gradient_noise"], seed=recipe.seed)
    model.compile(
        optimizer=optimizer,
        loss=losses.SequenceLoss(per_target=True),
        weighted_metrics=[metrics.SequenceError()],
        jit_compile=jit_compile,
        steps_per_execution=steps_per_execution,
    )


def training_batch(batch, recipe, parameters):
    """Inputs, targets and weights for `fit`."""
    return batch["inputs"], batch["targets"], batch["weights"]


def before_chunk(run):
    """Set what depends on how training goes: gradient noise and relaxation.

    The noise follows the share of the last chunk's outputs that were wrong. Parameter sets are
    pulled together harder after every chunk of the first stage, and averaged after it.
    """
    model, settings, position = run.model, run.recipe.hyperparameters, run.position
    if isinstance(model.optimizer, GradientNoise) and run.history:
        model.optimizer.wrong_fraction.assign(run.history[-1]["sequence_error"])
    if settings.get("relaxation", 1) > 1:
        layer = model.get_layer("neural_gpu")
        if position.stage > 0:
            relaxation.average(model)
        else:
            raised = settings["relaxation_factor"] ** (position.stage_step // run.stage.chunk)
            layer.relaxation_pull.assign(settings["relaxation_pull"] * raised)


def validate(run, probe, examples=VALIDATION_EXAMPLES, longer=LONGER_EXAMPLES, seed=None):
    """Errors on validation data, at the recipe's length and at a longer one.

    What is longer may be another length in the first stage, for the choice of a seed (`scout`).

    Args:
        run: a `Run`.
        probe: the `Probe` of its model.
        examples: how many of the recipe's length.
        longer: how many of the longer one.
        seed: of the examples; the recipe's by default.
    """
    from ..evaluate import measure, summary

    recipe = run.recipe
    changed = dict.fromkeys(recipe.length_parameters, longer_length(run))
    kinds = {"split": "validation", "seed": seed}
    found = summary(measure(probe, recipe, examples, **kinds), recipe)
    further = summary(measure(probe, recipe, longer, **kinds, parameters=changed), recipe)
    return {
        "validation_error": found["sequence_error"],
        "validation_symbol_error": found["symbol_error"],
        "longer_error": further["sequence_error"],
        "longer_symbol_error": further["symbol_error"],
    }


def longer_length(run):
    """The longer length of validation."""
    length = run.recipe.hyperparameters["longer"]
    if run.position.stage == 0:
        return run.recipe.hyperparameters.get("longer_at_first", length)
    return length


def selection(run, examples):
    """As `validate`, of the same examples for every training, with the longer length."""
    probe, longer = Probe(run.model), min(examples, 1000)
    return {"longer": longer_length(run), **validate(run, probe, examples, longer, seed=0)}


class Probe:
    """A model that is asked for its answers.

    Args:
        model: from symbols to probabilities.
    """

    def __init__(self, model):
        self.model = model

    def __call__(self, inputs):
        """Outputs for `inputs` (batch, n), as NumPy arrays."""
        return {"outputs": np.asarray(self.model.predict_on_batch(inputs))}


def examples_at_once(recipe, parameters):
    """How many examples are measured in one batch: fewer of longer ones."""
    inputs = datasets.batch(recipe.dataset, 1, split="validation", **parameters)["inputs"]
    return int(np.clip(LARGEST_BATCH // inputs.shape[1] ** 2, 1, 500))


def found(batch, answers):
    """Symbols, wrong symbols and difficulty of each example."""
    counts = batch["weights"] > 0
    wrong = (answers["outputs"].argmax(-1) != batch["targets"]) & counts
    return {
        "wrong_symbols": wrong.sum(axis=1),
        "symbols": counts.sum(axis=1),
        "difficulty": batch["difficulty"].max(axis=1),
    }


def ratios(found):
    """Of each example how many symbols are wrong."""
    return {"symbol_error": Ratio(found["wrong_symbols"], found["symbols"], largest=1.0)}


def summary(found):
    """The share of symbols that are wrong."""
    return {name: round(ratio.value, 6) for name, ratio in ratios(found).items()}


def by_difficulty(found):
    """The errors for each difficulty.

    Returns:
        A list of dicts: `difficulty`, `examples`, `sequence_error`, `symbol_error`.
    """
    rows = []
    for difficulty in np.unique(found["difficulty"]):
        those = found["difficulty"] == difficulty
        rows.append(
            {
                "difficulty": int(difficulty),
                "examples": int(those.sum()),
                "sequence_error": round(float(found["wrong"][those].mean()), 6),
                **summary({name: values[those] for name, values in found.items()}),
            }
        )
    return rows


def ask(probe, recipe, text):
    """What a model answers to one example in human form.

    Args:
        probe: a `Probe`.
        recipe: the model's `Recipe`.
        text: the example. If it has a digit that is too large for the task's base, it is decimal.

    Returns:
        A dict: `answer`, decimal if the question was (unless the output is no number: then there
        is a `_` in it); `symbols_read` and `symbols_written` in the task's base; `steps`, and
        `confidence`, the product of the probabilities of all symbols.
    """
    task = datasets.task(recipe.dataset)
    inputs = task.encode(text, **recipe.parameters)
    outputs = probe(inputs)["outputs"][0]
    answer = written = task.decode(outputs)
    base = recipe.parameters.get("base", 2)
    if any(digit.isdecimal() and int(digit) >= base for digit in text) and written.isdecimal():
        value = to_integer([int(digit) for digit in reversed(written)], base)
        answer = "".join(map(str, reversed(from_integer(value, 10))))
    return {
        "answer": answer,
        "symbols_read": task.describe(inputs[0]),
        "symbols_written": written,
        "steps": inputs.shape[1],
        "confidence": round(float(np.exp(np.log(outputs.max(-1)).sum())), 4),
    }
