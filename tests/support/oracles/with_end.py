"""The End Of Output symbol, for the oracles of tasks on vectors."""


def with_end(outputs):
    """Vectors with a 0 each, and the symbol after them."""
    return [*([*vector, 0] for vector in outputs), [0] * len(outputs[0]) + [1]]
