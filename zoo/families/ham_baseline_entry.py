"""What an entry with a baseline of HAM consists of, and how commands speak of it."""

from .ham_entry import (
    CURVES,
    EXAMPLES,
    KEPT,
    draw,
    exact,
    measured,
    parameters,
    published,
    serve_network,
    sizes,
    told,
    whole,
)
from .limits import refuse

__all__ = [
    "CURVES",
    "EXAMPLES",
    "KEPT",
    "add_endpoints",
    "check_plot",
    "draw",
    "exact",
    "limited",
    "measured",
    "parameters",
    "published",
    "sizes",
    "spoken",
    "told",
    "whole",
]


def add_endpoints(archive, model):
    """Give the SavedModel its endpoint, with free batch size and length, as of `ham_entry`."""
    serve_network(archive, model, model.source.width, model.target.width)


def limited(model, limits):
    """There are no limits to set.

    Raises:
        ValueError: one was given.
    """
    refuse(model, limits)


def check_plot(name, recipe, request):
    """There is nothing to draw.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"{name} has no memory to draw; plot is for HAM")


def spoken(found):
    """An answer to one example in lines to read."""
    return "\n".join(
        [
            f"read: {found['read']}",
            f"confidence {found['confidence']:.1%}",
            f"answer: {found['answer']}",
        ]
    )
