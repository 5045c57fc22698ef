"""CIFAR-10 by a residual network, each of whose positions halts by itself."""

from ..recipe import Stage
from .sact_digits import RECIPE as DIGITS
from .sact_digits import halting_whole_images

RECIPE = DIGITS.replace(
    name="sact_cifar10",
    dataset="cifar10",
    parameters={},
    hyperparameters={
        **DIGITS.hyperparameters,
        "global_logit": True,
        "pooling": "mean",
        # Keras subtracts it from the weights without momentum, which multiplies others' by ten.
        "weight_decay": 5e-3,
    },
    stages=(
        Stage(
            steps=11_000,
            learning_rate=0.1,
            schedule="cosine",
            time_penalty=0.01,
            chunk=100,
        ),
    ),
    batch_size=128,
    validate_every=1000,
    task=(
        "What is on a photograph of 32×32 pixels? One of the ten classes of CIFAR-10 "
        "(Krizhevsky 2009)."
    ),
    differences=(
        "11,000 batches, 31 passes over the training images, with a cosine schedule, instead of "
        "100,000. SACT and ACT begin with the weights of the plain network, as the authors' did "
        "for ImageNet, and take 1,000 to 2,000 batches more.",
        "45,000 images for training; 5,000 are for validation.",
        "A weight decay of 5e-4 instead of 2e-4, as the training is shorter (in Keras 5e-3: it "
        "is not multiplied by the momentum).",
    ),
    test_data_seen=(
        "CIFAR-10 has one set of 10,000 test images. Earlier networks were measured on them before "
        "weight decay, depth, halting bias and τ were changed: without halting 83.78, 85.35 "
        "and 86.89 % right, SACT 84.94 to 85.93 %, ACT 84.76 to 85.42 %. So were all τ on this "
        "card.",
    ),
    search={"time_penalty": (0.002, 0.005, 0.01, 0.02)},
)
VARIANTS = (halting_whole_images(RECIPE, "act_cifar10"),)
