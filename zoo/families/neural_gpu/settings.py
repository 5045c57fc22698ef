"""How Neural GPUs and their baselines are trained, unless a recipe says more."""

from ...recipe import Stage

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
# The fields of recipes whose inputs are two binary numbers of 20 digits.
NUMBERS = {
    "family": "neural_gpu",
    "build": "neural_gpu",
    "parameters": {"bits": 20, "min_bits": 20},
    "training_parameters": {"min_bits": 1, "short_share": 0.05},
    "length_parameters": ("min_bits", "bits"),
    "figure": None,
    "batch_size": 32,
    "paper": {"cell": "two layers of CGRU with 24 maps and width 4", "error": "0 %"},
}
# The fields of recipes whose inputs are 41 bits, of which the network has 24 maps.
BITS = {
    "family": "neural_gpu",
    "build": "neural_gpu",
    "parameters": {"length": 41, "min_length": 41},
    "training_parameters": {"min_length": 2, "short_share": 0.05},
    "length_parameters": ("min_length", "length"),
    "figure": None,
    "batch_size": 32,
    "validate_every": 1000,
    "paper": {"cell": "two layers of CGRU with 24 maps and width 4", "error": "0 %"},
}
BITS_NETWORK = {**DIAGONAL, "maps": 24, "dropout": 0.2, "longer": 121, "longer_at_first": 31}
DIFFERENCES = (
    "One layer of CGRU on an image without width, with the hard nonlinearities and diagonal gates "
    "of Freivalds & Liepins (2017), instead of two layers on an image of width 4.",
    "Several lengths in every update, in stages of growing length, instead of one length at a "
    "time; no relaxation of parameter sharing and no gradient noise.",
    "Dropout of 10 or 20 % in what each CGRU would write, not in the whole image, and no "
    "saturation cost (Freivalds & Liepins 2017).",
    "AdaMax with relative clipping (Freivalds & Liepins 2017) instead of Adam.",
)


def several(steps, learning_rate, bins, hold=None, **parameters):
    """A stage with several lengths in every update.

    Args:
        steps, learning_rate, bins: as of `Stage`.
        hold: the share of the stage before the learning rate falls; None if it does not.
        **parameters: those of the data set that differ.
    """
    falls = hold is not None
    return Stage(
        steps=steps,
        learning_rate=learning_rate,
        schedule="cosine" if falls else "constant",
        hold=hold if falls else 0.0,
        bins=bins,
        parameters=parameters,
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


# LSTM+A with what the Neural GPU of the paper is trained with.
SEQ2SEQ = {
    "units": 64,
    "num_layers": 3,
    "attention": True,
    "dropout": 0.1,
    "reverse_inputs": True,
    "optimizer": "adam",
    "clipnorm": 1.0,
    "gradient_noise": 1e-3,
}
SEQ2SEQ_SEARCH = {
    "learning_rate": (1e-3, 3e-3, 9e-3),
    "gradient_noise": (3e-4, 1e-3, 3e-3),
    "dropout": (0.06, 0.09, 0.135),
}
