"""Returns of decisions, from the rewards that follow them."""

from keras import ops

from ..types import Tensor


def discounted_returns(rewards: Tensor, discount: float, accesses_per_output: int = 1) -> Tensor:
    """R_t = Σ_{i ≥ t} γ^(i − t) r_i over accesses, of rewards `(rows, m)` of outputs.

    Args:
        rewards: `(rows, m)`.
        discount: γ.
        accesses_per_output: integer η; the j-th output comes after access η j.

    Returns:
        `(rows, η m)`.

    >>> print(discounted_returns(np.array([[4.0, 2.0]]), 0.5, 2).numpy())
    [[2.25 4.5  1.   2.  ]]
    """
    rewards = ops.convert_to_tensor(rewards)
    m, eta = ops.shape(rewards)[1], accesses_per_output
    earned = eta * (ops.arange(m, dtype="int32") + 1) - 1
    later = earned[:, None] - ops.arange(m * eta, dtype="int32")[None]
    discount = ops.convert_to_tensor(discount, rewards.dtype)
    powers = ops.power(discount, ops.cast(ops.maximum(later, 0), rewards.dtype))
    return ops.matmul(rewards, ops.where(later >= 0, powers, ops.zeros_like(powers)))


def leave_one_out(returns: Tensor, samples: int) -> Tensor:
    """For each sample, the mean of the other samples of the same example.

    Args:
        returns: `(rows, accesses)`, `samples` consecutive rows for each example.
        samples: integer >= 2.

    Returns:
        An array of the same shape.

    >>> print(leave_one_out(np.array([[1.0], [3.0], [8.0]]), 3).numpy()[:, 0])
    [5.5 4.5 2. ]
    """
    runs = ops.reshape(returns, (-1, samples, ops.shape(returns)[1]))
    others = (ops.sum(runs, axis=1, keepdims=True) - runs) / (samples - 1)
    return ops.reshape(others, ops.shape(returns))
