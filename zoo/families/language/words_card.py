"""The sections of the model card of an entry that predicts the words of a text."""

from ...entries import baseline
from ...entries.card import asking, encoding, loading, markdown
from . import card

SCORE = "perplexity"
LICENCE = (
    "The passage in its picture is text of Wikipedia by its authors, under CC BY-SA."
)
EXAMPLE = "the cat sat on"
SOURCE = (
    "Alex Graves, Oriol Vinyals, Michael Figurnov, Rafal Jozefowicz, Learning When to Halt With "
    "Adaptive Computation Time, a talk; and Graves, [Adaptive Computation Time for Recurrent "
    "Neural Networks](https://arxiv.org/abs/1603.08983), 2016"
)
DIFFERENCES = ("The halting unit sees the cell's output, which Equation 5 of the paper allows.",)


def results(recipe, metrics):
    """The perplexities, and what words of different frequency cost."""
    length = recipe.parameters["length"]
    rows = [card.row("with ACT", metrics, recipe.paper["error"], "**", SCORE, 1)]
    plain = metrics["without_act"]
    if plain:
        paper = recipe.paper["error_without_act"]
        rows.append(card.row("one step for each word", plain, paper, "", SCORE, 1))
    rows += [
        card.row(f"{kind.removeprefix('fixed-')} steps per word", run, "", "", SCORE, 1)
        for run in metrics["runs"]
        if (kind := run["variant"]).startswith("fixed")
    ]
    header = ["", "perplexity", "steps per word", "ponder ρ", "the talk"]
    lines = [
        f"Perplexity of the test part, {metrics['words']:,} words, each of {metrics['examples']} "
        f"consecutive windows of {length:,} read from a state of zeros, with all words in the "
        "softmax; and the 95 % confidence interval (over windows, as if they were independent):",
        "",
        markdown(header, rows),
        "",
        *([f"The network with one step: {baseline.in_words(metrics)}.", ""] if plain else []),
        "What words cost, by how frequent the word that is read is in the training "
        "part; perplexity and entropy are those of the prediction of the next word:",
        "",
        frequencies(metrics["by_difficulty"]),
    ]
    return "\n".join(lines)


def frequencies(rows):
    """The means over words by their frequency as a table, from `Words.by_difficulty`."""
    header = ["word read", "words", "ponder ρ", "steps N", "perplexity", "entropy (bits)"]
    keys = ("ponder", "ponder_steps", SCORE, "entropy")
    cells = [
        [row["kind"], f"{row['words']:,}", *(f"{row[key]:.2f}" for key in keys)] for row in rows
    ]
    return markdown(header, cells)


def pictures(recipe):
    """The picture and what it shows."""
    return (
        "![steps along a text](words.png)\n\nPonder, prediction loss and prediction entropy at "
        "each of the first words of the test part."
    )


def use(recipe, metrics):
    """How to load, serve and question the model."""
    answer = "task.describe(model.predict(inputs)[0, -1:].argmax(-1))"
    return f"""```python
from keras_adaptive import datasets, zoo

model = zoo.load({loading(recipe, metrics)})  # words to probabilities (batch, time, words)
{encoding(recipe, EXAMPLE, answer)}  # the most probable next word
{asking(recipe, metrics, EXAMPLE)}  # steps and ponder at each word
```

The list of the words is part of the data set: `task.words()`. The
{card.served("words")}"""


def training(recipe, metrics):
    """The settings, the command, and every training that was run."""
    settings = recipe.hyperparameters
    words = (
        f"{settings['units']} LSTM units; each row of a batch goes on where that of the batch "
        f"before ended; gradients clipped at a global norm of {settings['clipnorm']:g}; a softmax "
        f"over {settings['samples']:,} drawn words"
    )
    return card.with_trainings(recipe, metrics, words, "rows", "words", SCORE, 1)
