"""A language model on words that ponders (WikiText-2), as in a talk on ACT by Graves."""

from ..recipe import Recipe, Stage
from ..search.space import TIME_PENALTIES

RECIPE = Recipe(
    name="act_words",
    dataset="wikitext2",
    build="words",
    parameters={"length": 1000, "vocabulary": 33_278},
    training_parameters={"length": 35},
    hyperparameters={
        "units": 200,
        "dropout": 0.3,
        "samples": 1024,
        "halting": "act",
        "fixed_steps": None,
        "max_ponder": 10,
        "epsilon": 0.01,
        "halting_bias": -1.0,
        "target_ponder": 3.0,
        "clipnorm": 8.75,
    },
    stages=(
        Stage(
            steps=2300,
            learning_rate=0.1,
            schedule="cosine",
            hold=0.3,
            time_penalty=1e-3,
            chunk=100,
        ),
    ),
    figure=None,
    batch_size=32,
    validate_every=500,
    family="words",
    task=(
        "The articles of WikiText-2 are read word by word, with their punctuation. The answer to "
        "each word is the next one, of 33,278."
    ),
    paper={
        "cell": "not said",
        "error": "perplexity 39 with 4.3 steps on average, on another text",
        "error_without_act": "perplexity 44; 39 with five steps for every word",
    },
    differences=(
        "The talk does not say which text its network read. Its example is news text, and its "
        "perplexities suggest the One Billion Word Benchmark; none of its numbers compares with "
        "those on WikiText-2.",
        "A single LSTM of 200 units, whose output shares the matrix of the words' vectors.",
        "In the talk it helps to think longer. Here ACT and one step are level after equally many "
        "batches, and in the same time one step is better; five steps are worse.",
    ),
    search={"time_penalty": TIME_PENALTIES},
)
