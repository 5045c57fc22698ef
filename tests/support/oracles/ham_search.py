"""Search: the value of the first pair with the key of the query; the end comes with it."""


def answer(inputs):
    *pairs, query = inputs
    half = len(query) // 2
    assert query[half:] == [0] * half
    assert pairs == sorted(pairs, key=lambda pair: pair[:half])
    value = next(pair[half:] for pair in pairs if pair[:half] == query[:half])
    return [[*value, 1]]
