"""The family of the networks of Graves (2016)."""

from pathlib import Path
from typing import ClassVar

from .... import datasets, export, losses, plots
from ....evaluation import PonderEvaluation, PonderProbe
from ...entries import baseline
from ...entries.figures import ERROR, Measurement
from ..family import Family
from . import answers, card, cells

# Sequences in the picture of ponder, and the number drawn in search of long ones.
SEQUENCES = 3
DRAWN = 100


class ACT(PonderEvaluation, Family):
    """Networks with one adaptive recurrent layer, which learns when to stop."""

    networks: ClassVar = {
        "lstm": cells.lstm,
        "long_lstm": cells.long_lstm,
        "sparse_tanh": cells.sparse_tanh,
    }
    logged_metrics = ("ponder", "ponder_steps")
    columns = (
        "sequence_error",
        "ponder",
        "ponder_steps",
        "validation_error",
        "validation_ponder",
        "validation_ponder_steps",
    )
    default_examples = 10_000
    run_metrics = (
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
    limits = ("max_ponder", "epsilon", "within")
    text = card
    validated = ("ponder", "ponder_steps")
    drawn_without_example = "pictures against difficulty, without an example"

    def loss(self, model):
        """The sum over time, so that the clipping norm grows with the length of the sequences."""
        return losses.SequenceLoss()

    def halting_layers(self, model):
        """The one layer."""
        return [model.get_layer("act")]

    def probe(self, model):
        """The model, with ponder as a further output."""
        return PonderProbe(model, "act")

    def against_difficulty(self, model, examples=None, seed=None):
        """Error and ponder for each difficulty, on examples of that difficulty alone.

        Args:
            model: a trained model whose recipe has a `figure`.
            examples: sequences for each difficulty; the paper's by default.
            seed: of the examples; the recipe's by default.

        Returns:
            A list of dicts: `difficulty`, `examples`, `sequence_error`, `ponder`, `ponder_steps`.

        Source: Graves (2016), Figures 6, 10, 14 and 19.
        """
        figure, probe = self.recipe.figure, self.probe(model)
        kept = ("examples", "sequence_error", "ponder", "ponder_steps")
        rows = []
        for difficulty in range(figure.start, self.recipe.parameters[figure.stop] + 1):
            parameters = self.difficulty_parameters(difficulty)
            examples = examples or figure.examples
            results = self.measure(probe, examples, seed=seed, parameters=parameters)
            numbers = self.summary(results)
            rows.append({"difficulty": difficulty, **{key: numbers[key] for key in kept}})
        return rows

    def difficulty_parameters(self, difficulty):
        """The data set's parameters for examples of one difficulty."""
        figure = self.recipe.figure
        return {**figure.fixed, **dict.fromkeys(figure.parameters, difficulty)}

    def predict(self, probe, text):
        """A model's answer to an example in human form, a dict as in `answers.of_inputs`."""
        return answers.of_text(self.recipe, probe, text)

    def predict_inputs(self, probe, inputs):
        """A model's answer to one example (1, time, width), see `answers.of_inputs`."""
        return answers.of_inputs(self.recipe, probe, inputs)

    def entry_metrics(self, run, model, trainings, request):
        """The network without ACT, and the rows of the figure."""
        return {
            "without_act": self.best_plain(trainings),
            "figure": self.against_difficulty(model),
        }

    def best_plain(self, trainings):
        """The metrics of the best training without ACT on validation data, or None."""
        plain = [training for training in trainings if training["variant"] == "plain"]
        if not plain:
            return None
        judged = f"validation_{self.main_metric.removeprefix('sequence_')}"
        best = min(plain, key=lambda training: training[judged])
        return {key: best[key] for key in self.run_metrics}

    def measurements(self, metrics):
        """The test data, the validation data, and the points of the figure."""
        figure, run = self.recipe.figure, metrics["runs"][0]
        drawn = [
            Measurement(
                f"{figure.label}: {row['difficulty']}",
                row,
                self.difficulty_parameters(row["difficulty"]),
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

    def add_endpoints(self, archive, model):
        """Give the SavedModel its endpoints, with free batch size and time.

        They return a dict of `outputs`, `ponder` and `ponder_steps`: `serve` (also
        `serving_default`) takes the inputs, `serve_with_limits` also `max_ponder` and `epsilon`.
        """
        probe, given = PonderProbe(model, "act").model, model.inputs[0]
        shape, limits = (None, None, *given.shape[2:]), ("max_ponder", "epsilon")
        export.add_endpoints(archive, probe, shape, given.dtype, limits)

    def draw_card(self, folder, model, metrics, history):
        """Write the pictures of ponder against difficulty and along sequences."""
        figure, curves = self.recipe.figure, {"with ACT": metrics["figure"]}
        plots.ponder_against_difficulty(folder / "ponder.png", curves, figure.label)
        if figure.along_sequences:
            sequences = self.some_sequences(self.probe(model))
            plots.ponder_along_sequence(folder / "sequences.png", sequences)

    def some_sequences(self, probe, least=3):
        """The answers to a few test sequences, for `ponder_along_sequence`.

        The sequences have at least `least` inputs; if too few do, they are the longest ones drawn.
        """
        parameters = {**self.recipe.parameters, "same_length": True}
        drawn, long = [], []
        while len(long) < SEQUENCES and len(drawn) < DRAWN:
            batch = datasets.batch(
                self.recipe.dataset, 1, seed=1, index=len(drawn), split="test", **parameters
            )
            drawn.append(batch["inputs"])
            if drawn[-1].shape[1] >= least:
                long.append(drawn[-1])
        if len(long) < SEQUENCES:
            long = sorted(drawn, key=lambda inputs: -inputs.shape[1])[:SEQUENCES]
        return [self.predict_inputs(probe, inputs) for inputs in long]

    def set_limit(self, model, name, value):
        """Set `max_ponder` or `epsilon` of the layer."""
        setattr(model.get_layer("act"), name, value)

    def describe(self, metrics):
        """The ponder of an evaluation in words."""
        return f"ponder {metrics['ponder']:.2f}, steps {metrics['ponder_steps']:.2f}"

    def format_answer(self, answer):
        """A table with a line for each input, and the answer."""
        return answers.format_answer(answer)

    def plot(self, model, request):
        """Draw ponder along an example, or error and ponder against difficulty.

        Returns:
            A dict: `picture`, its file, and `ponder` or `rows`.
        """
        name = self.recipe.name
        out = Path(request.out or f"{name}.png")
        if request.input is not None:
            answer = self.predict(self.probe(model), request.input)
            plots.ponder_along_sequence(out, [answer], name)
            return {"picture": str(out), "ponder": answer["ponder"]}
        rows = self.against_difficulty(model, request.examples, request.seed)
        plots.ponder_against_difficulty(out, {name: rows}, self.recipe.figure.label, name)
        return {"picture": str(out), "rows": rows}
