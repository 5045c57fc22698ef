"""Hierarchical attentive memory: vectors of bits in, vectors of bits out.

A network with a controller answers behind its input, up to its own End Of Output; one without
("raw HAM") answers each operation at once. What is measured takes the most probable turns.
"""

import contextlib

import keras
import numpy as np

from ... import datasets, losses, metrics
from ...ham import DHAM, HAM, Memory
from ...reinforce import ReinforceModel
from .neural_gpu import by_difficulty, ratios, summary

__all__ = [
    "LOGGED",
    "Probe",
    "ask",
    "before_chunk",
    "build",
    "by_difficulty",
    "compile_model",
    "examples_at_once",
    "finish",
    "found",
    "is_raw",
    "ratios",
    "selection",
    "summary",
    "training_batch",
    "validate",
]

LOGGED = ("reward", "entropy")
VALIDATION_EXAMPLES = 1000
LONGER_EXAMPLES = 200
# What is measured in one batch, in input vectors.
LARGEST_BATCH = 32_000

# Hyperparameters that are arguments of `ReinforceModel`.
OF_TRAINING = (
    "reward",
    "discount",
    "baseline",
    "samples",
    "policy_weight",
    "entropy_bonus",
    "entropy_penalty",
)


def build(recipe):
    """A model from vectors (batch, m, width) to probabilities (batch, outputs, bits).

    Those of a soft memory have an axis more, as losses and metrics want it.

    Args:
        recipe: a `Recipe` whose hyperparameters have `units`, `hidden_units`, `depth`,
            `controller_units` (None: raw HAM), perhaps `priority_gain` (see `enlarge_priority`),
            `accesses_per_output`, `max_outputs`, `soft` (whether it is a `DHAM`), `clipnorm`,
            `beta_2`, what `before_chunk` needs, and, unless it is soft, any of `OF_TRAINING`.
    """
    settings = recipe.hyperparameters
    sizes = datasets.task(recipe.dataset).sizes(**recipe.parameters)
    units = settings["controller_units"]
    layer = (DHAM if settings["soft"] else HAM)(
        sizes["outputs"],
        None if units is None else keras.layers.LSTMCell(units),
        Memory(settings["units"], settings["hidden_units"], settings["depth"]),
        accesses_per_output=settings["accesses_per_output"],
        max_outputs=tuple(settings["max_outputs"]),
        name="ham",
        **(
            {"entropy_bonus": settings["entropy_bonus"]}
            if settings["soft"]
            else {"seed": recipe.seed}
        ),
    )
    vectors = keras.Input((None, sizes["width"]), name="inputs")
    outputs = layer(vectors)
    if "priority_gain" in settings:
        enlarge_priority(layer, settings["priority_gain"])
    if settings["soft"]:
        bits = keras.layers.Reshape((-1, sizes["outputs"], 1))
        bits.supports_masking = True
        return keras.Model(vectors, bits(outputs), name=recipe.name)
    network = keras.Model(vectors, outputs, name=recipe.name)
    arguments = {name: settings[name] for name in OF_TRAINING if name in settings}
    model = ReinforceModel(network, **arguments, per_target=True, name=recipe.name)
    model.build((None, None, sizes["width"]))
    return model


def enlarge_priority(layer, gain):
    """Multiply the first weights that lead from a vector's first number, a priority, into EMBED.

    What shall tell 0.500 from 0.503 learns it much sooner from large numbers.
    """
    kernel = layer.memory.embed.trainable_variables[0]
    rows = np.ones((kernel.shape[0], 1))
    rows[0] = gain
    kernel.assign(np.array(kernel) * rows)


def compile_model(model, recipe, jit_compile="auto", steps_per_execution=1):
    """Compile `model` as `recipe` says; the loss is the mean over the vectors of the answers."""
    settings = recipe.hyperparameters
    momentum = settings.get("averaging")
    optimizer = AveragingAdam(
        recipe.stages[0].learning_rate,
        beta_2=settings["beta_2"],
        global_clipnorm=settings["clipnorm"],
        use_ema=momentum is not None,
        ema_momentum=momentum or 0.0,
    )
    soft = not isinstance(model, ReinforceModel)
    model.compile(
        optimizer=optimizer,
        loss=losses.SequenceLoss(per_target=True) if soft else None,
        weighted_metrics=[metrics.SequenceError()],
        jit_compile=jit_compile,
        steps_per_execution=steps_per_execution,
    )


class AveragingAdam(keras.optimizers.Adam):
    """Adam beside whose weights an average of them is kept; no end of a `fit` sets them to it."""

    def finalize_variable_values(self, var_list):
        """Leaves the weights as they are, as a training that is resumed has no such end."""


@contextlib.contextmanager
def averaged(model):
    """The model with the averages of its weights, if they are kept."""
    if not model.optimizer.use_ema:
        yield
        return
    averages = model.optimizer._model_variables_moving_average
    weights = [np.array(variable) for variable in model.trainable_variables]
    set_weights(model, averages)
    try:
        yield
    finally:
        set_weights(model, weights)


def set_weights(model, values):
    """Set the weights that are trained; to copies, as JAX gives each buffer away once."""
    for variable, value in zip(model.trainable_variables, values, strict=True):
        variable.assign(np.array(value))


def finish(run):
    """Set the weights of the trained model to their averages, if they are kept."""
    if run.model.optimizer.use_ema:
        set_weights(run.model, run.model.optimizer._model_variables_moving_average)


def training_batch(batch, recipe, parameters):
    """Inputs, targets and weights for `fit`."""
    return batch["inputs"], batch["targets"].astype("float32"), batch["weights"]


def before_chunk(run):
    """Set the entropy bonus; returns the factor on the learning rate.

    α decays by `entropy_decay` a step, once there are as many leaves as `sure_from` by
    `sure_decay` too; `entropy_again` is what it is set to at each new size. The rate is multiplied
    by `size_factor` at each new size, and halved whenever the share of wrong bits in validation has
    not come down for `patience` chunks.
    """
    settings, position = run.recipe.hyperparameters, run.position
    size = run.recipe.parameters["length"] if position.level is None else position.level
    now = position.stage, position.level
    at_this_size = [row for row in run.history if (row["stage"], row.get("level")) == now]
    if settings.get("entropy_bonus"):
        bonus = bonus_of(run.model)
        again = settings.get("entropy_again")
        if again is not None and not at_this_size and run.history:
            bonus.entropy_bonus = again
        decay = settings["entropy_decay"]
        if size >= settings["sure_from"]:
            decay *= settings["sure_decay"]
        bonus.entropy_decay = decay
    before = {(row["stage"], row.get("level")) for row in run.history} - {now}
    measured = [row["validation_symbol_error"] for row in at_this_size if "validation_error" in row]
    halved = halvings(measured, settings.get("patience"))
    return settings.get("size_factor", 1.0) ** len(before) * 0.5**halved


def bonus_of(model):
    """What has the entropy bonus: the model, or the layer that is soft."""
    return model if isinstance(model, ReinforceModel) else model.get_layer("ham")


def halvings(errors, patience):
    """How often there was no new least error for so many measurements.

    >>> halvings([0.5, 0.4, 0.4, 0.5, 0.3], patience=2)
    1
    """
    count, waited, least = 0, 0, float("inf")
    for error in errors if patience else ():
        waited = 0 if error < least else waited + 1
        least = min(error, least)
        if waited == patience:
            count, waited = count + 1, 0
    return count


def validate(run, probe):
    """Errors on validation data: at the size that is trained, in the last stage also beyond it.

    Args:
        run: a `Run`.
        probe: the `Probe` of its model.
    """
    recipe, level = run.recipe, run.position.level
    now = {} if level is None else dict.fromkeys(run.stage.curriculum.parameters, level)
    with averaged(run.model):
        row = errors(probe, recipe, VALIDATION_EXAMPLES, {**run.stage.parameters, **now})
        if level is None:
            further = errors(probe, recipe, LONGER_EXAMPLES, longer_parameters(recipe))
            row |= {name.replace("validation", "longer"): value for name, value in further.items()}
    if recipe.hyperparameters.get("entropy_bonus"):
        row["entropy_bonus"] = bonus_of(run.model).entropy_bonus
    return row


def errors(probe, recipe, examples, parameters, seed=None):
    """Errors on validation data with these parameters of the data set."""
    from ..evaluate import measure
    from ..evaluate import summary as numbers_of

    found = measure(probe, recipe, examples, split="validation", seed=seed, parameters=parameters)
    found = numbers_of(found, recipe)
    return {
        "validation_error": found["sequence_error"],
        "validation_symbol_error": found["symbol_error"],
    }


def longer_parameters(recipe):
    """The data set's parameters of lengths beyond those that are trained."""
    least, most = recipe.length_parameters
    longer = recipe.hyperparameters["longer"]
    return {least: longer if is_raw(recipe) else longer // 2 + 1, most: longer}


def is_raw(recipe):
    """Whether a recipe's network has no controller."""
    return recipe.hyperparameters.get("controller_units", 0) is None


def selection(run, examples):
    """Errors on the same validation examples for every training."""
    probe, recipe = Probe(run.model), run.recipe
    further = errors(probe, recipe, min(examples, 1000), longer_parameters(recipe), seed=0)
    return {
        "longer": recipe.hyperparameters["longer"],
        **errors(probe, recipe, examples, {}, seed=0),
        **{name.replace("validation", "longer"): value for name, value in further.items()},
    }


class Probe:
    """A model that is asked for its answers.

    Args:
        model: from vectors to probabilities.
    """

    def __init__(self, model):
        self.model = model

    def __call__(self, inputs):
        """Outputs for `inputs` (batch, m, width): probabilities (batch, outputs, bits, 1)."""
        outputs = np.asarray(self.model.predict_on_batch(inputs))
        return {"outputs": outputs.reshape(*outputs.shape[:3], 1)}


def examples_at_once(recipe, parameters):
    """How many examples are measured in one batch: fewer of longer ones."""
    return int(np.clip(LARGEST_BATCH // parameters["length"], 1, 1000))


def found(batch, answers):
    """Bits, wrong bits and length of each example."""
    counts = batch["weights"] > 0
    wrong = (answers["outputs"][..., 0] > 0.5) != (batch["targets"] > 0)
    return {
        "wrong_symbols": (wrong & counts[..., None]).sum(axis=(1, 2)),
        "symbols": counts.sum(axis=1) * wrong.shape[2],
        "difficulty": batch["difficulty"].max(axis=1),
    }


def ask(probe, recipe, text):
    """What a model answers to one example in human form.

    The memory has as many leaves as in training, unless the example needs more.

    Args:
        probe: a `Probe`.
        recipe: the model's `Recipe`.
        text: the example.

    Returns:
        A dict: `answer`; `read`, the example as it was understood; `leaves` of the memory; and
        `confidence`, the product of the probabilities of all bits of the answer. Of operations
        `read` is a list, and `answer` has a number for each POP.
    """
    task = datasets.task(recipe.dataset)
    inputs = task.encode(text, **recipe.parameters)
    length = inputs.shape[1]
    leaves = max(recipe.parameters["length"], 2 ** (length - 1).bit_length())
    rest = ((0, 0), (0, leaves - length), (0, 0))
    padded = np.pad(inputs, rest, constant_values=task.PADDING)
    read = task.describe(inputs[0])
    asked = [operation == "POP" for operation in read]
    if is_raw(recipe) and not any(asked):
        raise ValueError(f"nothing is asked of {text!r}: a POP is needed")
    outputs = probe(padded)["outputs"][0, : task.output_length(length), :, 0]
    if is_raw(recipe):
        answer = " ".join(np.array(task.decode(outputs))[asked])
        outputs = outputs[asked]
    else:
        answer = task.decode(outputs)
        outputs = outputs[: np.argmax([*(outputs[:, -1] > 0.5), True]) + 1]
    return {
        "answer": answer,
        "read": read,
        "leaves": leaves,
        "confidence": round(float(np.maximum(outputs, 1 - outputs).prod()), 4),
    }
