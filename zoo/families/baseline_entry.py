"""What an entry with a baseline of the Neural GPU consists of, and how commands speak of it."""

from ... import plots
from .neural_gpu_entry import (
    CURVES,
    EXAMPLES,
    KEPT,
    add_endpoints,
    limited,
    measured,
    parameters,
    published,
    spoken,
    told,
)

__all__ = [
    "EXAMPLES",
    "KEPT",
    "add_endpoints",
    "check_plot",
    "draw",
    "limited",
    "measured",
    "parameters",
    "published",
    "spoken",
    "told",
]


def draw(folder, model, recipe, metrics, history):
    """Write the picture of the card."""
    plots.learning_curve(folder / "learning_curve.png", history, CURVES)


def check_plot(name, recipe, request):
    """There is nothing to draw.

    Raises:
        ValueError: always.
    """
    raise ValueError(
        f"{name} has no mental image to draw; plot is for Neural GPUs and adaptive computation time"
    )
