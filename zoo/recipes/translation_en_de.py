"""Translation from English into German (Tatoeba) that ponders, as in a talk on ACT by Graves."""

from ..recipe import Recipe, Stage
from ..search.space import TIME_PENALTIES

RECIPE = Recipe(
    name="translation_en_de",
    dataset="tatoeba",
    build="translation",
    parameters={"length": 30, "vocabulary": 4000},
    hyperparameters={
        "units": 256,
        "dropout": 0.2,
        "label_smoothing": 0.1,
        "place": "writing",
        "halting": "act",
        "fixed_steps": None,
        # Where thought was not rewarded, subwords soon took one step, with a BLEU of 27.
        "max_ponder": 2,
        "halting_bias": -1.0,
        "target_ponder": 1.5,
        "least_time_penalty": -0.3,
        "max_outputs": [2, 10],
        "clipnorm": 1.0,
    },
    stages=(
        Stage(
            steps=8000,
            learning_rate=2e-3,
            schedule="cosine",
            hold=0.3,
            time_penalty=0.0,
            chunk=100,
        ),
    ),
    figure=None,
    batch_size=128,
    validate_every=1000,
    family="translation",
    task=(
        "The input is an English sentence of Tatoeba, in subwords. The answer is a German "
        "translation, subword by subword."
    ),
    paper={
        "cell": "LSTM with attention",
        "error": "BLEU 38.3, perplexity 3.1, from English into French (WMT 2014)",
        "error_without_act": "BLEU 37.5, perplexity 3.4",
    },
    differences=(
        "The talk translates news from English into French (WMT 2014); none of its numbers "
        "compares with those on Tatoeba, whose sentences are short.",
        "LSTMs of 256 units, the encoder's in both directions; the output shares the matrix of the "
        "German subwords' vectors.",
        "In the talk ACT helps. Here ACT and one step are level, after equally many batches and in "
        "the same time.",
    ),
    search={"time_penalty": TIME_PENALTIES},
)
# The talk's other place: ACT between reading and writing.
VARIANTS = (
    RECIPE.replace(
        name="translation_en_de_before",
        hyperparameters={
            **RECIPE.hyperparameters,
            "place": "before",
            "max_ponder": 4,
            "target_ponder": 2.0,
        },
        paper={
            **RECIPE.paper,
            "error": "BLEU 37.6, perplexity 3.3, from English into French (WMT 2014)",
        },
    ),
)
