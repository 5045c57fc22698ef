"""CIFAR-10 by a residual network, each of whose positions halts by itself."""

from ..recipe import Recipe, Stage

RECIPE = Recipe(
    name="sact_cifar10",
    family="images",
    variant="sact",
    dataset="cifar10",
    build="images",
    parameters={},
    hyperparameters={
        "halting": "sact",
        "residual_units": 3,
        "channels": [16, 32, 64],
        "epsilon": 0.01,
        "halting_bias": -3.0,
        "target_ponder": None,
        "global_logit": True,
        "fixed_steps": None,
        "momentum": 0.9,
        "weight_decay": 2e-4,
    },
    stages=(
        Stage(
            steps=12_000,
            learning_rate=0.1,
            schedule="cosine",
            time_penalty=0.01,
            chunk=100,
        ),
    ),
    figure=None,
    batch_size=128,
    validate_every=1000,
    task="What is on a photograph of 32×32 pixels? One of the ten classes of CIFAR-10.",
    paper={
        "cell": "ResNet-32",
        "error": "8.18 % at 59.8 % of the FLOPs of the plain network",
        "error_without_act": "7.5 % (He et al. 2016)",
    },
    differences=(
        "ResNet-20, with 3 units a block instead of 5.",
        "12,000 batches, 34 passes over the training images, with a cosine schedule, instead of "
        "100,000.",
        "45,000 images for training; 5,000 are for validation.",
    ),
    search={"time_penalty": (0.002, 0.005, 0.01, 0.02)},
)
# The same network, in which an image halts as a whole.
VARIANTS = (
    RECIPE.replace(
        name="act_cifar10",
        variant="act",
        hyperparameters={**RECIPE.hyperparameters, "halting": "act"},
    ),
)
