"""The family of networks that predict the next word of a text."""

from typing import ClassVar

import keras
import numpy as np

from .... import datasets, plots, statistics
from ....formatting import aligned
from ....language import SampledWordLoss
from ...entries import baseline
from ...entries.figures import Exact
from . import words_card, words_network
from .family import ROUNDED, Language, rounded, run_metrics_of
from .words_network import Probe

SCORE = "perplexity"
# Adagrad's sums of squared gradients begin with this.
FIRST_SQUARES = 1e-3
MEASURED = ("entropy", "ponder", "ponder_steps")
# Words of the test part in the picture of a card.
SHOWN = 60
# All windows of the test part; the validation part has fewer.
ALL = 245


class Words(Language):
    """Networks with one adaptive recurrent layer that predict the next word of a text."""

    networks: ClassVar = {"words": words_network.predictor}
    main_metric = SCORE
    columns = (
        "ponder",
        "ponder_steps",
        f"validation_{SCORE}",
        "validation_ponder",
        "validation_ponder_steps",
    )
    text = words_card
    unit, most_drawn = "words", plots.text.MOST_WORDS
    draw_reading = staticmethod(plots.text.ponder_under_words)
    # Windows of a measurement during training; there are 217.
    validation_examples = 20
    default_examples = ALL
    run_metrics = run_metrics_of(SCORE)

    def compile(self, model, jit_compile="auto", steps_per_execution=1):
        """Compile a model with the optimizer and loss of the recipe."""
        model.compile(
            optimizer=self.optimizer(),
            loss=SampledWordLoss(model.get_layer("words"), self.recipe.hyperparameters["samples"]),
            jit_compile=jit_compile,
            steps_per_execution=steps_per_execution,
        )

    def optimizer(self):
        """Adagrad, as most words are seen, or drawn for the loss, in few batches only.

        Adam's steps for them are too large.
        """
        return keras.optimizers.Adagrad(
            self.recipe.stages[0].learning_rate,
            initial_accumulator_value=FIRST_SQUARES,
            global_clipnorm=self.recipe.hyperparameters["clipnorm"],
        )

    def training_batch(self, batch, parameters):
        """Words and those that follow, which all count alike."""
        return batch["inputs"], batch["targets"]

    def validate(self, run, probe):
        """Perplexity and ponder on some of the validation data."""
        numbers = self.summary(
            self.measure(probe, self.validation_examples, split="validation", seed=0)
        )
        return {f"validation_{name}": numbers[name] for name in (SCORE, *self.validated)}

    def probe(self, model):
        """The model with its ponder and its predictions."""
        return Probe(model)

    def evaluation_batch_size(self, parameters):
        """Windows in a call: a measurement during training is one."""
        return self.validation_examples

    def further_numbers(self, probe, results, split):
        """None: spaces are not among what is read."""
        return {}

    def example_results(self, batch, answers):
        """What was read at each word, and its cost (windows, time).

        `bits` is the prediction loss at a word: -log2 of the probability of the next one.
        """
        measured = answers["outputs"].measured(batch["targets"])
        return {
            "inputs": batch["inputs"],
            **{name: measured[name] for name in ("bits", "entropy")},
            "ponder": answers["ponder"],
            "ponder_steps": answers["ponder_steps"],
        }

    def means(self, results):
        """The perplexity of all words, with its 95 % confidence interval over windows, and means.

        The interval assumes that windows are independent, which neighbours in a text are not quite.
        """
        windows = results["bits"].mean(axis=1, dtype="float64")
        mean, count = float(windows.mean()), len(windows)
        spread = float(windows.std(ddof=1)) if count > 1 else 0.0
        ends = statistics.mean_interval(mean, spread, count, 6)
        return {
            SCORE: round(2**mean, 3),
            "confidence_interval": [round(2**end, 3) for end in ends],
            "words": results["bits"].size,
            **{
                name: round(float(results[name].mean(dtype="float64")), 4) for name in MEASURED
            },
        }

    def by_difficulty(self, results):
        """The numbers of an evaluation by the frequency of the word that was read.

        Returns:
            A list of dicts: `kind`, `words`, and over them `perplexity` (of the words that follow
            them), and the means of `entropy`, `ponder` and `ponder_steps`.
        """
        rows = []
        task = datasets.task(self.recipe.dataset)
        for kind, those in task.by_frequency(results["inputs"]).items():
            if those.any():
                means = {
                    name: round(float(results[name][those].mean(dtype="float64")), 4)
                    for name in MEASURED
                }
                perplexity = 2 ** float(results["bits"][those].mean(dtype="float64"))
                row = {"kind": kind, "words": int(those.sum()), SCORE: round(perplexity, 3)}
                rows.append({**row, **means})
        return rows

    def predict(self, probe, text):
        """What a model does while it reads a text.

        Args:
            probe: of the model.
            text: its words are read after the end of a line, from a state of zeros.

        Returns:
            A dict: `answer`, the most probable next word after the text; `unknown`, the words that
            are read as `<unk>`; and lists with an element for each word: `inputs` and `answers`
            (the most probable next word), `confidence` (its probability), `bits` (the prediction
            loss: -log2 of the probability of the word that does follow; None for the last),
            `entropy` in bits, `ponder_steps` (N) and `ponder` (ρ).
        """
        task, parameters = datasets.task(self.recipe.dataset), self.recipe.parameters
        inputs = task.encode(text, **parameters)
        results = probe(inputs)
        targets = np.append(inputs[:, 1:], inputs[:, :1], axis=1)
        measured = results["outputs"].measured(targets)
        # The end of the line before the text is no word of it.
        of = {name: values[0, 1:] for name, values in measured.items()}
        answers = task.describe(of["best"])
        return {
            "answer": answers[-1],
            "unknown": task.unknown(text, **parameters),
            "inputs": task.describe(inputs[0, 1:]),
            "answers": answers,
            "confidence": rounded(of["confidence"]),
            "bits": [*rounded(of["bits"][:-1]), None],
            "entropy": rounded(of["entropy"]),
            "ponder_steps": [round(float(value)) for value in results["ponder_steps"][0, 1:]],
            "ponder": rounded(results["ponder"][0, 1:]),
        }

    def entry_metrics(self, run, model, trainings, request):
        """The network without ACT, and the beginning of the test part for the picture."""
        task, parameters = datasets.task(self.recipe.dataset), self.recipe.parameters
        text = " ".join(task.describe(task.read("test", parameters["vocabulary"])[:SHOWN]))
        passage = self.predict(self.probe(model), text.replace("<eos>", ""))
        return {"without_act": self.best_plain(trainings), "passage": passage}

    def exact_figures(self, metrics, model, folder):
        """The perplexities and the ponder of the card, from the whole text.

        Raises:
            FileNotFoundError: the text is not there.
        """
        probe = self.probe(model)
        figures = [*self._scores_again("with ACT", metrics, probe)]
        plain = baseline.load(metrics, folder)
        if plain is not None:
            row = metrics["without_act"]
            figures += self._scores_again("without ACT", row, self.probe(plain))
        return figures

    def _scores_again(self, what, row, probe):
        """The perplexity of a model on both parts, and its ponder."""
        validation = f"validation_{SCORE}"
        again = self.summary(self.measure(probe, ALL, split="validation"))
        yield Exact(what, validation, row[validation], again[SCORE], ROUNDED * again[SCORE])
        numbers = self.summary(self.measure(probe, ALL))
        yield Exact(what, SCORE, row[SCORE], numbers[SCORE], ROUNDED * numbers[SCORE])
        for name in ("ponder", "ponder_steps"):
            yield Exact(what, name, row[name], numbers[name], ROUNDED)

    def draw_card(self, folder, model, metrics, history):
        """Write the picture of a passage."""
        plots.text.ponder_under_words(folder / "words.png", metrics["passage"])

    def describe(self, metrics):
        """The numbers of an evaluation as text."""
        low, high = metrics["confidence_interval"]
        return (
            f"perplexity {metrics[SCORE]:.2f} ({low:.2f} to {high:.2f}, {metrics['words']:,} "
            f"words), ponder {metrics['ponder']:.2f}, steps {metrics['ponder_steps']:.2f}"
        )

    def format_answer(self, answer):
        """Each word with its steps, its ponder and the most probable next word, a line each."""
        rows = zip(
            answer["inputs"],
            map(str, answer["ponder_steps"]),
            (f"{value:.2f}" for value in answer["ponder"]),
            answer["answers"],
            (f"{value:.1%}" for value in answer["confidence"]),
            strict=True,
        )
        lines = aligned([("word", "steps", "ponder", "next", "probability"), *rows])
        if answer["unknown"]:
            words = ", ".join(answer["unknown"])
            lines.append(f"not among the known words, read as <unk>: {words}")
        return "\n".join(lines)

    def length_of(self, text):
        """The number of words of a text, without the end of the line before it."""
        task = datasets.task(self.recipe.dataset)
        return task.encode(text, **self.recipe.parameters).shape[1] - 1
