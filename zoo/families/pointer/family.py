"""The family of pointer networks (Vinyals et al. 2015)."""

from pathlib import Path
from typing import ClassVar

import numpy as np

from .... import datasets, export, plots
from ....datasets.points import read_file
from ....statistics import Ratio
from ...entries import lengths
from ...entries.card import percent
from ...entries.figures import ERROR, Measurement
from ...entries.thinking_less import limits_up_to
from ..family import OF_TRAINING, Family
from . import card, network
from .network import Probe, Search

# Numbers of points that an entry is measured at, beside those of its training.
LENGTHS = (5, 10, 20)
# The most points of an example: an answer and its probabilities grow as the square.
MOST_POINTS = 1000
# The number of pairs of an output and a point in a batch of a measurement.
LARGEST_BATCH = 500 * 51**2
# Targets of a training batch are padded to a multiple of this, so that few shapes are compiled.
PAD_TO_MULTIPLE_OF = 8
# Test examples in a picture by default, and at most.
SHOWN, MOST_SHOWN = 8, 24
CURVES = {"sequence_error": "training", "validation_error": "validation"}


class Pointer(Family):
    """Networks that answer with the indices of points of their input."""

    networks: ClassVar = {"pointer": network.build}
    logged_metrics = ("ponder_steps",)
    columns = (
        "sequence_error",
        "ponder_steps",
        "validation_error",
        "validation_ponder_steps",
    )
    default_examples = 10_000
    run_metrics = (
        "variant",
        *OF_TRAINING,
        "validation_error",
        "validation_ponder_steps",
        "sequence_error",
        "confidence_interval",
        "examples",
        "ponder_steps",
        "by_difficulty",
    )
    limits = ("max_ponder", "epsilon", "beam")
    lengths_are_chosen = True
    text = card
    validated = ("ponder_steps",)
    drawn_without_example = "test examples, without points"

    def halting_layers(self, model):
        """The decoder."""
        return [model.decoder]

    @property
    def task(self):
        """The task, which measures answers beside whether they are exactly right."""
        return datasets.task(self.recipe.dataset)

    def training_batch(self, batch, parameters):
        """Points, and the indices of the answers, without most of the padding behind the longest.

        A hull of 50 points has about a dozen corners, and padding takes time, too.
        """
        targets = batch["targets"]
        longest = int(np.count_nonzero(targets, axis=1).max())
        width = -(-longest // PAD_TO_MULTIPLE_OF) * PAD_TO_MULTIPLE_OF
        return batch["inputs"], targets[:, :width]

    def probe(self, model):
        """The model with the number of times that it looked at the points."""
        return Probe(model)

    def evaluation_batch_size(self, parameters):
        """Fewer where there are more points."""
        return int(np.clip(LARGEST_BATCH // (parameters["length"] + 1) ** 2, 1, 500))

    def example_results(self, batch, answers):
        """Number of points, steps and outputs, and what the task measures of each answer."""
        steps = answers["ponder_steps"]
        return {
            "difficulty": batch["difficulty"].max(axis=1),
            "ponder_steps": steps.sum(axis=1),
            "outputs": (steps > 0).sum(axis=1),
            **self.task.measure(batch, answers["indices"]),
        }

    def ratios(self, results):
        """The means of what the task measures, and steps by output."""
        ones = np.ones(len(results["outputs"]))
        measured = {
            name: Ratio(np.asarray(results[name], "float64"), ones, largest)
            for name, largest in self.task.MEASURES.items()
        }
        steps = np.asarray(results["ponder_steps"], "float64")
        return {**measured, "ponder_steps": Ratio(steps, results["outputs"])}

    def predict(self, probe, text):
        """A model's answer to points in human form.

        Returns:
            A dict: `answer`, the indices from 1; `points`; lists with an element for each index of
            the answer: `confidence`, its probability among what was valid, `ponder_steps` (N) and
            `ponder` (ρ = N + R); and what the task says about the answer, such as its `area`.
        """
        inputs = self.task.encode(text, **self.recipe.parameters)
        return self.answers_to(probe, inputs)[0]

    def answers_to(self, probe, inputs):
        """The answers to a batch of points, a list of dicts as in `predict`."""
        task, outputs, answers = self.task, probe(inputs), []
        for row, points in enumerate(inputs):
            indices = [int(index) for index in outputs["indices"][row] if index > 0]
            places = range(len(indices))
            shares = outputs["outputs"][row, places, indices]
            answers.append(
                {
                    "answer": " ".join(map(str, indices)),
                    "points": task.describe(points),
                    "confidence": [round(float(share), 4) for share in shares],
                    "ponder_steps": [round(float(outputs["ponder_steps"][row, i])) for i in places],
                    "ponder": [round(float(outputs["ponder"][row, i]), 3) for i in places],
                    **task.describe_answer(points, indices),
                }
            )
        return answers

    @property
    def lengths(self):
        """Those of `LENGTHS` that the task has, and the most points in training."""
        most = getattr(self.task, "MOST_POINTS", MOST_POINTS)
        return sorted({min(n, most) for n in (*LENGTHS, self.recipe.parameters["length"])})

    def entry_metrics(self, run, model, trainings, request):
        """The errors with several numbers of points, see `measure_lengths`."""
        return self.measure_lengths(run, request)

    def measure_lengths(self, run, request):
        """The errors with several numbers of points, a dict with the list `lengths`."""
        points = request.lengths or self.lengths
        numbers = request.examples, request.long_examples, points
        return {"lengths": lengths.measure(self, run, *numbers, request.seed or 0)}

    def measurements(self, metrics):
        """The test data, the numbers of points, and the validation data."""
        rows = [
            Measurement(f"{name} points", row, lengths.parameters_of(row, self.recipe))
            for row in metrics["lengths"]
            for name in [lengths.name_of(row)]
        ]
        row = {"examples": metrics["examples"], ERROR: metrics["validation_error"]}
        return [
            Measurement("test", metrics),
            *rows,
            Measurement("validation", row, split="validation"),
        ]

    def add_endpoints(self, archive, model):
        """Give the SavedModel its endpoints, for any number of examples and of points.

        They return the dict of `network.Search`: `serve` (also `serving_default`) takes points
        float32 (batch, n, 2), -1 where there is none, `serve_with_limits` also `max_ponder` and
        `epsilon`.
        """
        shape, names = (None, None, model.features), ("max_ponder", "epsilon")
        export.add_endpoints(archive, Search(model), shape, "float32", names)

    def draw_card(self, folder, model, metrics, history):
        """Write the learning curve, and the answers to the first test examples."""
        plots.learning_curve(folder / "learning_curve.png", history, CURVES)
        self.draw(folder / "ponder.png", self.probe(model), self.some_points(SHOWN))

    def some_points(self, count, seed=0):
        """The first test examples of the largest number of points, (count, n, 2)."""
        most = self.recipe.parameters[self.recipe.length_parameters[1]]
        parameters = {**self.recipe.parameters, **lengths.between(self.recipe, most)}
        kinds = {"seed": seed, "split": "test", **parameters}
        return datasets.batch(self.recipe.dataset, count, **kinds)["inputs"]

    def draw(self, path, probe, inputs, title=None):
        """Draw the answers to points and the ponder of each output; returns the path."""
        answers = self.answers_to(probe, inputs)
        indices = [[int(index) for index in answer["answer"].split()] for answer in answers]
        ponder = [answer["ponder"] for answer in answers]
        return plots.answers_over_points(path, list(inputs), indices, ponder, title)

    @property
    def limits_measured(self):
        """Up to the largest number of steps, if the network halts."""
        halts = self.recipe.hyperparameters["halting"] == "act"
        return limits_up_to(self.recipe.hyperparameters["max_ponder"]) if halts else ()

    def set_limit(self, model, name, value):
        """Set how many answers the search keeps, or `max_ponder` or `epsilon` of the decoder."""
        if name == "beam":
            model.beams = value
        else:
            setattr(model.decoder, name, value)

    def evaluation_parameters(self, wanted):
        """The data set's parameters for a number of points, or for the least and the largest.

        Args:
            wanted: a dict of `bits`, `length` and `probe`, each of which may be None.

        Raises:
            ValueError: `bits` or `probe` is given, or too many points.
        """
        length = wanted.get("length")
        super().evaluation_parameters({**wanted, "length": None})
        if length is None:
            return {}
        parameters = lengths.between(self.recipe, length)
        if parameters["length"] > MOST_POINTS:
            raise ValueError(
                f"--length must be at most {MOST_POINTS:,} points. Received: {parameters['length']}"
            )
        return parameters

    def read_examples(self, path):
        """The examples of a file in the text format of the authors, see `points.read_file`."""
        try:
            return read_file(path, MOST_POINTS)
        except ValueError as error:
            raise ValueError(f"--file {error}") from error

    def describe(self, metrics):
        """What the task measures, and the steps, as text."""
        return f"{card.scores(metrics)}, steps {metrics['ponder_steps']:.2f}"

    def describe_lengths(self, results):
        """The error with each number of points, one per line."""
        return "\n".join(
            f"{lengths.name_of(row)} points: {percent(row['sequence_error'])} wrong, "
            f"{self.describe(row)}"
            for row in results["lengths"]
        )

    def format_answer(self, answer):
        """A table with a line for each index of the answer, and the answer."""
        return card.answer_table(answer)

    def plot(self, model, request):
        """Draw the answer to points, or to test examples, and the ponder of each output.

        Returns:
            A dict: `picture`, the path, and for points given by the user the keys of `predict`.
        """
        name, probe = self.recipe.name, self.probe(model)
        out = Path(request.out or f"{name}.png")
        if request.input is None:
            count = min(request.examples or SHOWN, MOST_SHOWN)
            points = self.some_points(count, 0 if request.seed is None else request.seed)
            return {"picture": str(self.draw(out, probe, points, name))}
        inputs = self.task.encode(request.input, **self.recipe.parameters)
        picture = self.draw(out, probe, inputs, name)
        return {"picture": str(picture), **self.predict(probe, request.input)}
