"""The family of Neural GPUs (Kaiser & Sutskever 2016)."""

from typing import ClassVar

import numpy as np

from .... import datasets, export, plots, relaxation
from ....datasets.symbols.digits import as_asked
from ....evaluation import Probe
from ....layers import NeuralGPU as Layer
from ....neural_gpu import set_steps_multiplier
from ....optimizers import GradientNoise
from ....weight_averages import AveragingAdam, AveragingRelativeClipAdamax
from ...entries import lengths
from ...entries.card import percent
from ...entries.figures import Measurement, of_selection, other_models
from ..family import Family
from . import card, network, picture

VALIDATION_EXAMPLES = 500
LONGER_EXAMPLES = 100
# The lengths that are also measured with more steps per symbol, where asked for with carries
# too, and the most examples of those from 100 on.
WITH_MORE_STEPS, LONG_WITH_MORE_STEPS = (20, 100, 200), 200
# The number of positions times steps in a batch of a measurement.
LARGEST_BATCH = 1_000_000
CURVES = {
    "sequence_error": "training",
    "validation_error": "validation",
    "longer_error": "validation, longer",
    "longer_symbol_error": "validation, longer: symbols",
}


class CountedProbe(Probe):
    """A Neural GPU whose answers also have `steps`, how many it takes for each example."""

    def __call__(self, inputs):
        """The answers to a batch of inputs, a dict of arrays."""
        layers = [x for x in self.model._flatten_layers() if isinstance(x, Layer)]
        multiplier = max((layer.steps_multiplier for layer in layers), default=1)
        steps = np.full(len(inputs), multiplier * inputs.shape[1])
        return {**super().__call__(inputs), "steps": steps}


class NeuralGPU(Family):
    """Neural GPUs, which take as many steps as their input has symbols."""

    networks: ClassVar = {"neural_gpu": network.build}
    limits = ("steps_multiplier",)
    # As many steps as positions.
    cost_power = 2
    can_be_averaged = lengths_are_chosen = True
    text = card
    validated = validated_longer = ("symbol_error",)

    def optimizer(self):
        """The optimizer of the recipe, perhaps with noise on the gradients.

        With bins, the gradients of a batch of each bin are averaged before the weights change.
        """
        recipe, settings = self.recipe, self.recipe.hyperparameters
        bins = max(len(stage.bins) for stage in recipe.stages)
        momentum = settings.get("averaging")
        common = {
            "gradient_accumulation_steps": bins if bins > 1 else None,
            "use_ema": momentum is not None,
            "ema_momentum": momentum or 0.0,
        }
        rate = recipe.stages[0].learning_rate
        if settings["optimizer"] == "adam":
            optimizer = AveragingAdam(
                rate, epsilon=1e-4, global_clipnorm=settings["clipnorm"], **common
            )
        else:
            optimizer = AveragingRelativeClipAdamax(rate, **common)
        if settings.get("gradient_noise"):
            if momentum is not None:
                raise ValueError(
                    "averaging excludes gradient_noise. Received: "
                    f"averaging={momentum}, gradient_noise={settings['gradient_noise']}"
                )
            optimizer = GradientNoise(optimizer, settings["gradient_noise"], seed=recipe.seed)
        return optimizer

    def on_chunk_begin(self, run):
        """Set what changes during training: gradient noise and relaxation.

        The noise is proportional to the error of the last chunk. The parameter sets are pulled
        together more strongly after every chunk of the first stage, and averaged at its end.
        """
        model, settings, position = run.model, self.recipe.hyperparameters, run.position
        if isinstance(model.optimizer, GradientNoise) and run.history:
            model.optimizer.wrong_fraction.assign(run.history[-1]["sequence_error"])
        if settings.get("relaxation", 1) > 1:
            layer = model.get_layer("neural_gpu")
            if position.stage > 0:
                relaxation.average(model)
            else:
                raised = settings["relaxation_factor"] ** (position.stage_step // run.stage.chunk)
                layer.relaxation_pull.assign(settings["relaxation_pull"] * raised)

    def validate(self, run, probe, examples=VALIDATION_EXAMPLES, longer=LONGER_EXAMPLES, seed=None):
        """Errors on validation data, at the recipe's length and at a longer one.

        The longer length may differ in the first stage, for the choice of a seed (`choose_seed`).

        Args:
            run: a `Run`.
            probe: of its model.
            examples: the number of examples of the recipe's length.
            longer: the number of examples of the longer length.
            seed: of the examples; the recipe's by default.
        """
        parameters = lengths.between(self.recipe, self.longer_length(run))
        return {
            **self.validation_metrics(probe, examples, seed),
            **self.validation_metrics(probe, longer, seed, parameters, "longer"),
        }

    def longer_length(self, run):
        """The longer length of validation."""
        settings = self.recipe.hyperparameters
        if run.position.stage == 0:
            return settings.get("longer_at_first", settings["longer"])
        return settings["longer"]

    def selection_metrics(self, run, examples):
        """As `validate`, on the same examples for every training, and the longer length."""
        probe, longer = self.probe(run.model), min(examples, 1000)
        errors = self.validate(run, probe, examples, longer, seed=0)
        return {"longer": self.longer_length(run), **errors}

    def evaluation_batch_size(self, parameters):
        """Fewer of longer examples."""
        batch = datasets.batch(self.recipe.dataset, 1, split="validation", **parameters)
        return int(np.clip(LARGEST_BATCH // batch["inputs"].shape[1] ** 2, 1, 500))

    def probe(self, model):
        """The model, which also says how many steps it takes."""
        return CountedProbe(model)

    def predict(self, probe, text):
        """A model's answer to an example in human form.

        Args:
            probe: of the model.
            text: the example; decimal if it has a digit that is too large for the task's base.

        Returns:
            A dict: `answer`, decimal if the example was (unless the output is not a number and has
            a `_`); `symbols_read` and `symbols_written` in the task's base; `steps`; and
            `confidence`, the product of the probabilities of all symbols.
        """
        task = datasets.task(self.recipe.dataset)
        inputs = task.encode(text, **self.recipe.parameters)
        answers = probe(inputs)
        outputs = answers["outputs"][0]
        written = task.decode(outputs)
        return {
            "answer": as_asked(written, self.recipe.parameters.get("base", 2), text),
            "symbols_read": task.describe(inputs[0]),
            "symbols_written": written,
            "steps": int(answers.get("steps", [inputs.shape[1]])[0]),
            "confidence": round(float(np.exp(np.log(outputs.max(-1)).sum())), 4),
        }

    def entry_metrics(self, run, model, trainings, request):
        """The scouted seeds, the errors at all lengths, and those of the task's other models."""
        return {
            "scouted": self.scouted_seeds(run),
            **self.measure_lengths(run, request),
            **self.measure_more_steps(model, request),
            "other_models": other_models(self.recipe, request.into, "lengths"),
        }

    def set_limit(self, model, name, value):
        """Set the number of steps per symbol."""
        set_steps_multiplier(model, value)

    def measure_more_steps(self, model, request):
        """The errors with `more_steps` for each symbol, if the recipe has this number.

        Returns:
            A dict with the list `more_steps`, whose dicts are as in `measure_lengths`.
        """
        rows, multiplier = [], self.recipe.hyperparameters.get("more_steps")
        if multiplier is None:
            return {}
        self.set_limit(model, "steps_multiplier", multiplier)
        probe, seed = self.probe(model), request.seed or 0
        own = self.recipe.hyperparameters.get("steps_multiplier", 1)
        try:
            for length in request.lengths or WITH_MORE_STEPS:
                most = LONG_WITH_MORE_STEPS if length >= 100 else request.examples
                count = min(request.examples, most)
                for name in (None, "carries") if length in lengths.PROBED else (None,):
                    what = {"probe": name, "least": length, "length": length}
                    record = {**what, "seconds": 0.0, "found": {}}
                    lengths.extend(record, self, probe, count, seed)
                    rows.append(lengths.row_of(record, self, count))
        finally:
            self.set_limit(model, "steps_multiplier", own)
        return {"more_steps": rows}

    def measurements(self, metrics):
        """The test data, the lengths, and the validation data that trainings were chosen by."""
        recipe = self.recipe
        rows = [
            Measurement(lengths.name_of(row), row, lengths.parameters_of(row, recipe))
            for row in metrics["lengths"]
        ]
        multiplier = recipe.hyperparameters.get("more_steps")
        rows += [
            Measurement(
                f"{lengths.name_of(row)}, {multiplier} steps a symbol",
                row,
                lengths.parameters_of(row, recipe),
                steps_multiplier=multiplier,
            )
            for row in metrics.get("more_steps", ())
        ]

        def longer(run):
            return lengths.between(recipe, run["longer"])

        return [Measurement("test", metrics), *rows, *of_selection(recipe, metrics, longer)]

    def add_endpoints(self, archive, model):
        """Give the SavedModel its endpoint, with free batch size and length.

        `serve` (also `serving_default`) takes symbols int32 (batch, n), -1 after the end of an
        example, and returns a dict of `outputs`, probabilities (batch, n, classes).
        """
        export.add_endpoints(
            archive, lambda inputs: {"outputs": model(inputs)}, (None, None), "int32"
        )

    def draw_card(self, folder, model, metrics, history):
        """Write the learning curve and the mental image of an example."""
        recipe = self.recipe
        plots.learning_curve(folder / "learning_curve.png", history, CURVES)
        # Long enough to show the algorithm, short enough to be readable.
        length = max(recipe.parameters[recipe.length_parameters[1]] // 5, 2)
        parameters = {**recipe.parameters, **dict.fromkeys(recipe.length_parameters, length)}
        batch = datasets.batch(recipe.dataset, 1, seed=1, split="test", **parameters)
        picture.draw(folder / "mental_image.gif", model, recipe, batch["inputs"])

    def evaluation_parameters(self, wanted):
        """The data set's parameters for a length and a probe.

        Args:
            wanted: a dict of `bits`, `length` (a pair if they differ) and `probe`, each of which
                may be None.

        Raises:
            ValueError: the task has no such parameter.
        """
        known = self.recipe.length_parameters[1]
        other = {"bits": "length", "length": "bits"}[known]
        if wanted.get(other) is not None:
            raise ValueError(
                f"examples of {self.recipe.dataset} are as long as --{known} says. "
                f"Received: --{other} {wanted[other]}"
            )
        parameters = {}
        if wanted.get(known) is not None:
            parameters = lengths.between(self.recipe, wanted[known])
        if wanted.get("probe") is not None:
            if not lengths.PROBES[known]:
                raise ValueError(
                    f"--probe is for numbers, and {self.recipe.dataset} has none. "
                    f"Received: {wanted['probe']}"
                )
            parameters["probe"] = wanted["probe"]
        return parameters

    def measure_lengths(self, run, request):
        """The errors at all lengths, a dict with the list `lengths`."""
        numbers = request.examples, request.long_examples, request.lengths or None
        return {"lengths": lengths.measure(self, run, *numbers, request.seed or 0)}

    def describe(self, metrics):
        """The share of wrong symbols as text; for an entry also its errors at longer lengths."""
        words = f"bit error {metrics['symbol_error']:.3%}"
        further = [
            f"{lengths.name_of(row)}: {percent(row['sequence_error'])}"
            for row in metrics.get("lengths", ())
            if row["probe"] is None
        ]
        return words + (f"; at length {', '.join(further)}" if further else "")

    def describe_lengths(self, results):
        """The error at each length, one per line."""
        return "\n".join(
            f"{lengths.name_of(row)}: {row['sequence_error']:.2%} wrong"
            for row in results["lengths"]
        )

    def format_answer(self, answer):
        """The symbols that were read and written, the steps, and the answer."""
        return "\n".join(
            [
                f"read: {answer['symbols_read']}",
                f"written: {answer['symbols_written']}",
                f"{answer['steps']} steps, confidence {answer['confidence']:.1%}",
                f"answer: {answer['answer']}",
            ]
        )

    def check_plot(self, request):
        """Refuse a missing example, and one that is too long."""
        recipe = self.recipe
        if request.input is None:
            raise ValueError(f"{recipe.name} is drawn while it answers an example; give one")
        inputs = datasets.task(recipe.dataset).encode(request.input, **recipe.parameters)
        picture.check_drawn(inputs)

    def plot(self, model, request):
        """Draw the mental image while the model answers an example.

        Returns:
            A dict: `animation` and `picture`, the files, and what `predict` returns.
        """
        recipe = self.recipe
        answer = self.predict(self.probe(model), request.input)
        inputs = datasets.task(recipe.dataset).encode(request.input, **recipe.parameters)
        out = request.out or f"{recipe.name}.gif"
        animation, sheet = picture.draw(out, model, recipe, inputs, recipe.name)
        return {"animation": str(animation), "picture": str(sheet), **answer}
