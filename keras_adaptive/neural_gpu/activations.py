"""What turns a convolution into a gate or a candidate."""

from keras import ops

from ..types import Tensor

SATURATION_LIMIT = 0.9


def cutoff_sigmoid(x: Tensor) -> Tensor:
    """The sigmoid with cut-off, max(0, min(1, 1.2 σ(x) − 0.1)): a gate that can close entirely.

    Example:

    >>> [round(float(y), 3) for y in cutoff_sigmoid(np.array([-9.0, 0.0, 9.0]))]
    [0.0, 0.5, 1.0]

    Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.3.
    """
    return ops.clip(1.2 * ops.sigmoid(x) - 0.1, 0.0, 1.0)


def hard_sigmoid(x: Tensor) -> Tensor:
    """max(0, min(1, (x + 1) / 2)).

    Source: Freivalds & Liepins (2017), arXiv:1702.08727.
    """
    return ops.clip(0.5 * x + 0.5, 0.0, 1.0)


def hard_tanh(x: Tensor) -> Tensor:
    """max(−1, min(1, x)).

    Source: Freivalds & Liepins (2017), arXiv:1702.08727.
    """
    return ops.clip(x, -1.0, 1.0)


def saturation(x: Tensor) -> Tensor:
    """How far activations lie beyond where hard nonlinearities bend: max(0, |x| − 0.9).

    A small cost on it keeps their gradient from vanishing.

    Source: Freivalds & Liepins (2017), arXiv:1702.08727.
    """
    return ops.relu(ops.abs(x) - SATURATION_LIMIT)
