"""Bits as texts, for the oracles of tasks on bits."""


def answer_of(result, inputs, copies=1):
    """The symbols of a result, from a function of texts, and blanks after it."""
    bits = read(inputs, copies)
    symbols = [int(bit) + 1 for bit in result(bits)]
    return symbols + [0] * (len(inputs) - len(symbols))


def read(inputs, copies=1):
    """The bits of an example without padding, as a text."""
    text = "".join({0: "_", 1: "0", 2: "1"}[symbol] for symbol in inputs)
    bits = text[: len(text) // copies]
    assert "_" not in bits and set(text[len(bits) :]) <= {"_"}
    return bits
