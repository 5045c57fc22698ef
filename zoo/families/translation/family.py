"""The family of networks that translate."""

from pathlib import Path
from typing import ClassVar

import numpy as np

from .... import datasets, export, losses, plots
from ....evaluation import TranslationEvaluation, TranslationProbe
from ....evaluation.translation import TranslationSearch
from ....formatting import aligned
from ...entries.figures import Exact
from ..family import OF_TRAINING, Family
from . import card, network

# The most subwords of a sentence that is translated.
MOST_SUBWORDS = 500
# Test sentences in the picture of a card.
SHOWN = 3
# The largest differences between processors: two symbols may be as likely, and change a sentence.
TOLERANCES = {"bleu": 0.3, "chrf": 0.3, "perplexity": 0.02, "ponder_steps": 5e-3, "ponder": 5e-3}


class Translation(TranslationEvaluation, Family):
    """Networks that read a sentence and write its translation."""

    networks: ClassVar = {"translation": network.build}
    validated = ("chrf", "perplexity", "ponder", "ponder_steps")
    validation_examples = 500
    logged_metrics = ("ponder_steps",)
    columns = (
        "ponder_steps",
        "validation_bleu",
        "validation_chrf",
        "validation_perplexity",
        "validation_ponder",
        "validation_ponder_steps",
    )
    text = card
    # All sentences that are held out.
    default_examples = 2000
    run_metrics = (
        "variant",
        *OF_TRAINING,
        "validation_bleu",
        "validation_perplexity",
        "validation_ponder_steps",
        "bleu",
        "confidence_interval",
        "chrf",
        "signature",
        "perplexity",
        "examples",
        "ponder",
        "ponder_steps",
    )
    limits = ("max_ponder", "epsilon", "beam")

    def __init__(self, recipe):
        Family.__init__(self, recipe)

    @property
    def task(self):
        """The task, which has the subwords."""
        return datasets.task(self.recipe.dataset)

    def decode(self, symbols):
        """The sentence of some symbols."""
        return self.task.decode(symbols, **self.recipe.parameters)

    def pieces(self, symbols):
        """The text form of each symbol, up to the end."""
        return self.task.pieces(symbols, **self.recipe.parameters)

    def compile(self, model, jit_compile="auto", steps_per_execution=1):
        """Compile a model with the optimizer and loss of the recipe."""
        model.compile(
            optimizer=self.optimizer(),
            loss=self.loss(model),
            jit_compile=jit_compile,
            steps_per_execution=steps_per_execution,
        )

    def loss(self, model):
        """The cross-entropy of all subwords, with smoothed targets."""
        smoothing = self.recipe.hyperparameters["label_smoothing"]
        return losses.SequenceLoss(per_target=True, label_smoothing=smoothing)

    def training_batch(self, batch, parameters):
        """Sentences and their translations."""
        return batch["inputs"], batch["targets"]

    def halting_layers(self, model):
        """The layer that ponders."""
        return [model.pondering]

    def probe(self, model):
        """The model with its search and its judgement of given translations."""
        return TranslationProbe(model)

    def evaluation_batch_size(self, parameters):
        """A quarter of a measurement during training."""
        return 125

    def predict(self, probe, text):
        """A model's translation of a sentence.

        Returns:
            A dict: `answer`, the translation; `unknown`, the characters that are not known;
            `inputs`, the subwords that were read; and lists with an element for each subword that
            was written, the end among them: `outputs`, `confidence` (its probability), `bits`
            (-log2 of it), `entropy` in bits, `ponder_steps` (N) and `ponder` (ρ = N + R). Where
            the network ponders before it writes, the last two have a single element.

        Raises:
            ValueError: there is no word, or too many.
        """
        parameters = self.recipe.parameters
        inputs = self.task.encode(text, **parameters)
        if inputs.shape[1] > MOST_SUBWORDS:
            raise ValueError(
                f"a sentence of at most {MOST_SUBWORDS} subwords can be translated. "
                f"Received: {inputs.shape[1]}"
            )
        found = probe(inputs)
        symbols = found["symbols"][0]
        symbols = symbols[: max(int((symbols > 0).sum()), 1)]
        # A wrapper may estimate how long the search will take.
        judge = getattr(probe, "probe", probe).judge
        judged = {name: values[0] for name, values in judge(inputs, symbols[None]).items()}
        outputs = self.pieces(symbols)
        steps, ponder = (found[name][0][: len(symbols)] for name in ("ponder_steps", "ponder"))
        return {
            "answer": self.decode(symbols),
            "unknown": self.task.unknown(text, **parameters),
            "inputs": self.task.describe(inputs[0], **parameters),
            "outputs": [*outputs, *["end"] * (len(symbols) - len(outputs))],
            "confidence": [round(float(x), 4) for x in 2 ** -judged["bits"]],
            "bits": [round(float(x), 4) for x in judged["bits"]],
            "entropy": [round(float(x), 4) for x in judged["entropy"]],
            "ponder_steps": [round(float(x)) for x in steps],
            "ponder": [round(float(x), 4) for x in ponder],
        }

    def entry_metrics(self, run, model, trainings, request):
        """The translations for the card's picture."""
        probe, sentences = self.probe(model), list(self.task.references())[:SHOWN]
        return {"translations": [self.predict(probe, text) for text in sentences]}

    def measurements(self, metrics):
        """None: all of the test part is measured, see `exact_figures`."""
        return []

    def exact_figures(self, metrics, model, folder):
        """All numbers of the card about the published model, from the same sentences.

        Raises:
            FileNotFoundError: the sentences are not there.
        """
        probe, figures = self.probe(model), []
        for split in ("test", "validation"):
            results = self.measure(probe, metrics["examples"], split=split, seed=metrics["seed"])
            numbers = self.summary(results)
            before = "" if split == "test" else "validation_"
            for name, tolerance in TOLERANCES.items():
                if before + name in metrics:
                    published, measured = metrics[before + name], numbers[name]
                    figures.append(Exact(split, name, published, measured, tolerance))
            if split == "test":
                published = {row["kind"]: row for row in metrics["by_difficulty"]}
                for row in self.by_difficulty(results):
                    for name in TOLERANCES.keys() & row.keys():
                        # A kind has fewer sentences than all.
                        was, tolerance = published[row["kind"]][name], 5 * TOLERANCES[name]
                        figures.append(Exact(row["kind"], name, was, row[name], tolerance))
        return figures

    def add_endpoints(self, archive, model):
        """Give the SavedModel its endpoints, for any number of sentences and of subwords.

        They return the dict of `TranslationSearch`: `serve` (also `serving_default`) takes the
        numbers of subwords int32 (batch, n), 0 after the end, `serve_with_limits` also `max_ponder`
        and `epsilon`.
        """
        names = ("max_ponder", "epsilon")
        export.add_endpoints(archive, TranslationSearch(model), (None, None), "int32", names)

    def draw_card(self, folder, model, metrics, history):
        """Write the picture of a translation."""
        self.draw(folder / "ponder.png", metrics["translations"][0])

    def draw(self, path, answer, title=None):
        """Draw ponder, loss and entropy along a translation; returns the path."""
        count = len(answer["outputs"])
        # What was pondered before all of them stands at each.
        ponder = np.broadcast_to(answer["ponder"], count).tolist()
        reading = {**answer, "inputs": answer["outputs"], "ponder": ponder}
        return plots.text.ponder_under_words(path, reading, title)

    @property
    def limits_measured(self):
        """None: BLEU with a limit is a call of `evaluate`."""
        return ()

    def set_limit(self, model, name, value):
        """Set how many translations the search keeps, or a limit of the layer that ponders."""
        if name == "beam":
            model.beams = value
        else:
            setattr(model.pondering, name, value)

    def describe(self, metrics):
        """The numbers of an evaluation as text."""
        low, high = metrics["confidence_interval"]
        return (
            f"BLEU {metrics['bleu']:.1f} ({low:.1f} to {high:.1f}, {metrics['examples']:,} "
            f"sentences), chrF {metrics['chrf']:.1f}, perplexity {metrics['perplexity']:.2f}, "
            f"steps {metrics['ponder_steps']:.2f}"
        )

    def format_answer(self, answer):
        """Each subword with its steps, ponder and probability, a line each; and the translation."""
        each = len(answer["ponder"]) == len(answer["outputs"])
        columns = [answer["outputs"], [f"{share:.1%}" for share in answer["confidence"]]]
        header = ["subword", "probability"]
        if each:
            columns[1:1] = [
                [str(steps) for steps in answer["ponder_steps"]],
                [f"{ponder:.2f}" for ponder in answer["ponder"]],
            ]
            header[1:1] = ["steps", "ponder"]
        lines = aligned([header, *zip(*columns, strict=True)])
        if not each:
            steps, ponder = answer["ponder_steps"][0], answer["ponder"][0]
            lines.append(f"before it wrote: {steps} steps, ponder {ponder:.2f}")
        if answer["unknown"]:
            lines.append(f"characters that are not known: {' '.join(answer['unknown'])}")
        return "\n".join([*lines, f"answer: {answer['answer']}"])

    def check_plot(self, request):
        """Refuse a missing sentence, and what other families refuse."""
        super().check_plot(request)
        if not request.input:
            name = self.recipe.name
            raise ValueError(f'{name} draws how it translates: plot {name} "a sentence"')

    def plot(self, model, request):
        """Draw ponder, loss and entropy along the translation of a sentence.

        Returns:
            A dict: `picture`, its file, and what `predict` returns.
        """
        name = self.recipe.name
        answer = self.predict(self.probe(model), request.input)
        out = Path(request.out or f"{name}.png")
        return {"picture": str(self.draw(out, answer, name)), **answer}
