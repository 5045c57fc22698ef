"""The family of networks that predict the next byte of a text (Graves 2016, section 3.5)."""

from pathlib import Path
from typing import ClassVar

from .... import datasets, metrics, plots, statistics
from ....datasets.enwik8 import characters
from ....formatting import aligned
from ...entries import baseline
from ...entries.figures import Exact
from ..act.family import ACT
from . import card, network, segmentation
from .at_spaces import RATIOS, space_ratios
from .card import SCORE
from .network import Probe, bits
from .passage import PASSAGES, passage
from .segmentation import MOST_WINDOWS

MEASURED = ("entropy", "ponder", "ponder_steps")
# The largest differences between processors: in means over all bytes, and in numbers that a single
# halt can change.
ROUNDED = 2e-3
NEARLY = 2e-2


def run_metrics_of(score):
    """The keys of each training in `metrics.json`, where a network has this score."""
    training = "training_seed", "training_backend", "settings", "steps", "training_seconds"
    validation = f"validation_{score}", "validation_ponder_steps"
    return (
        *("variant", *training, *validation),
        *(score, "confidence_interval", "examples", "ponder", "ponder_steps"),
    )


class Language(ACT):
    """Networks with one adaptive recurrent layer that predict the next byte of a text."""

    networks: ClassVar = {"language": network.predictor}
    main_metric = SCORE
    columns = (
        SCORE,
        "ponder",
        "ponder_steps",
        f"validation_{SCORE}",
        "validation_ponder",
        "validation_ponder_steps",
    )
    text = card
    # What a text consists of, how much of it can be drawn, and the function that draws it.
    unit, most_drawn = "bytes", plots.text.MOST
    draw_reading = staticmethod(plots.text.ponder_under_text)
    # Windows; the test part of the first megabyte has 106.
    default_examples = 100
    run_metrics = run_metrics_of(SCORE)
    optional_metrics = (
        *(name + kind for name in RATIOS.values() for kind in ("", "_interval")),
        "boundary_f1",
    )

    def metric(self):
        """The main metric while a network is trained."""
        return metrics.BitsPerCharacter()

    def validation_metrics(self, probe, examples, seed=None, parameters=None, kind="validation"):
        """Bits per character and ponder on the validation data, see `MOST_WINDOWS`."""
        return super().validation_metrics(probe, MOST_WINDOWS)

    def probe(self, model):
        """The model with its ponder and the entropy of its predictions."""
        return Probe(model)

    def evaluation_batch_size(self, parameters):
        """Half of the windows of a split of the first megabyte, so that it is two batches."""
        return 53

    def further_numbers(self, probe, results, split):
        """How ponder tells where words begin.

        Returns:
            A dict: those of `space_ratios`; and of the test part `boundary_f1`, how well its peaks
            find the boundaries between words, chosen on as many windows of validation data.
        """
        numbers = space_ratios(results)
        if split == "test":
            chosen = self.measure(probe, len(results["inputs"]), split="validation")
            numbers["boundary_f1"] = segmentation.boundary_f1(results, chosen)
        return numbers

    def example_results(self, batch, answers):
        """What was read at each byte, and its cost (windows, time).

        `bits` is the prediction loss at a byte: -log2 of the probability of the next one.
        """
        return {
            "inputs": batch["inputs"],
            "targets": batch["targets"],
            "bits": bits(answers["outputs"], batch["targets"]),
            "entropy": answers["entropy"],
            "ponder": answers["ponder"],
            "ponder_steps": answers["ponder_steps"],
        }

    def means(self, results):
        """Means over all bytes, and the 95 % confidence interval of the bits over windows.

        The interval assumes that windows are independent, which neighbours in a text are not quite.
        """
        windows = results["bits"].mean(axis=1)
        mean, spread = float(windows.mean()), windows.std(ddof=1)
        return {
            SCORE: round(mean, 4),
            "confidence_interval": statistics.mean_interval(mean, spread, len(windows)),
            **{name: round(float(results[name].mean()), 4) for name in MEASURED},
        }

    def by_difficulty(self, results):
        """The numbers of an evaluation for each kind of byte that was read.

        Returns:
            A list of dicts: `kind`, `bytes`, and the means over them of `bits_per_character` (of
            the bytes that follow them), `entropy`, `ponder` and `ponder_steps`. The opening
            brackets of tags are counted among the tags, and also alone.
        """
        kinds = characters.kinds(results["inputs"])
        groups = [(name, kinds == place) for place, name in enumerate(characters.KINDS)]
        tags = kinds == characters.KINDS.index("XML tags")
        groups.append(("opening brackets of tags", tags & (results["inputs"] == ord("<"))))
        rows = []
        for name, those in groups:
            if those.any():
                means = {
                    key: round(float(results[source][those].mean()), 4)
                    for key, source in ((SCORE, "bits"), *((name, name) for name in MEASURED))
                }
                rows.append({"kind": name, "bytes": int(those.sum()), **means})
        return rows

    def predict(self, probe, text):
        """What a model does while it reads a text.

        Args:
            probe: of the model.
            text: it is read as UTF-8, from a state of zeros.

        Returns:
            A dict: `answer`, the most probable next byte after the text; and lists with an element
            for each byte: `inputs` and `answers` (the most probable next byte) in human form,
            `confidence` (its probability), `bits` (the prediction loss: -log2 of the probability
            of the byte that does follow; None for the last), `entropy` in bits, `ponder_steps` (N)
            and `ponder` (ρ).
        """
        task = datasets.task(self.recipe.dataset)
        inputs = task.encode(text)
        results = probe(inputs)
        outputs = results["outputs"][0]
        answers = task.decode(outputs)
        losses = bits(outputs[None, :-1], inputs[:, 1:])[0]
        return {
            "answer": answers[-1],
            "inputs": task.describe(inputs[0]),
            "answers": answers,
            "confidence": rounded(outputs.max(-1)),
            "bits": [*rounded(losses), None],
            "entropy": rounded(results["entropy"][0]),
            "ponder_steps": [round(float(value)) for value in results["ponder_steps"][0]],
            "ponder": rounded(results["ponder"][0]),
        }

    def entry_metrics(self, run, model, trainings, request):
        """The network without ACT, how peaks find words, and the passages for the pictures."""
        probe = self.probe(model)
        return {
            "without_act": self.best_plain(trainings),
            "segmentation": segmentation.measure(self, probe),
            "passages": {name: passage(name, probe, self.recipe) for name in PASSAGES},
        }

    def measurements(self, metrics):
        """None: all of the test part is measured, see `exact_figures`."""
        return []

    def exact_figures(self, metrics, model, folder):
        """All numbers of the card, from the same windows.

        Raises:
            FileNotFoundError: the text is not there.
        """
        probe = self.probe(model)
        seed = metrics["seed"]
        figures = [*self._scores_again("with ACT", metrics, probe, seed)]
        plain = baseline.load(metrics, folder)
        if plain is not None:
            row = metrics["without_act"]
            figures += self._scores_again("without ACT", row, self.probe(plain), seed)
        measured = segmentation.measure(self, probe)
        pieces = {(row["text"], row["signal"]): row for row in measured}
        for row in metrics["segmentation"]:
            again = pieces[row["text"], row["signal"]]
            what = f"boundaries, {row['text']}, {row['signal']} {row['side']}"
            figures.append(Exact(what, "side", 0, int(row["side"] != again["side"])))
            names = ("height", *segmentation.NUMBERS, "every_byte")
            figures += [Exact(what, name, row[name], again[name], NEARLY) for name in names]
        return figures

    def _scores_again(self, what, row, probe, seed):
        """The bits per character of a model on both parts, of the one with ACT also by kinds."""
        validation = f"validation_{SCORE}"
        again = self.summary(self.measure(probe, MOST_WINDOWS, split="validation"))
        yield Exact(what, validation, row[validation], again[SCORE], ROUNDED)
        results = self.measure(probe, row["examples"], seed=seed)
        numbers = self.summary(results)
        for name in (SCORE, "ponder", "ponder_steps"):
            yield Exact(what, name, row[name], numbers[name], ROUNDED)
        kinds = {row["kind"]: row for row in self.by_difficulty(results)}
        for kind in row.get("by_difficulty", ()):
            for name, published in kind.items():
                if name != "kind":
                    again = kinds[kind["kind"]][name]
                    yield Exact(f"bytes: {kind['kind']}", name, published, again, NEARLY)

    def draw_card(self, folder, model, metrics, history):
        """Write the pictures of two passages and of the learning curve."""
        for name, file in PASSAGES.items():
            plots.text.ponder_under_text(folder / file, metrics["passages"][name])
        plots.text.bits_while_training(folder / "learning_curve.png", {"with ACT": history})

    def describe(self, metrics):
        """The numbers of an evaluation as text."""
        low, high = metrics["confidence_interval"]
        return (
            f"{metrics[SCORE]:.3f} bits per character ({low:.3f} to {high:.3f}, "
            f"{metrics['examples']} windows), ponder {metrics['ponder']:.2f}, "
            f"steps {metrics['ponder_steps']:.2f}"
        )

    def format_answer(self, answer):
        """A table with a line for each byte."""
        keys = ("inputs", "answers", "ponder", "ponder_steps", "bits", "entropy")
        lines = [("byte", "next", "ponder", "steps", "loss", "entropy")]
        for *pair, ponder, steps, loss, entropy in zip(*map(answer.get, keys), strict=True):
            letters = [repr(letter) if letter == " " else letter for letter in pair]
            loss = "" if loss is None else f"{loss:.2f}"
            lines.append((*letters, f"{ponder:.2f}", str(steps), loss, f"{entropy:.2f}"))
        return "\n".join(aligned(lines))

    def check_plot(self, request):
        """Refuse a missing text, one that is too long, and what `ACT` refuses."""
        super().check_plot(request)
        name = self.recipe.name
        if not request.input:
            raise ValueError(f'{name} draws what it does with a text: plot {name} "some text"')
        count, most = self.length_of(request.input), self.most_drawn
        if count > most:
            raise ValueError(f"a text of 1 to {most} {self.unit} can be drawn. Received: {count}")

    def length_of(self, text):
        """The number of bytes of a text."""
        return len(text.encode())

    def plot(self, model, request):
        """Draw ponder, loss and entropy along a text.

        Returns:
            A dict: `picture`, its file, and what `predict` returns.
        """
        name = self.recipe.name
        answer = self.predict(self.probe(model), request.input)
        out = Path(request.out or f"{name}.png")
        self.draw_reading(out, answer, name)
        return {"picture": str(out), **answer}


def rounded(values):
    """Numbers with four decimals."""
    return [round(float(value), 4) for value in values]
