"""Residual networks for images: how they are trained, measured, published and questioned."""

from typing import ClassVar

import keras
import numpy as np

from ....datasets.digit_canvas import digit_canvas
from ...entries.agreement import Ratio
from ..family import Family
from . import network
from .network import ImageError, Probe, cross_entropy, halting_layers

VALIDATION_EXAMPLES = 500
# Pixels that are measured in one batch.
LARGEST_BATCH = 512 * 32 * 32


class Images(Family):
    """Networks that say what is on an image, and halt where it is easy."""

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
    run_metrics = (
        "variant",
        "training_seed",
        "training_backend",
        "settings",
        "steps",
        "finished",
        "training_seconds",
        "validation_error",
        "sequence_error",
        "confidence_interval",
        "examples",
        "accuracy",
        "flops",
        "flops_share",
        "units_inside",
        "units_outside",
    )
    limits = ("max_ponder",)

    def compile(self, model, jit_compile="auto", steps_per_execution=1):
        """Compile a model with SGD with momentum, as the paper, and cross-entropy."""
        settings = self.recipe.hyperparameters
        model.compile(
            optimizer=keras.optimizers.SGD(
                self.recipe.stages[0].learning_rate,
                momentum=settings["momentum"],
                weight_decay=settings["weight_decay"],
            ),
            loss=cross_entropy,
            metrics=[ImageError()],
            jit_compile=jit_compile,
            steps_per_execution=steps_per_execution,
        )

    def training_batch(self, batch, parameters):
        """Images and their classes."""
        return batch["inputs"], batch["targets"]

    def on_chunk_begin(self, run):
        """Set τ, unless it is controlled automatically or nothing is pondered."""
        if self.recipe.hyperparameters["target_ponder"] is None:
            for layer in halting_layers(run.model):
                layer.time_penalty = run.stage.time_penalty

    def validate(self, run, probe):
        """Error, FLOPs and units inside and outside of the digit on validation data."""
        return self.validation_metrics(probe, VALIDATION_EXAMPLES)

    def validation_metrics(self, probe, examples, seed=None):
        """The same on so many examples of the validation data."""
        numbers = self.summary(self.measure(probe, examples, split="validation", seed=seed))
        found = {"validation_error": numbers["sequence_error"]}
        for name in ("flops_share", "units_inside", "units_outside"):
            found[f"validation_{name}"] = numbers[name]
        return found

    def selection_metrics(self, run, examples):
        """The variant, and the same on the same validation data for every training."""
        found = self.validation_metrics(self.probe(run.model), examples, seed=0)
        return {"variant": self.recipe.variant, **found}

    def probe(self, model):
        """The model, which also tells how many units it took, and where."""
        return Probe(model)

    def evaluation_batch_size(self, parameters):
        """Fewer of larger images."""
        return int(np.clip(LARGEST_BATCH // parameters["side"] ** 2, 1, 500))

    def example_results(self, batch, answers):
        """Class, FLOPs and their share, and units inside and outside of the digit, per image."""
        size = batch["inputs"].shape[1:3]
        first = answers["steps"][0]
        within = digit_canvas.inside(batch["box"], size[0])
        steps = first if first.ndim == 3 else np.broadcast_to(first[:, None, None], within.shape)
        plain = answers["plain_flops"]
        return {
            "class": batch["targets"][:, 0],
            "flops": answers["flops"],
            "flops_share": answers["flops"] / plain,
            "units_inside": np.where(within, steps, 0).sum((1, 2)) / within.sum((1, 2)),
            "units_outside": np.where(within, 0, steps).sum((1, 2)) / (~within).sum((1, 2)),
        }

    def ratios(self, results):
        """Means over the images."""
        names = ("flops", "flops_share", "units_inside", "units_outside")
        ones = np.ones(len(results["flops"]))
        return {name: Ratio(np.asarray(results[name], "float64"), ones) for name in names}

    def means(self, results):
        """Accuracy, and the means over the images."""
        found = {name: round(ratio.value, 4) for name, ratio in self.ratios(results).items()}
        return {"accuracy": round(1 - float(results["wrong"].mean()), 6), **found}

    def by_difficulty(self, results):
        """The numbers of an evaluation for each class."""
        rows = []
        for label in np.unique(results["class"]):
            chosen = {k: values[results["class"] == label] for k, values in results.items()}
            rows.append(
                {"class": int(label), "examples": len(chosen["class"]), **self.means(chosen)}
            )
        return rows

    def describe(self, metrics):
        """Accuracy, FLOPs and units of an evaluation in words."""
        return (
            f"accuracy {metrics['accuracy']:.2%}, {metrics['flops'] / 1e6:.2f} MFLOP "
            f"({metrics['flops_share']:.1%} of the plain network), units of block 1: "
            f"{metrics['units_inside']:.2f} inside the digit, {metrics['units_outside']:.2f} "
            "outside"
        )
