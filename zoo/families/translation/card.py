"""The sections of the model card of an entry that translates."""

from ...entries.card import asking, loading, markdown, trained, whole_minutes

EXAMPLE = "How old are you?"
LICENCE = "The sentences are those of https://tatoeba.org, by its members, under CC BY 2.0 FR."
SOURCE = (
    "Dzmitry Bahdanau, Kyunghyun Cho, Yoshua Bengio, [Neural Machine Translation by Jointly "
    "Learning to Align and Translate](https://arxiv.org/abs/1409.0473), 2015; with ACT: Alex "
    "Graves, Oriol Vinyals, Michael Figurnov and Rafal Jozefowicz, Learning When to Halt With "
    "Adaptive Computation Time, slides, about 2016"
)
NAMES = {"act": "ACT", "plain": "none: one step"}
DIFFERENCES = (
    "The slides do not say how ACT was put around translation. Here each step of ACT is a step of "
    "the decoder's LSTM with a new look at the sentence.",
)


def results(recipe, metrics):
    """BLEU and chrF of all trainings, and by length and kind of subword."""
    return "\n".join(
        [
            f"On {metrics['examples']:,} English sentences that training did not see, against all "
            f"of their translations, by greedy search (`{metrics['signature']}`), with the 95 % "
            "confidence interval over sentences:",
            "",
            trainings_table(metrics),
            "",
            f"{choice(metrics['runs'])} By the length of the English sentence, and by the kind of "
            "the German subword:",
            "",
            kinds_table(metrics),
        ]
    )


def choice(runs):
    """Why the first of the trainings was published."""
    alike = [run for run in runs if run["variant"] == runs[0]["variant"]]
    kind = NAMES.get(runs[0]["variant"], runs[0]["variant"])
    if len(alike) == 1:
        return f"The published one is the first, the only one with {kind}."
    return "The published one is the first."


def trainings_table(metrics):
    """The table of all trainings with their scores on the same test sentences."""
    rows = [
        [
            str(number),
            NAMES.get(run["variant"], run["variant"]),
            _begins_with(run, metrics["runs"]),
            f"{run['steps']:,}",
            whole_minutes(run),
            f"{run['bleu']:.1f} ({run['confidence_interval'][0]:.1f} to "
            f"{run['confidence_interval'][1]:.1f})",
            f"{run['chrf']:.1f}",
            f"{run['perplexity']:.2f}",
            f"{run['ponder_steps']:.2f}",
        ]
        for number, run in enumerate(metrics["runs"], 1)
    ]
    header = ["", "halting", "begins with", "batches", "minutes"]
    return markdown([*header, "BLEU", "chrF", "perplexity", "steps"], rows)


def _begins_with(run, runs):
    """Which of the trainings had made the weights that a training began with."""
    if not (weights := run["settings"].get("weights")):
        return "–"
    for number, other in enumerate(runs, 1):
        if other["settings"] == weights["settings"]:
            return f"weights of {number}"
    return f"weights of {weights['steps']:,} batches"


def kinds_table(metrics):
    """The table of BLEU and steps by length of the sentence and kind of subword."""
    rows = [
        [row["kind"], f"{row.get('examples', row.get('symbols')):,}"]
        + [f"{row['bleu']:.1f}" if "bleu" in row else "–", f"{row['ponder_steps']:.2f}"]
        for row in metrics["by_difficulty"]
    ]
    return markdown(["kind", "how many", "BLEU", "steps"], rows)


def pictures(recipe):
    """The picture and what it shows."""
    return (
        "![ponder along a translation](ponder.png)\n\nThe first test sentence: ponder ρ = N + R, "
        "loss and entropy at each subword that is written."
    )


def use(recipe, metrics):
    """How to load and question the model."""
    this = loading(recipe, metrics)
    return f"""```python
from keras_adaptive import zoo

model = zoo.load({this})  # subwords to subwords
{asking(recipe, metrics, EXAMPLE)}  # the translation, and the steps of each subword
```

It needs SentencePiece, `pip install "keras_adaptive[translation]"`, but not the sentences: the
subwords are part of the package. The SavedModel in this folder answers without this package: its
endpoint `serve` takes the numbers of the subwords, int32 (batch, n), 0 after the end of a sentence,
and returns `symbols`, the numbers of those of the translations, `log_probability`, `ponder` and
`ponder_steps`; `serve_with_limits` also takes `max_ponder` and `epsilon`."""


def training(recipe, metrics):
    """The settings and the command."""
    settings = recipe.hyperparameters
    words = (
        f"LSTMs of {settings['units']} units, {recipe.parameters['vocabulary']:,} subwords of each "
        "language; Adam"
    )
    lines = trained(words, recipe, metrics)
    if bits := metrics.get("significant_bits"):
        lines += [
            f"The published weights are rounded to {bits} significant bits, so that their files "
            "are smaller. All numbers of the published network are of these weights.",
        ]
    return "\n".join(lines)
