"""The family of networks with hierarchical attentive memory (Andrychowicz & Kurach 2016)."""

import math
from typing import ClassVar

import numpy as np

from .... import datasets, plots
from ....datasets.symbols.digits import as_asked
from ....reinforce import ReinforceModel
from ....weight_averages import AveragingAdam
from ...entries import lengths
from ...entries.card import percent
from ...entries.figures import Exact, Measurement, of_selection, other_models
from ..family import Family
from . import card, network, picture, schedule
from .network import Probe, network_of, serve_vectors
from .settings import is_raw

VALIDATION_EXAMPLES = 1000
LONGER_EXAMPLES = 200
# The number of input vectors in a batch of a measurement.
LARGEST_BATCH = 32_000
# Factors on the memory's size, for measurements with larger memories than in training.
LARGER = (2, 4)
CURVES = {
    "sequence_error": "training, turns drawn",
    "validation_error": "validation",
    "longer_error": "validation, longer",
}


class HAM(Family):
    """Networks with hierarchical attentive memory, whose search stops at a leaf."""

    networks: ClassVar = {"ham": network.build}
    logged_metrics = ("reward", "entropy")
    columns = ("reward", "entropy", "entropy_bonus", *Family.columns)
    default_examples = 2500
    limits = ("leaves",)
    text = card
    validated = validated_longer = ("symbol_error",)

    def optimizer(self):
        """Adam, which may keep averages of the weights."""
        settings = self.recipe.hyperparameters
        momentum = settings.get("averaging")
        return AveragingAdam(
            self.recipe.stages[0].learning_rate,
            beta_2=settings["beta_2"],
            global_clipnorm=settings["clipnorm"],
            use_ema=momentum is not None,
            ema_momentum=momentum or 0.0,
        )

    def loss(self, model):
        """The mean over the vectors of the answers; REINFORCE has its own loss."""
        return None if isinstance(model, ReinforceModel) else super().loss(model)

    def training_batch(self, batch, parameters):
        """Inputs, targets and weights for `fit`."""
        return batch["inputs"], batch["targets"].astype("float32"), batch["weights"]

    def on_chunk_begin(self, run):
        """Set the entropy bonus; returns the factor on the learning rate."""
        schedule.set_entropy_bonus(run)
        return schedule.learning_rate_factor(run)

    def validate(self, run, probe):
        """Errors on validation data at the current size; in the last stage also at larger sizes."""
        level, settings = run.position.level, self.recipe.hyperparameters
        now = {} if level is None else dict.fromkeys(run.stage.curriculum.parameters, level)
        parameters = {**run.stage.parameters, **now}
        row = self.validation_metrics(probe, VALIDATION_EXAMPLES, parameters=parameters)
        if level is None:
            longer = self.longer_parameters()
            row |= self.validation_metrics(probe, LONGER_EXAMPLES, None, longer, "longer")
        if settings.get("entropy_bonus"):
            row["entropy_bonus"] = schedule.with_entropy_bonus(run.model).entropy_bonus
        return row

    def longer_parameters(self):
        """The data set's parameters of lengths beyond those that are trained."""
        least, most = self.recipe.length_parameters
        longer = self.recipe.hyperparameters["longer"]
        return {least: longer if is_raw(self.recipe) else longer // 2 + 1, most: longer}

    def selection_metrics(self, run, examples):
        """Errors on the same validation examples for every training."""
        probe, parameters = self.probe(run.model), self.longer_parameters()
        return {
            "longer": self.recipe.hyperparameters["longer"],
            **self.validation_metrics(probe, examples, 0),
            **self.validation_metrics(probe, min(examples, 1000), 0, parameters, "longer"),
        }

    def probe(self, model):
        """The model; its outputs have one more axis."""
        return Probe(model)

    def evaluation_batch_size(self, parameters):
        """Fewer of longer examples."""
        return int(np.clip(LARGEST_BATCH // parameters["length"], 1, 1000))

    def example_results(self, batch, answers):
        """Wrong bits, all bits, and length of each example."""
        counts = batch["weights"] > 0
        wrong = (answers["outputs"][..., 0] > 0.5) != (batch["targets"] > 0)
        return {
            "wrong_symbols": (wrong & counts[..., None]).sum(axis=(1, 2)),
            "symbols": counts.sum(axis=1) * wrong.shape[2],
            "difficulty": batch["difficulty"].max(axis=1),
        }

    def predict(self, probe, text):
        """A model's answer to an example in human form.

        The memory has as many leaves as in training, unless it has its own number, or the example
        needs more.

        Returns:
            A dict: `answer`; `read`, the example as it was parsed; `leaves` of the memory; and
            `confidence`, the product of the probabilities of all bits of the answer. Of operations
            `read` is a list, and `answer` has a number for each POP. A sum is decimal if the
            example was.
        """
        inputs = self.encode(text)
        length, trained = inputs.shape[1], self.recipe.parameters["length"]
        # A wrapper may estimate how long a call will take.
        own = getattr(getattr(probe, "probe", probe), "num_leaves", None)
        least = length if own else 2 ** (length - 1).bit_length()
        size = max(least, min(trained, own or trained))
        rest = ((0, 0), (0, size - length), (0, 0))
        padding = datasets.task(self.recipe.dataset).PADDING
        answers = probe(np.pad(inputs, rest, constant_values=padding))
        found = self.in_words(text, inputs, answers["outputs"][0, ..., 0])
        return {**found, "leaves": int(answers.get("leaves", [size])[0])}

    def encode(self, text):
        """The inputs (1, m, width) of an example in human form.

        Raises:
            ValueError: it is none, or nothing is asked.
        """
        task = datasets.task(self.recipe.dataset)
        inputs = task.encode(text, **self.recipe.parameters)
        if is_raw(self.recipe) and "POP" not in task.describe(inputs[0]):
            raise ValueError(f"{text!r} has no question: a POP is needed")
        return inputs

    def in_words(self, text, inputs, outputs):
        """`answer`, `read` and `confidence`, as `predict` returns them.

        Args:
            text: an example.
            inputs: what it stands for, (1, m, width).
            outputs: their probabilities (outputs, bits).
        """
        task, length = datasets.task(self.recipe.dataset), inputs.shape[1]
        read, outputs = task.describe(inputs[0]), outputs[: task.output_length(length)]
        if is_raw(self.recipe):
            asked = [operation == "POP" for operation in read]
            answer = " ".join(np.array(task.decode(outputs))[asked])
            outputs = outputs[asked]
        else:
            answer = task.decode(outputs)
            outputs = outputs[: np.argmax([*(outputs[:, -1] > 0.5), True]) + 1]
        if hasattr(task, "BASE"):
            answer = as_asked(answer, task.BASE, text)
        confidence = round(float(np.maximum(outputs, 1 - outputs).prod()), 4)
        return {"answer": answer, "read": read, "confidence": confidence}

    def entry_metrics(self, run, model, trainings, request):
        """The number of weights, the scouted seeds, and errors with larger memories."""
        return {
            "weights": count_weights(model),
            "scouted": self.scouted_seeds(run),
            "sizes": self.sizes(run.model, request.examples, request.seed),
            "other_models": other_models(self.recipe, request.into, "sizes"),
        }

    def sizes(self, model, examples, seed=0):
        """The errors with memories as large as in training and larger.

        Args:
            model: a trained model.
            examples: number of fresh examples at each size.
            seed: of the examples.

        Returns:
            A list of dicts: `leaves`; `least` and `length`, the range of the examples' lengths; and
            the keys of `summary`.
        """
        recipe, probe = self.recipe, self.probe(model)
        trained = recipe.parameters["length"]
        rows = []
        for leaves in (trained, *(factor * trained for factor in LARGER)):
            # Without a controller there are exactly as many operations as leaves.
            least = leaves // 2 + 1 if leaves > trained else recipe.parameters["min_length"]
            least = leaves if is_raw(recipe) else least
            parameters = lengths.between(recipe, (least, leaves))
            numbers = self.summary(
                self.measure(probe, examples, seed=seed, parameters=parameters)
            )
            rows.append({"leaves": leaves, "least": least, "length": leaves, **numbers})
        return rows

    def measurements(self, metrics):
        """The test data, the sizes, and the validation data that trainings were chosen by."""
        recipe = self.recipe
        rows = [
            Measurement(
                f"{row['leaves']} leaves",
                row,
                lengths.between(recipe, (row["least"], row["length"])),
            )
            for row in metrics["sizes"]
        ]

        def longer(run):
            return self.longer_parameters()

        return [Measurement("test", metrics), *rows, *of_selection(recipe, metrics, longer)]

    def exact_figures(self, metrics, model, folder):
        """The number of weights."""
        return [Exact("model", "weights", metrics["weights"], count_weights(model))]

    def add_endpoints(self, archive, model):
        """Give the SavedModel its endpoint, with free batch size and length.

        `serve` (also `serving_default`) takes vectors float32 (batch, m, width), -1 in every
        element of those after the end of an example, and returns a dict of `outputs`,
        probabilities of ones (batch, outputs, bits). The memory has the least power of two of
        leaves that is not below m.
        """
        network = network_of(model)
        bits = next(size for size in reversed(network.outputs[0].shape) if size != 1)
        serve_vectors(archive, network, network.inputs[0].shape[-1], bits)

    def draw_card(self, folder, model, metrics, history):
        """Write the learning curve."""
        own = {} if card.takes_turns(self.recipe) else {"sequence_error": "training"}
        plots.learning_curve(folder / "learning_curve.png", history, CURVES | own)

    def check_limits(self, limits, shown=str):
        """Refuse other limits than `leaves`, and a number that is not a power of two."""
        super().check_limits(limits, shown)
        leaves = limits.get("leaves")
        if leaves is not None and leaves & (leaves - 1):
            raise ValueError(f"{shown('leaves')} must be a power of two. Received: {leaves}")

    def set_limit(self, model, name, value):
        """Set the number of leaves."""
        network_of(model).get_layer("ham").num_leaves = value

    def evaluation_parameters(self, wanted):
        """The data set's parameters for a length.

        Args:
            wanted: a dict of `bits`, `length` (a number, or a pair of the least and the largest)
                and `probe`, each of which may be None.

        Raises:
            ValueError: the tasks have no such parameter.
        """
        for name in ("bits", "probe"):
            if wanted.get(name) is not None:
                raise ValueError(
                    f"examples of {self.recipe.dataset} are as long as --length says, and have no "
                    f"--{name}. Received: --{name} {wanted[name]}"
                )
        if wanted.get("length") is None:
            return {}
        return lengths.between(self.recipe, wanted["length"])

    def measure_lengths(self, run, request):
        """The results of a training that is not published."""
        if request.lengths:
            raise ValueError(
                f"{self.recipe.name} is measured with memories of fixed sizes, see the card; there "
                f"is no --lengths. Received: {' '.join(map(str, request.lengths))}"
            )
        position = run.position
        rows = self.sizes(run.model, request.examples, request.seed or 0)
        return {
            "dataset": self.recipe.dataset,
            "settings": run.settings,
            "training_seed": self.recipe.seed,
            "training_backend": run.backend,
            "training_seconds": round(position.seconds, 1),
            "steps": position.step,
            "finished": position.done,
            "trained_leaves": position.level or self.recipe.parameters["length"],
            "symbol_error": rows[0]["symbol_error"],
            "sizes": rows,
        }

    def describe(self, metrics):
        """The share of wrong bits as text; for an entry also its errors with larger memories."""
        words = f"bit error {metrics['symbol_error']:.3%}"
        further = [
            f"{row['leaves']}: {percent(row['sequence_error'])}" for row in metrics.get("sizes", ())
        ]
        return words + (f"; errors by number of leaves: {', '.join(further)}" if further else "")

    def format_answer(self, answer):
        """The example as it was parsed, the number of leaves, and the answer."""
        read = answer["read"]
        return "\n".join(
            [
                f"read: {read if isinstance(read, str) else ', '.join(read)}",
                f"{answer['leaves']} leaves, confidence {answer['confidence']:.1%}",
                f"answer: {answer['answer']}",
            ]
        )

    def check_plot(self, request):
        """Refuse a soft memory, which takes no path, and an example that cannot be drawn."""
        recipe = self.recipe
        if recipe.hyperparameters["soft"]:
            raise ValueError(f"{recipe.name} takes no path that could be drawn")
        if request.input is None:
            raise ValueError(f"{recipe.name} is drawn while it answers an example; give one")
        picture.check_drawn(self.encode(request.input))

    def plot(self, model, request):
        """Draw the tree at each access while the model answers an example (Figure 6).

        Returns:
            A dict: `picture`, its file; `attended`, the leaves that were, in order; and `read`,
            `answer`, `confidence` and `leaves`, as in `predict`, of what is drawn: a memory with as
            few leaves as the example needs, which may answer otherwise than a larger one.
        """
        name, inputs = self.recipe.name, self.encode(request.input)
        out = request.out or f"{name}.png"
        outputs, drawn = picture.draw(out, model.network, self.recipe, inputs, name)
        return {"picture": str(out), **self.in_words(request.input, inputs, outputs), **drawn}


def count_weights(model):
    """The number of trainable weights."""
    return sum(math.prod(variable.shape) for variable in model.trainable_variables)
