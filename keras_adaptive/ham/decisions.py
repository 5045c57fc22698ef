"""Log-probability and entropy of decisions between left and right."""

from keras import ops


def log_probability(path, right_probability):
    """log p of each turn: `path` is 1 for right, `right_probability` is p of a right turn.

    >>> [round(float(x), 3) for x in log_probability(np.array([1, 0]), np.array([0.5, 0.2]))]
    [-0.693, -0.223]
    """
    p = ops.convert_to_tensor(right_probability)
    return _log(ops.where(ops.equal(path, 1), p, 1.0 - p))


def entropy(right_probability):
    """H(p) of each turn, in nats.

    >>> [round(float(x), 3) for x in entropy(np.array([0.5, 1.0]))]
    [0.693, 0.0]
    """
    p = ops.convert_to_tensor(right_probability)
    return -p * _log(p) - (1.0 - p) * _log(1.0 - p)


def _log(p):
    """log p, with a finite slope at 0."""
    return ops.log(ops.maximum(p, 1e-30))
