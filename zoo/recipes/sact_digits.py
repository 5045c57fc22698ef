"""Digits on noisy canvases by a residual network, each of whose positions halts by itself."""

from ..recipe import Recipe, Stage

RECIPE = Recipe(
    name="sact_digits",
    family="images",
    variant="sact",
    dataset="digit_canvas",
    build="images",
    parameters={"side": 32, "noise": 0.2},
    hyperparameters={
        "halting": "sact",
        "residual_units": 5,
        "channels": [16, 32, 64],
        "epsilon": 0.01,
        "halting_bias": -3.0,
        "target_ponder": None,
        "global_logit": False,
        "pooling": "max",
        "fixed_steps": None,
        "momentum": 0.9,
        "weight_decay": 2e-4,
    },
    stages=(
        # On small canvases first: the maximum over a large one is noise until features are learned.
        Stage(steps=400, learning_rate=0.05, time_penalty=0.02, parameters={"side": 16}, chunk=50),
        Stage(
            steps=1200,
            learning_rate=0.05,
            schedule="cosine",
            time_penalty=0.05,
            chunk=50,
        ),
    ),
    figure=None,
    batch_size=64,
    validate_every=200,
    task=(
        "A handwritten digit of 8×8 pixels stands at a random place of a noisy canvas of 32×32. "
        "Which digit is it? The digits of the test are none of those of the training."
    ),
    paper={
        "cell": "SACT on ResNet-32 and CIFAR-10, from the README of the authors' code",
        "error": "8.18 % with 82.4 MFLOP, by our count 59.8 % of the plain network",
        "error_without_act": "7.5 % (He et al. 2016)",
    },
    differences=(
        "Digits instead of CIFAR-10.",
        "Positions halt by what is around them alone, without the global logit.",
        "The maximum over all positions before the answer, instead of the mean.",
        "400 batches of canvases of 16×16, then 1,200 of 32×32, with a cosine schedule.",
    ),
    test_data_seen=(
        "All versions were measured on canvases, of their own each, with the same 360 test digits. "
        "The first one, with mean pooling, had 95.01 % right, and 27.8 % at 128×128, before the "
        "pooling, the channels and τ were changed. Trainings with other settings are listed in "
        "docs/reproduce.md.",
    ),
    search={"time_penalty": (0.01, 0.02, 0.05, 0.1)},
)


def halting_whole_images(recipe, name):
    """The recipe of the same network with ACT, with which an image halts as a whole."""
    return recipe.replace(
        name=name, variant="act", hyperparameters={**recipe.hyperparameters, "halting": "act"}
    )


VARIANTS = (halting_whole_images(RECIPE, "act_digits"),)
