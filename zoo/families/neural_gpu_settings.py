"""How the Neural GPUs are trained, unless a recipe says more."""


def build(recipe):
    """The model of a recipe, see `neural_gpu.build`; a recipe is data until it is built."""
    from . import neural_gpu

    return neural_gpu.build(recipe)


# One layer on an image without width, with hard nonlinearities and diagonal gates.
DIAGONAL = {
    "maps": 48,
    "width": 1,
    "num_layers": 1,
    "kernel_size": [3, 1],
    "nonlinearity": "hard",
    "diagonal": True,
    "update_bias": 0.7,
    "reset_bias": 0.5,
    "gate_sharpness": 1.0,
    "dropout": 0.1,
    "dropout_on": "candidate",
    "optimizer": "relative_clip_adamax",
}
DIFFERENCES = (
    "One layer of CGRU on an image without width, with the hard nonlinearities and diagonal gates "
    "of Freivalds & Liepins (2017), instead of two layers on an image of width 4.",
    "Several lengths in every update, in three stages of growing length, instead of one length "
    "at a time; no relaxation of parameter sharing and no gradient noise.",
    "AdaMax with relative clipping (Freivalds & Liepins 2017) instead of Adam.",
)


def sharper(lengths):
    """The difference that gates are sharper in inference.

    Args:
        lengths: of the validation examples that it was chosen by, in words.
    """
    return (
        "Gates are sharper in inference than in training (`gate_sharpness`), by as much as was "
        f"good for validation examples of {lengths}."
    )
