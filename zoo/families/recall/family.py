"""The family of recall networks (Bansal et al. 2022)."""

from typing import ClassVar

import numpy as np

from .... import datasets, export, halting, losses, plots
from ....statistics import Ratio
from ...entries import lengths
from ...entries.figures import other_models
from ...entries.thinking_less import limits_up_to
from ..family import Family
from ..neural_gpu.family import NeuralGPU
from . import card, fixed, network
from .network import LAYER, Probe

LENGTHS = (48, 96, 192, 384, 512)
# Fixed numbers of steps that are also measured, at the last of the lengths above.
FIXED_STEPS = (600, 1200)
# Bits of the example in the card's picture, and the most bits that `plot` draws.
DRAWN, MOST_DRAWN = 48, 128
# The number of positions in a batch of a measurement.
LARGEST_BATCH = 64_000
CURVES = {
    "sequence_error": "training",
    "validation_error": "validation",
    "longer_error": "validation, longer",
    "longer_symbol_error": "validation, longer: symbols",
}


class RecallFamily(NeuralGPU):
    """Recall networks, which stop when their answer has not changed for some steps.

    Like Neural GPUs, they answer sequences of symbols of any length, and are measured at lengths
    beyond those of their training.
    """

    networks: ClassVar = {"recall": network.build}
    logged_metrics = ("progressive_loss",)
    columns = (*NeuralGPU.columns, "progressive_loss", "longer_ponder_steps")
    run_metrics = (*NeuralGPU.run_metrics, "longer_ponder_steps", "ponder_steps")
    can_be_averaged = False
    limits = ("max_ponder", "within")
    text = card
    validated_longer = ("symbol_error", "ponder_steps")

    def optimizer(self):
        """Adam with clipping of the global norm."""
        return Family.optimizer(self)

    def loss(self, model):
        """The mean over all symbols."""
        # Older trainings do not have this setting.
        smoothing = self.recipe.hyperparameters.get("label_smoothing", 0.0)
        return losses.SequenceLoss(per_target=True, label_smoothing=smoothing)


    def on_chunk_begin(self, run):
        """Does nothing: no setting changes during the training of a recall network."""

    def validate(self, run, probe, examples=200, longer=50, seed=None):
        """As `NeuralGPU.validate`, with fewer examples, and with the steps of the longer ones."""
        return super().validate(run, probe, examples, longer, seed)

    def probe(self, model):
        """The model with its numbers of steps."""
        return Probe(model)

    def evaluation_batch_size(self, parameters):
        """Fewer of longer examples."""
        return int(np.clip(LARGEST_BATCH // parameters["length"], 1, 500))

    def example_results(self, batch, answers):
        """Wrong symbols, all symbols, difficulty and ponder steps."""
        results = super().example_results(batch, answers)
        return {**results, "ponder_steps": answers["ponder_steps"]}

    def ratios(self, results):
        """Wrong symbols among all, and steps by example."""
        steps = np.asarray(results["ponder_steps"], "float64")
        return {
            **super().ratios(results),
            "ponder_steps": Ratio(steps, np.ones_like(steps)),
        }

    def predict(self, probe, text):
        """A dict as in `NeuralGPU.predict`; `ponder_steps` and `steps` are the number of steps."""
        task = datasets.task(self.recipe.dataset)
        answers = probe(task.encode(text, **self.recipe.parameters))
        steps = int(answers["ponder_steps"][0])
        return {**super().predict(probe, text), "steps": steps, "ponder_steps": steps}

    def entry_metrics(self, run, model, trainings, request):
        """Errors and steps at all lengths, a line fitted to them, and errors at fixed steps."""
        return {
            "scouted": self.scouted_seeds(run),
            **self.measure_lengths(run, request),
            "other_models": other_models(self.recipe, request.into, "lengths"),
        }

    def measure_lengths(self, run, request):
        """Errors and steps at all lengths, a line fitted to them, and errors at fixed steps.

        Returns:
            A dict: `lengths`, a list as in `lengths.measure`; `line`, see `line`; `fixed`, a list
            as in `fixed.measure`.
        """
        numbers = request.examples, request.long_examples, request.lengths or LENGTHS
        seed = request.seed or 0
        rows = lengths.measure(self, run, *numbers, seed)
        return {
            "lengths": rows,
            "line": line(rows),
            "fixed": fixed.measure(
                self, run, max(LENGTHS), FIXED_STEPS, request.examples, seed
            ),
        }

    def add_endpoints(self, archive, model):
        """Give the SavedModel its endpoints, with free batch size and length.

        They return a dict of `outputs`, probabilities (batch, n, classes), and `ponder_steps`
        (batch,): `serve` (also `serving_default`) takes symbols int32 (batch, n), -1 after the end
        of an example, `serve_with_limits` also `max_ponder`.
        """
        probe = Probe(model).model
        export.add_endpoints(archive, probe, (None, None), "int32", ("max_ponder",))

    def draw_card(self, folder, model, metrics, history):
        """Write the learning curve, steps against length, and the answer after each step."""
        plots.learning_curve(folder / "learning_curve.png", history, CURVES)
        rows = [{"difficulty": row["length"], **row} for row in metrics["lengths"]]
        path = folder / "ponder.png"
        plots.ponder_against_difficulty(path, {"recall": rows}, "bits", cost="ponder_steps")
        text = "".join(map(str, np.random.default_rng(1).integers(0, 2, DRAWN)))
        answer = self.predict(self.probe(model), text)
        picture_of(folder / "answers.png", model, self.recipe, text, answer["ponder_steps"])

    @property
    def limits_measured(self):
        """Up to twice the steps of training."""
        return limits_up_to(2 * self.recipe.hyperparameters["iterations"])

    def set_limit(self, model, name, value):
        """Set `max_ponder` of the layer's rule."""
        layer = model.get_layer(LAYER)
        layer.halting = halting.Converged(layer.halting.patience, value)

    def describe(self, metrics):
        """The bit error and steps of an evaluation as text."""
        words = [f"bit error {metrics['symbol_error']:.3%}"]
        if "ponder_steps" in metrics:
            words.append(f"steps {metrics['ponder_steps']:.2f}")
        return ", ".join(words)

    def check_plot(self, request):
        """Refuse a missing example, and one that is too long."""
        recipe = self.recipe
        if request.input is None:
            raise ValueError(f"{recipe.name} is drawn while it answers an example; give one")
        bits = datasets.task(recipe.dataset).encode(request.input, **recipe.parameters).shape[1]
        if bits > MOST_DRAWN:
            raise ValueError(
                f"{recipe.name} is drawn for at most {MOST_DRAWN} bits. Received: {bits} bits"
            )

    def plot(self, model, request):
        """Draw what the network would answer at each position after each step.

        Returns:
            A dict: `picture`, its file, and what `predict` returns.
        """
        answer, title = self.predict(self.probe(model), request.input), self.recipe.name
        out = request.out or f"{title}.png"
        picture = picture_of(out, model, self.recipe, request.input, answer["ponder_steps"], title)
        return {"picture": str(picture), **answer}


def line(rows):
    """The straight line fitted to the mean steps against the length.

    Args:
        rows: a list of dicts of `length` and `ponder_steps`.

    Returns:
        A dict of `slope` (steps per bit), `intercept` and `r_squared`; None for fewer than three
        rows.
    """
    if len(rows) < 3:
        return None
    # SciPy loads slowly, and only an export needs this.
    from scipy import stats

    fit = stats.linregress([x["length"] for x in rows], [x["ponder_steps"] for x in rows])
    values = {"slope": fit.slope, "intercept": fit.intercept, "r_squared": fit.rvalue**2}
    return {name: round(float(value), 4) for name, value in values.items()}


def picture_of(path, model, recipe, text, steps, title=None):
    """Draw the answer to an example after each of `steps` steps; returns the path."""
    inputs = datasets.task(recipe.dataset).encode(text, **recipe.parameters)
    answers = [fixed.answer_after(model, inputs, count) for count in range(1, steps + 1)]
    probabilities = [answer[0, :, 2] for answer in answers]
    return plots.answers_after_steps(path, probabilities, text.replace(" ", ""), title)
