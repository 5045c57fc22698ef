"""The base class of families: all behaviour that differs between kinds of networks in the zoo.

A family is a folder with a subclass of `Family` in its `family.py`; `families/__init__.py` has its
name, and `registry.py` its class.
"""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import keras
import numpy as np

from ... import datasets, losses, metrics
from ...evaluation import Evaluation, Probe
from ..entries import thinking_less
from ..entries.card import Sections, write
from ..entries.figures import Exact, Measurement
from ..entries.headline import headline, limits_in_words
from ..recipe import Recipe
from ..settings import LIMITED
from ..training import SEEDS
from .examples import batches_of

# What is known of each training, whatever its family.
OF_TRAINING = (
    "training_seed",
    "training_backend",
    "settings",
    "steps",
    "finished",
    "training_seconds",
)


class Family(Evaluation):
    """Training, measurement, publication and prediction of one kind of networks.

    The defaults suit networks that answer with symbols and whose only outputs are probabilities.

    Args:
        recipe: the `Recipe` of the network.
    """

    # The networks that recipes may name as `build`: functions of a recipe that return a
    # `keras.Model`, not compiled.
    networks: ClassVar[Mapping[str, Callable[..., keras.Model]]] = {}
    # The module `card` of the family, with the texts of its card.
    text: ClassVar[ModuleType]
    # Examples of a measurement on validation data during training, and what it measures besides
    # the error.
    validation_examples: ClassVar[int] = 1000
    validated: ClassVar[tuple[str, ...]] = ()
    validated_longer: ClassVar[tuple[str, ...]] = ()
    # What `plot` draws without an example, for error messages.
    drawn_without_example: ClassVar[str] = "test examples, without an example"
    # Metrics of training that go into the history, beside the loss and the main metric.
    logged_metrics: ClassVar[tuple[str, ...]] = ()
    # Columns of the history beside those of every training, in the order of `history.csv`.
    columns: ClassVar[tuple[str, ...]] = (
        "sequence_error",
        "validation_error",
        "validation_symbol_error",
        "longer_error",
        "longer_symbol_error",
    )
    # The computation time grows with this power of an input's length.
    cost_power: ClassVar[int] = 1
    # The default number of examples of an entry's evaluation.
    default_examples: ClassVar[int] = 1000
    # The keys of each training in `metrics.json`, under `runs`.
    run_metrics: ClassVar[tuple[str, ...]] = (
        *OF_TRAINING,
        "validation_error",
        "validation_symbol_error",
        "longer",
        "longer_error",
        "longer_symbol_error",
        "sequence_error",
        "symbol_error",
        "confidence_interval",
        "examples",
    )
    optional_metrics: ClassVar[tuple[str, ...]] = ()  # Kept as well where a training has them.
    can_be_averaged: ClassVar[bool] = False  # In an ensemble.
    lengths_are_chosen: ClassVar[bool] = False  # Those at which an entry is measured, by options.
    # Limits of the computation that a loaded model has, of `settings.LIMITED`.
    limits: ClassVar[tuple[str, ...]] = ()

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe

    # Training

    def build(self) -> keras.Model:
        """The network of the recipe, not compiled.

        Its initial weights are drawn from Keras's global generator, which `train` seeds.
        """
        build = self.recipe.build
        if build is None:
            raise ValueError(f"{self.recipe.name} was read from a file and cannot be built")
        return (self.networks[build] if isinstance(build, str) else build)(self.recipe)

    def compile(
        self,
        model: keras.Model,
        jit_compile: bool | str = "auto",
        steps_per_execution: int = 1,
    ) -> None:
        """Compile a model with the optimizer, loss and metric of the recipe."""
        model.compile(
            optimizer=self.optimizer(),
            loss=self.loss(model),
            weighted_metrics=[self.metric()],
            jit_compile=jit_compile,
            steps_per_execution=steps_per_execution,
        )

    def optimizer(self) -> keras.optimizers.Optimizer:
        """The optimizer of the recipe: by default Adam with clipping of the global norm."""
        clipnorm = self.recipe.hyperparameters["clipnorm"]
        return keras.optimizers.Adam(self.recipe.stages[0].learning_rate, global_clipnorm=clipnorm)

    def loss(self, model: keras.Model) -> Any:
        """The loss of a model: by default the mean over all symbols."""
        return losses.SequenceLoss(per_target=True)

    def metric(self) -> keras.metrics.Metric:
        """The main metric during training."""
        return metrics.SequenceError()

    def training_batch(self, batch: Mapping, parameters: Mapping) -> tuple:
        """A batch of the data set with these parameters as `fit` takes it."""
        return batch["inputs"], batch["targets"], batch["weights"]

    def halting_layers(self, model: keras.Model) -> list:
        """The layers of a model that have a `time_penalty`."""
        return []

    def on_chunk_begin(self, run: Any) -> float | None:
        """Set what changes during training; returns a factor on the learning rate, or None.

        By default this sets τ, unless it is adapted automatically or there is no ponder cost.
        """
        if self.recipe.hyperparameters.get("target_ponder") is None:
            for layer in self.halting_layers(run.model):
                if layer.rule.has_ponder_cost:
                    layer.time_penalty = run.stage.time_penalty
        return None

    def validate(self, run: Any, probe: Probe) -> dict[str, float]:
        """The columns of the history that are measured on validation data."""
        return self.validation_metrics(probe, self.validation_examples)

    def validation_metrics(
        self,
        probe: Probe,
        examples: int,
        seed: int | None = None,
        parameters: Mapping | None = None,
        kind: str = "validation",
    ) -> dict[str, float]:
        """The error on validation data, and `validated`, or `validated_longer` for longer examples.

        Args:
            probe, examples, seed, parameters: as in `measure`.
            kind: `"validation"` or `"longer"`, with which the names of the results begin.
        """
        kinds: dict[str, Any] = {"seed": seed, "parameters": parameters}
        numbers = self.summary(self.measure(probe, examples, split="validation", **kinds))
        names = self.validated if kind == "validation" else self.validated_longer
        values = {self.main_metric.removeprefix("sequence_"): numbers[self.main_metric]}
        values |= {name: numbers[name] for name in names if name in numbers}
        return {f"{kind}_{name}": value for name, value in values.items()}

    # Measuring

    def probe(self, model: keras.Model) -> Probe:
        """The model with all of its outputs that are measured."""
        return Probe(model)

    def measure(
        self,
        probe: Callable[[np.ndarray], Any],
        examples: int,
        *,
        split: str = "test",
        seed: int | None = None,
        parameters: Mapping | None = None,
        seconds: float = math.inf,
        batch_size: int | None = None,
        given: Mapping | None = None,
    ) -> dict[str, np.ndarray]:
        """Let a model answer fresh examples, or those that are given.

        Args:
            probe: of the model.
            examples: the number of examples that have a target (a single number of an addition has
                none); at most the number of windows of a text.
            split: `"test"` or `"validation"`.
            seed: of the examples; the recipe's by default.
            parameters: the data set's parameters that differ from the recipe's.
            seconds: time after which no further batch is started; fewer examples are measured then.
            batch_size: number of examples in each batch; the family's by default.
            given: a batch of examples to answer instead of fresh ones.

        Returns:
            A dict of arrays, see `Evaluation.collect`.

        Raises:
            ValueError: `examples` is below 1, or no example has a target.
        """
        recipe = self.recipe
        parameters = {**recipe.parameters, **(parameters or {})}
        seed = recipe.seed if seed is None else seed
        size = max(min(batch_size or self.evaluation_batch_size(parameters), examples), 1)
        batches = batches_of(recipe.dataset, size, seed, split, parameters, given)
        return self.collect(probe, batches, examples, seconds)

    def evaluation_batch_size(self, parameters: Mapping) -> int:
        """The number of examples in a batch, given the data set's parameters."""
        return 500

    def selection_metrics(self, run: Any, examples: int) -> dict[str, Any]:
        """Metrics for the choice between trainings, on the same validation data for all of them."""
        numbers = self.validation_metrics(self.probe(run.model), examples, seed=0)
        return {"variant": self.recipe.variant, **numbers}

    def predict(self, probe: Probe, text: str) -> dict[str, Any]:
        """A model's answer to an example in human form, for `zoo.predict`.

        Returns:
            A dict: at least `answer`, and `confidence`, a probability or a list of them.
        """
        raise NotImplementedError

    # An entry of the zoo

    def entry_metrics(
        self, run: Any, model: keras.Model, trainings: list, request: Any
    ) -> dict[str, Any]:
        """Further measurements of an entry, for `metrics.json`.

        Args:
            run: the `Run` to publish.
            model: its model.
            trainings: the metrics of all trainings, that of `run` first.
            request: an `export.Request`.
        """
        return {}

    def scouted_seeds(self, run: Any) -> list[dict[str, Any]]:
        """The results of the seeds among which the entry's training was chosen."""
        path = run.folder.parent / SEEDS
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []

    def measurements(self, metrics: Mapping) -> list[Measurement]:
        """The measurements that the numbers of an entry come from, for `verify` to repeat."""
        return [Measurement("test", metrics)]

    def exact_figures(self, metrics: Mapping, model: keras.Model, folder: Path) -> list[Exact]:
        """The numbers of an entry that do not depend on which examples are drawn."""
        return []

    def add_endpoints(self, archive: keras.export.ExportArchive, model: keras.Model) -> None:
        """Give the SavedModel of an entry its endpoints."""
        raise NotImplementedError

    def card(self, metrics: Mapping) -> str:
        """The card of an entry in Markdown, written from `metrics.json`."""
        limits = limits_in_words(headline(self.recipe.to_dict(), metrics))
        unseen = getattr(datasets.task(self.recipe.dataset), "UNSEEN", "")
        shown, sections = thinking_less.section(metrics), self.card_sections(metrics)
        return write(self.recipe, sections, f"{limits} {unseen}".strip(), metrics, shown)

    def card_sections(self, metrics: Mapping) -> Sections:
        """The sections of an entry's card, as the family's module `card` writes them."""
        text, recipe = self.text, self.recipe
        return Sections(
            source=text.SOURCE,
            results=text.results(recipe, metrics),
            pictures=text.pictures(recipe),
            use=text.use(recipe, metrics),
            training=text.training(recipe, metrics),
            differences=getattr(text, "DIFFERENCES", ()),
            licence=getattr(text, "LICENCE", ""),
        )

    def draw_card(self, folder: Path, model: keras.Model, metrics: Mapping, history: list) -> None:
        """Write the pictures of an entry's card into its folder."""
        raise NotImplementedError

    # The command line

    @property
    def limits_measured(self) -> tuple[int, ...]:
        """Values of `max_ponder` under which an entry's errors are measured."""
        if "max_ponder" not in self.limits:
            return ()
        return thinking_less.limits_up_to(self.recipe.hyperparameters["max_ponder"])

    def check_limits(self, limits: Mapping, shown: Callable[[str], str] = str) -> None:
        """Refuse limits that do not apply to these models.

        Args:
            limits: from names of limits to values; None stands for the model's own.
            shown: function that returns the name of a limit in error messages.

        Raises:
            ValueError: a limit that does not apply, or an invalid value.
        """
        for name, value in limits.items():
            if value is not None and name not in self.limits:
                raise ValueError(
                    f"{shown(name)} is for models with {LIMITED[name]}, and {self.recipe.name} "
                    f"has none. Received: {value}"
                )

    def apply_limits(self, model: keras.Model, limits: Mapping) -> None:
        """Limit the computation of a loaded model; raises as `check_limits`."""
        self.check_limits(limits)
        for name, value in limits.items():
            if value is not None:
                self.set_limit(model, name, value)

    def set_limit(self, model: keras.Model, name: str, value: float) -> None:
        """Set one of `limits` of a loaded model."""
        raise NotImplementedError

    def evaluation_parameters(self, wanted: Mapping) -> dict[str, Any]:
        """The data set's parameters for the options of `evaluate`.

        Args:
            wanted: a dict of `bits`, `length`, `side` and `probe`, each of which may be None.

        Raises:
            ValueError: the task has no such parameter; by default it has none of them.
        """
        for name, value in wanted.items():
            if value is not None:
                raise ValueError(
                    f"--{name} is for models that take inputs of any length; {self.recipe.name} is "
                    f"measured on its own distribution. Received: {value}"
                )
        return {}

    def read_examples(self, path: str) -> dict[str, np.ndarray]:
        """The batch of examples that a user's file has, where `Traits.reads_files`."""
        raise NotImplementedError

    def measure_lengths(self, run: Any, request: Any) -> dict[str, Any]:
        """The errors of a training far beyond its lengths, where `Traits.has_lengths`."""
        raise NotImplementedError

    def describe(self, metrics: Mapping) -> str:
        """The numbers of an evaluation as text."""
        raise NotImplementedError

    def describe_lengths(self, results: Mapping) -> str:
        """The results of `measure_lengths` as text."""
        return self.describe(results)

    def format_answer(self, answer: Mapping) -> str:
        """The result of `predict` as text."""
        raise NotImplementedError

    def check_plot(self, request: Any) -> None:
        """Refuse a picture that cannot be drawn, before a model is loaded.

        Args:
            request: as in `plot`.

        Raises:
            ValueError: it cannot be drawn; the message says why. By default it is an option of a
                measurement beside an example.
        """
        for option in ("examples", "seed"):
            if request.input is not None and getattr(request, option) is not None:
                raise ValueError(f"--{option} is for {self.drawn_without_example}")

    def plot(self, model: keras.Model, request: Any) -> dict[str, Any]:
        """Draw the picture that the command line asks for.

        Args:
            model: the loaded model.
            request: has `out`, `input`, `examples` and `seed`, each of which may be None.

        Returns:
            A dict: `picture`, its file, and data on what it shows.
        """
        raise NotImplementedError
