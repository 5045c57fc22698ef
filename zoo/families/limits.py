"""Limits of a loaded model's computation, and which models have which."""

WHOSE = {
    "max_ponder": "adaptive computation time",
    "epsilon": "adaptive computation time",
    "leaves": "a memory of leaves",
}


def refuse(model, limits):
    """Accept no limit.

    Args:
        model: a model that has none of them.
        limits: a dict from names of limits to their values, None for those that are not set.

    Raises:
        ValueError: one was given.
    """
    for name, value in limits.items():
        if value is not None:
            raise ValueError(
                f"{name} is for models with {WHOSE[name]}, and {model.name} has none. "
                f"Received: {value}"
            )
