"""Sort: each pair is inserted after all pairs whose keys are not larger."""

from .with_end import with_end


def answer(inputs, key_bits=None):
    key_bits = key_bits or len(inputs[0]) // 2
    result = []
    for vector in inputs:
        place = sum(other[:key_bits] <= vector[:key_bits] for other in result)
        result.insert(place, vector)
    return with_end(result)
