"""The family of residual networks that classify images (Figurnov et al. 2017)."""

from pathlib import Path
from typing import ClassVar

import keras
import numpy as np

from .... import datasets, export, plots
from ....datasets.digit_canvas import digit_canvas
from ....statistics import Ratio
from ...entries.figures import Measurement
from ...entries.thinking_less import limits_up_to
from ..family import OF_TRAINING, Family
from . import card, network
from .network import ImageError, Probe, cross_entropy, halting_layers, ponder_map

# The number of test images on the card.
SHOWN = 16
# Larger canvases that an entry is measured on, as multiples of the side in training, and the
# number of examples of each.
LARGER, LARGER_EXAMPLES = (2, 4), 1000
# The metrics of each training.
RUN_METRICS = (
    "variant",
    *OF_TRAINING,
    "validation_error",
    "sequence_error",
    "confidence_interval",
    "examples",
    "accuracy",
    "flops",
    "flops_share",
)
# Means over the images of an evaluation.
MEANS = ("flops", "flops_share", "ponder_steps", "units_inside", "units_outside")
# The number of pixels in a batch of a measurement.
LARGEST_BATCH = 512 * 32 * 32


class Images(Family):
    """Networks that classify images and stop early where an image is easy."""

    networks: ClassVar = {"images": network.build}
    columns = (
        "sequence_error",
        "ponder_cost",
        "validation_error",
        "validation_flops_share",
        "validation_units_inside",
        "validation_units_outside",
    )
    logged_metrics = ("ponder_cost",)
    default_examples = 5_000
    limits = ("max_ponder",)
    text = card
    validation_examples = 500
    validated = ("flops_share", "units_inside", "units_outside")
    drawn_without_example = "test images, without a picture"

    @property
    def run_metrics(self):
        """The metrics of a training; units inside and outside if the objects have a box."""
        units = ("units_inside", "units_outside") if "side" in self.recipe.parameters else ()
        return (*RUN_METRICS, *units)

    def optimizer(self):
        """SGD with momentum, as in the paper."""
        settings = self.recipe.hyperparameters
        return keras.optimizers.SGD(
            self.recipe.stages[0].learning_rate,
            momentum=settings["momentum"],
            weight_decay=settings["weight_decay"],
        )

    def loss(self, model):
        """The cross-entropy of each image."""
        return cross_entropy

    def metric(self):
        """The share of wrong images."""
        return ImageError()

    def halting_layers(self, model):
        """The blocks that halt."""
        return halting_layers(model)

    def training_batch(self, batch, parameters):
        """Images and their classes."""
        return batch["inputs"], batch["targets"]

    def probe(self, model):
        """The model with its numbers of units at each position."""
        return Probe(model)

    def evaluation_batch_size(self, parameters):
        """Fewer of larger images."""
        side = datasets.task(self.recipe.dataset).sizes(**parameters)["side"]
        return int(np.clip(LARGEST_BATCH // side**2, 1, 500))

    def example_results(self, batch, answers):
        """Class, FLOPs and their share, and the mean numbers of units, per image.

        `ponder_steps` is the mean over all blocks. `units_inside` and `units_outside` are means
        over the positions of the first block inside and outside of the object's box, if known.
        """
        plain = answers["plain_flops"]
        results = {
            "class": batch["targets"][:, 0],
            "flops": answers["flops"],
            "flops_share": answers["flops"] / plain,
            "ponder_steps": np.mean([x.reshape(len(x), -1).mean(1) for x in answers["steps"]], 0),
        }
        if "box" in batch:
            first = answers["steps"][0]
            within = digit_canvas.inside(batch["box"], batch["inputs"].shape[1])
            if first.ndim < 3:
                first = np.broadcast_to(first[:, None, None], within.shape)
            sums = {"inside": within, "outside": ~within}
            for name, where in sums.items():
                # A canvas of the digit's size has nothing outside.
                if where.any((1, 2)).all():
                    mean = np.where(where, first, 0).sum((1, 2)) / where.sum((1, 2))
                    results[f"units_{name}"] = mean
        return results

    def ratios(self, results):
        """Means over the images."""
        ones = np.ones(len(results["flops"]))
        return {
            name: Ratio(np.asarray(results[name], "float64"), ones)
            for name in MEANS
            if name in results
        }

    def means(self, results):
        """Accuracy, and the means over the images."""
        means = {name: round(ratio.value, 4) for name, ratio in self.ratios(results).items()}
        return {"accuracy": round(1 - float(results["wrong"].mean()), 6), **means}

    def by_difficulty(self, results):
        """The numbers of an evaluation for each class."""
        rows = []
        names = datasets.task(self.recipe.dataset).CLASSES
        for label in np.unique(results["class"]):
            chosen = {k: values[results["class"] == label] for k, values in results.items()}
            rows.append(
                {"class": names[label], "examples": len(chosen["class"]), **self.means(chosen)}
            )
        return rows

    def describe(self, metrics):
        """Accuracy, FLOPs and units of an evaluation as text."""
        words = (
            f"accuracy {metrics['accuracy']:.2%}, {metrics['flops'] / 1e6:.2f} MFLOP "
            f"({metrics['flops_share']:.1%} of the plain network)"
        )
        if "units_inside" in metrics:
            words += f", units of block 1: {metrics['units_inside']:.2f} inside the digit"
        if "units_outside" in metrics:
            words += f", {metrics['units_outside']:.2f} outside"
        return words

    def predict(self, probe, text):
        """A model's answer to a picture.

        Args:
            probe: of the model.
            text: the path of a picture.

        Returns:
            A dict: `answer`, the name of the class; `confidence`, its probability; `flops` and
            `flops_share`; `ponder_steps`, the mean units of each block; and `ponder`, the mean ρ of
            all blocks.
        """
        task = datasets.task(self.recipe.dataset)
        inputs = task.encode(text, **self.recipe.parameters)
        # A wrapper may estimate how long a call will take.
        answers = getattr(probe, "probe", probe).once(inputs)
        label = int(answers["outputs"][0, 0].argmax())
        flops = float(answers["flops"][0])
        return {
            "answer": task.CLASSES[label],
            "confidence": round(float(answers["outputs"][0, 0, label]), 4),
            "flops": flops,
            "flops_share": round(flops / answers["plain_flops"], 4),
            "ponder_steps": [round(float(steps[0].mean()), 3) for steps in answers["steps"]],
            "ponder": round(float(ponder_map(answers, inputs.shape[1:3]).mean()), 3),
        }

    def entry_metrics(self, run, model, trainings, request):
        """The results on larger canvases, and those of right and of wrong answers.

        Returns:
            A dict of lists of dicts as in `summary`: `sides`, with `side`, and `by_answer`, with
            `answer`.
        """
        probe, rows = self.probe(model), []
        for factor in LARGER if "side" in self.recipe.parameters else ():
            parameters = {"side": factor * self.recipe.parameters["side"]}
            results = self.measure(
                probe, LARGER_EXAMPLES, seed=request.seed, parameters=parameters
            )
            rows.append({**parameters, **self.summary(results)})
        results = self.measure(probe, request.examples, seed=request.seed)
        return {"sides": rows, "by_answer": self.by_answer(results)}

    def by_answer(self, results):
        """The numbers of an evaluation where the answer is right, and where it is wrong."""
        rows, wrong = [], np.asarray(results["wrong"], bool)
        for answer, chosen in (("right", ~wrong), ("wrong", wrong)):
            some = {name: values[chosen] for name, values in results.items()}
            if count := int(chosen.sum()):
                rows.append({"answer": answer, "examples": count, **self.means(some)})
        return rows

    def measurements(self, metrics):
        """The test data, and larger canvases."""
        rows = [
            Measurement(f"canvases of {row['side']}", row, {"side": row["side"]})
            for row in metrics["sides"]
        ]
        return [*super().measurements(metrics), *rows]

    def add_endpoints(self, archive, model):
        """Give the SavedModel its endpoints, for any number of images of any size.

        They return a dict of `outputs`, probabilities (batch, classes), and of `steps_0`,
        `remainder_0`, …, N and R of each block: `serve` (also `serving_default`) takes float32
        (batch, height, width, channels), `serve_with_limits` also `max_ponder`.
        """
        *_, channels = model.inputs[0].shape
        shape = (None, None, None, channels)
        export.add_endpoints(archive, Probe(model).model, shape, "float32", ("max_ponder",))

    def draw_card(self, folder, model, metrics, history):
        """Write the ponder maps of the first test images."""
        parameters = self.recipe.parameters
        batch = datasets.batch(self.recipe.dataset, SHOWN, split="test", **parameters)
        self.draw(folder / "ponder.png", self.probe(model), batch["inputs"], batch["targets"][:, 0])

    def draw(self, path, probe, inputs, targets=None, title=None):
        """Draw images beside the maps of their ponder; returns the path."""
        answers = probe.once(inputs)
        names = datasets.task(self.recipe.dataset).CLASSES
        labels = [f"says {names[answer]}" for answer in answers["outputs"][:, 0].argmax(-1)]
        if targets is not None:
            labels = [f"{names[target]}, {label}" for target, label in zip(targets, labels)]
        maps = ponder_map(answers, inputs.shape[1:3])
        return plots.ponder_over_pictures(path, inputs, maps, labels, title)

    @property
    def limits_measured(self):
        """Up to the number of units of a block, if the network halts."""
        halts = self.recipe.hyperparameters["halting"] != "fixed"
        return limits_up_to(self.recipe.hyperparameters["residual_units"]) if halts else ()

    def set_limit(self, model, name, value):
        """Set `max_ponder` of each block."""
        for layer in halting_layers(model):
            layer.rule.max_ponder = value

    def evaluation_parameters(self, wanted):
        """The data set's parameters for a side.

        Args:
            wanted: a dict of `bits`, `length`, `probe` and `side`, each of which may be None.

        Raises:
            ValueError: another of them is given.
        """
        if "side" not in self.recipe.parameters:
            return super().evaluation_parameters(wanted)
        super().evaluation_parameters({**wanted, "side": None})
        return {} if wanted.get("side") is None else {"side": wanted["side"]}

    def format_answer(self, answer):
        """The answer, its probability, and its cost."""
        units = ", ".join(f"{steps:.2f}" for steps in answer["ponder_steps"])
        return (
            f"answer: {answer['answer']} ({answer['confidence']:.1%})\n"
            f"{answer['flops_share']:.1%} of the FLOPs of the plain network, units of each block: "
            f"{units}"
        )

    def plot(self, model, request):
        """Draw a picture, or test images, beside the maps of their ponder.

        Returns:
            A dict: `picture`, the path, and for a picture given by the user the keys of `predict`.
        """
        name, probe = self.recipe.name, self.probe(model)
        out, parameters = Path(request.out or f"{name}.png"), self.recipe.parameters
        if request.input is None:
            seed = 0 if request.seed is None else request.seed
            count = min(request.examples or SHOWN, 64)
            batch = datasets.batch(
                self.recipe.dataset, count, seed=seed, split="test", **parameters
            )
            self.draw(out, probe, batch["inputs"], batch["targets"][:, 0], name)
            return {"picture": str(out)}
        inputs = datasets.task(self.recipe.dataset).encode(request.input, **parameters)
        self.draw(out, probe, inputs, title=name)
        return {"picture": str(out), **self.predict(probe, request.input)}
