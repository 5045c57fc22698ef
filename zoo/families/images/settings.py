"""How a network for images is built from its recipe."""


def build(recipe):
    """The model of a recipe, see `network.build`."""
    # A recipe is data until it is built.
    from . import network

    return network.build(recipe)
