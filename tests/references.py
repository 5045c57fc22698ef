"""The papers' equations in slow plain NumPy, one sample and one time step after another.

What the layers compute is compared with this, so nothing here is shared with them: no batch, no
Keras, the paper's letters.
"""

from typing import NamedTuple

import numpy as np


def sigma(a):
    return 1.0 / (1.0 + np.exp(-a))


# State transitions S(s, x) of Equation 1. A state is a tuple of vectors; the first is the output.


def simple_rnn(W, U, b):
    def S(s, x):
        return (np.tanh(x @ W + s[0] @ U + b),)

    return S


def lstm(W, U, b):
    """Hochreiter & Schmidhuber with forget gates; the gates stand in Keras's order i, f, c, o."""

    def S(s, x):
        h, c = s
        i, f, g, o = np.split(x @ W + h @ U + b, 4, axis=-1)
        c = sigma(f) * c + sigma(i) * np.tanh(g)
        return sigma(o) * np.tanh(c), c

    return S


def gru(W, U, b):
    """Cho et al. in the variant whose reset gate comes after the product (Keras's default)."""

    def S(s, x):
        (h,) = s
        xz, xr, xh = np.split(x @ W + b[0], 3, axis=-1)
        hz, hr, hh = np.split(h @ U + b[1], 3, axis=-1)
        z, r = sigma(xz + hz), sigma(xr + hr)
        return (z * h + (1.0 - z) * np.tanh(xh + r * hh),)

    return S


class Cell(NamedTuple):
    """A state transition as a function of its weights, and the weights' shapes."""

    transition: object
    gates: int
    states: int
    bias_rows: tuple = ()

    def shapes(self, features, units):
        columns = self.gates * units
        return [(features, columns), (units, columns), (*self.bias_rows, columns)]


CELLS = {
    "SimpleRNNCell": Cell(simple_rnn, 1, 1),
    "LSTMCell": Cell(lstm, 4, 2),
    "GRUCell": Cell(gru, 3, 1, (2,)),
}


def halt(h, M, epsilon, N=None):
    """Equations 6-8 and 13 on the halting activations of one input.

    With `N` the number of steps is not looked for: this is how N is held constant for a gradient.

    Returns:
        `(N, R, p)`: steps, remainder, and the weights `p` of the N steps.
    """
    if N is None:
        N = 1
        while N < M and sum(h[:N]) < 1.0 - epsilon:
            N += 1
    R = 1.0 - sum(h[: N - 1])
    return N, R, np.array([*h[: N - 1], R])


def sampled_halt(h, chance, M):
    """Footnote 1: p^n = h^n Π (1 - h^n'), of which step N, where the chance falls, has the rest.

    Returns:
        `(N, p, S)`: steps, probabilities of the N steps, and of not having halted before each.
    """
    S = [1.0]
    while len(S) < M and S[-1] * (1.0 - h[len(S) - 1]) > chance:
        S.append(S[-1] * (1.0 - h[len(S) - 1]))
    p = [S[n] * h[n] for n in range(len(S) - 1)]
    return len(S), np.array([*p, S[-1]]), np.array(S)


class Sequence(NamedTuple):
    """What ACT makes of one sequence, for each time step t."""

    y: np.ndarray
    s: tuple
    N: np.ndarray
    R: np.ndarray
    p: list

    @property
    def P(self):
        """The ponder cost of Equations 10 and 11."""
        return np.sum(self.N + self.R)


def act(S, W_h, b_h, x, s, M, epsilon, mask=None, N=None):
    """Equations 3-10 on one sequence `x`, `(time, features)`, from state `s`.

    The output y is the first vector of the state. A time step where `mask` is false takes no step:
    state and output stay what they were.
    """
    T = len(x)
    mask = np.ones(T, bool) if mask is None else mask
    y_t, ys, Ns, Rs, ps = np.zeros_like(s[0]), [], np.zeros(T), np.zeros(T), []
    for t in range(T):
        p = np.zeros(0)
        if mask[t]:
            s_n, h = [], []
            while N is None or len(h) < N[t]:
                delta = 1.0 if not h else 0.0
                s_n.append(S(s_n[-1] if s_n else s, np.append(x[t], delta)))  # Eq. 3
                h.append(sigma(s_n[-1][0] @ W_h + b_h))  # Eq. 5
                if N is None and (len(h) == M or sum(h) >= 1.0 - epsilon):  # Eq. 13
                    break
            Ns[t], Rs[t], p = halt(h, M, epsilon, len(h))
            s = tuple(sum(p_n * v for p_n, v in zip(p, vs)) for vs in zip(*s_n))  # Eq. 9
            y_t = s[0]
        ys.append(y_t)
        ps.append(p)
    return Sequence(np.array(ys), s, Ns, Rs, ps)


class Batch(NamedTuple):
    """The same for a batch: arrays with the batch first, and the loss."""

    y: np.ndarray
    s: tuple
    N: np.ndarray
    R: np.ndarray
    loss: float


def act_batch(cell, weights, x, M, epsilon, tau, mask=None, s=None, N=None):
    """A layer on a batch `x`, `(batch, time, features)`.

    Args:
        cell: a name of `CELLS`.
        weights: `[W, U, b, W_h, b_h]`, of the cell and of the halting unit.
        s: arrays `(batch, units)`, the state to start from; zeros by default.

    Returns:
        A `Batch`; its loss is the sum of all squared outputs and last states, for want of a task,
        plus `tau` times the mean over the batch of P (Equation 12).
    """
    W, U, b, W_h, b_h = weights
    S = CELLS[cell].transition(W, U, b)
    if s is None:
        s = [np.zeros((len(x), len(U)))] * CELLS[cell].states
    sequences = [
        act(
            S,
            np.ravel(W_h),
            np.ravel(b_h)[0],
            x[i],
            tuple(state[i] for state in s),
            M,
            epsilon,
            None if mask is None else mask[i],
            None if N is None else N[i],
        )
        for i in range(len(x))
    ]
    y, N, R = (np.array([getattr(q, name) for q in sequences]) for name in "yNR")
    s = tuple(np.array(states) for states in zip(*(q.s for q in sequences)))
    loss = np.sum(y**2) + sum(np.sum(state**2) for state in s)
    return Batch(y, s, N, R, loss + tau * np.mean([q.P for q in sequences]))


def act_gradients(cell, weights, x, M, epsilon, tau, mask=None, step=1e-5):
    """Gradients of the loss in `[*weights, x]`, N held constant (section 2.2)."""
    N = act_batch(cell, weights, x, M, epsilon, tau, mask).N.astype(int)

    def loss(*arguments):
        *weights, x = arguments
        return act_batch(cell, weights, x, M, epsilon, tau, mask, N=N).loss

    return central_differences(loss, [*weights, x], step)


def central_differences(function, arrays, step=1e-5):
    """The gradient of `function(*arrays)` in each element of each array."""
    arrays = [np.array(array, "float64") for array in arrays]
    gradients = [np.zeros_like(array) for array in arrays]
    for array, gradient in zip(arrays, gradients):
        for i in np.ndindex(array.shape):
            value = array[i]
            array[i] = value + step
            above = function(*arrays)
            array[i] = value - step
            below = function(*arrays)
            array[i] = value
            gradient[i] = (above - below) / (2 * step)
    return gradients
