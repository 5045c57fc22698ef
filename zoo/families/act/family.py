"""The family of the networks of Graves (2016)."""

from pathlib import Path
from typing import ClassVar

import keras
import numpy as np

from .... import datasets, export, losses, metrics, plots
from ...entries import baseline
from ...entries.agreement import Ratio
from ...entries.card import Sections
from ...entries.figures import ERROR, Measurement
from ..family import Family
from . import answers, card, cells
from .network import Probe

VALIDATION_EXAMPLES = 1000
# Sequences in the picture of ponder, and the number drawn in search of long ones.
SEQUENCES = 3
DRAWN = 100


class ACT(Family):
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

    def compile(self, model, jit_compile="auto", steps_per_execution=1):
        """Compile a model with Adam, global norm clipping, and loss and error of sequences.

        The loss is a sum over time, so the clipping norm grows with the length of the sequences.
        """
        recipe = self.recipe
        model.compile(
            optimizer=keras.optimizers.Adam(
                recipe.stages[0].learning_rate, global_clipnorm=recipe.hyperparameters["clipnorm"]
            ),
            loss=losses.SequenceLoss(),
            weighted_metrics=[self.metric()],
            jit_compile=jit_compile,
            steps_per_execution=steps_per_execution,
        )

    def metric(self):
        """The main metric during training."""
        return metrics.SequenceError()

    def on_chunk_begin(self, run):
        """Set τ, unless it is adapted automatically or there is no ponder cost."""
        controlled = self.recipe.hyperparameters.get("target_ponder") is not None
        layer = run.model.get_layer("act")
        if layer.rule.has_ponder_cost and not controlled:
            layer.time_penalty = run.stage.time_penalty

    def validate(self, run, probe):
        """Error and ponder on validation data."""
        return self.validation_metrics(probe, VALIDATION_EXAMPLES)

    def validation_metrics(self, probe, examples, seed=None):
        """Error and ponder on so many examples of the validation data."""
        numbers = self.summary(self.measure(probe, examples, split="validation", seed=seed))
        return {
            "validation_error": numbers["sequence_error"],
            "validation_ponder": numbers["ponder"],
            "validation_ponder_steps": numbers["ponder_steps"],
        }

    def selection_metrics(self, run, examples):
        """The variant, and error and ponder on the same validation data for every training."""
        errors = self.validation_metrics(self.probe(run.model), examples, seed=0)
        return {"variant": self.recipe.variant, **errors}

    def probe(self, model):
        """The model, with ponder as a further output."""
        return Probe(model)

    def example_results(self, batch, answers):
        """Difficulty, ponder and ponder steps of each input, 0 where there is none."""
        real = answers["ponder_steps"] > 0
        return {
            "difficulty": np.where(real, batch["difficulty"], 0),
            "ponder": answers["ponder"],
            "ponder_steps": answers["ponder_steps"],
        }

    def ratios(self, results):
        """Sums over an example's inputs of `ponder` (ρ = N + R) and `ponder_steps` (N)."""
        real = results["ponder_steps"] > 0
        return {
            name: Ratio(
                np.where(real, results[name], 0.0).sum(axis=1, dtype="float64"), real.sum(axis=1)
            )
            for name in ("ponder", "ponder_steps")
        }

    def means(self, results):
        """Means over all inputs of `ponder` (ρ = N + R) and `ponder_steps` (N)."""
        return {name: round(ratio.value, 4) for name, ratio in self.ratios(results).items()}

    def by_difficulty(self, results):
        """The numbers of an evaluation for each difficulty.

        An example's difficulty is that of its hardest input; ponder is the mean over inputs of the
        difficulty.

        Returns:
            A list of dicts: `difficulty`, `examples`, `sequence_error`, `ponder`, `ponder_steps`.
        """
        hardest = results["difficulty"].max(axis=1)
        rows = []
        for difficulty in np.unique(hardest):
            inputs = results["difficulty"] == difficulty
            examples = hardest == difficulty
            rows.append(
                {
                    "difficulty": int(difficulty),
                    "examples": int(examples.sum()),
                    "sequence_error": round(float(results["wrong"][examples].mean()), 6),
                    "ponder": round(float(results["ponder"][inputs].mean()), 4),
                    "ponder_steps": round(float(results["ponder_steps"][inputs].mean()), 4),
                }
            )
        return rows

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
        # The probe of this class, not of a subclass: all have the same endpoints.
        probe, given = Probe(model).model, model.inputs[0]
        shape, limits = (None, None, *given.shape[2:]), ("max_ponder", "epsilon")
        export.add_endpoints(archive, probe, shape, given.dtype, limits)

    def card_sections(self, metrics):
        """The sections of the card, see `card`."""
        return Sections(
            source=card.SOURCE,
            results=card.results(self.recipe, metrics),
            pictures=card.pictures(self.recipe),
            use=card.use(self.recipe, metrics),
            training=card.training(self.recipe, metrics),
            differences=card.DIFFERENCES,
        )

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

    def check_plot(self, request):
        """Refuse unsupported file formats, and options of a measurement beside an example."""
        plots.check_format(request.out or f"{self.recipe.name}.png")
        for option in ("examples", "seed"):
            if request.input is not None and getattr(request, option) is not None:
                raise ValueError(
                    f"--{option} is for pictures against difficulty, without an example"
                )

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
