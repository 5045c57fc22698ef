"""The rotate task: vectors of bits become the same vectors, the first one last."""

import numpy as np

from .. import vectors
from ..vectors import PADDING

__all__ = ["PADDING", "answers", "decode", "describe", "encode", "output_length", "sample", "sizes"]


def sizes(bits=6, **_):
    """Width of the input, and number of simultaneous outputs: the bits and the end."""
    vectors.check_bits(bits=bits)
    return {"width": bits, "outputs": bits + 1, "classes": 2}


def output_length(length):
    """Number of outputs for n inputs, the End Of Output symbol included: n + 1."""
    return length + 1


def sample(
    rng, batch_size, *, length=32, min_length=1, same_length=False, short_share=0.0, bits=6
):
    """Draws sequences of uniform vectors of bits, and the same sequences rotated."""
    vectors.check_bits(bits=bits)
    lengths, positions = vectors.draw_lengths(
        rng, batch_size, length, min_length, same_length, short_share
    )
    inputs = vectors.pad_vectors(vectors.draw_bits(rng, batch_size, positions, bits), lengths)
    weights = vectors.sequence_mask(output_length(lengths), output_length(positions))
    return vectors.make_batch(inputs, lengths, answers(inputs), weights)


def answers(inputs):
    """The targets of `inputs` (batch, n, bits), int32 (batch, n + 1, bits + 1)."""
    inputs, lengths = vectors.validate_inputs(inputs)
    source = (np.arange(inputs.shape[1]) + 1) % lengths[:, None]
    return vectors.add_end_symbol(vectors.gather(inputs, source), lengths)


def encode(text, *, bits=6, **_):
    """An input from its text form: each vector as a number, separated by spaces."""
    words = str(text).split()
    try:
        return vectors.parse_vectors(words or [""], bits)[None]
    except ValueError as error:
        raise ValueError(f"an input is numbers, for instance '5 3'. Received: {text!r}") from error


def describe(inputs):
    """The text form of one example, inputs (n, bits)."""
    inputs, lengths = vectors.validate_inputs(np.asarray(inputs)[None])
    return " ".join(vectors.format_vectors(inputs[0, : lengths[0]], inputs.shape[-1]))


def decode(outputs):
    """The output as text, from probabilities (m, bits + 1)."""
    return vectors.format_outputs(outputs, np.shape(outputs)[-1] - 1)
