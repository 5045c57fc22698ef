"""Parity of vectors of 96 with few non-zeros by PonderNet (Banino et al. 2021, section 3.1)."""

from ..recipe import Curriculum, Figure, Recipe, Stage

RECIPE = Recipe(
    name="pondernet_parity",
    family="pondernet",
    variant="pondernet",
    dataset="sparse_parity",
    build="pondernet",
    parameters={"length": 48, "min_length": 1, "bits": 96},
    length_parameters=("min_length", "length"),
    hyperparameters={
        "halting": "pondernet",
        "units": 192,
        "input_scale": 3.0,
        "max_ponder": 4,
        "prior": 0.2,
        "beta": 0.5,
        "halting_bias": -1.5,
        "clipnorm": 1.0,
        # Those of the variants with ACT, and with a fixed number of steps.
        "fixed_steps": None,
        "epsilon": 0.01,
        "target_ponder": None,
    },
    stages=(
        Stage(
            steps=20_000,
            learning_rate=1e-3,
            time_penalty=0.0,
            curriculum=Curriculum(("positions",), start=2, stop="bits", threshold=0.15),
            chunk=40,
        ),
        Stage(steps=40_000, learning_rate=1e-3, schedule="cosine", bins=(24, 44, 48)),
    ),
    figure=Figure(
        1, "non-zeros", ("min_length", "length"), stop="bits", examples=500, along_sequences=False
    ),
    batch_size=128,
    task=(
        "The input is one vector of 96 elements, of which a random number, at random places, are 1 "
        "or -1 and the others 0. The answer is 1 if the number of ones is odd, else 0. The "
        "training sees 1 to 48 elements that are not 0; it is also tested with 49 to 96."
    ),
    paper={
        "cell": "GRU with 128 units",
        "error": "nearly none, also beyond the training's range",
        "error_without_act": "about half are wrong beyond it, as by guessing",
    },
    differences=(
        "An RNN of 192 sine units, each of which sees one input at the start, instead of a GRU.",
        "A curriculum: at first the non-zero elements lie among the first 2, in the end among 96.",
        "At most 4 steps of thought, and β = 0.5 instead of 0.01: with a small β the halting unit "
        "learned nothing but to take all steps, and took fewer where vectors had many non-zeros.",
        "In the last stage a third of the batches have 1 to 24 non-zeros, a third 25 to 44, and a "
        "third 45 to 48.",
        "In inference an example halts at the median, not at a step that is drawn.",
    ),
    search={"prior": (0.1, 0.2, 0.3), "beta": (0.01, 0.1, 0.5)},
)
