"""A cell that reads a memory, in slow plain NumPy, one sample and one step after another."""

import numpy as np

import references


def reading(S, W_1, W_2, v, h, present):
    """A state transition whose input is x and what is read of h_1 … h_n, by the state before.

    u_i = v · tanh(W_1 h_i + W_2 d) of d, the first vector of the state; a = softmax(u) over the i
    that are present; the context is Σ a_i h_i (Bahdanau et al. 2015, appendix A.1.2).
    """

    def transition(s, x):
        u = [v @ np.tanh(h_i @ W_1 + s[0] @ W_2) for h_i in h[present]]
        a = np.exp(u - np.max(u))
        context = sum(a_i * h_i for a_i, h_i in zip(a / np.sum(a), h[present]))
        return S(s, np.append(x, context))

    return transition


def act_batch(cell, weights, x, memory, M, epsilon, tau, mask=None, memory_mask=None, N=None):
    """As `references.act_batch`, of a layer that reads; `weights` are `[W, U, b, W_1, W_2, v, …]`.

    Returns:
        A `references.Batch`.
    """
    W, U, b, W_1, W_2, v, W_h, b_h = weights
    present = np.ones(memory.shape[:2], bool) if memory_mask is None else memory_mask
    runs = [
        references.act(
            reading(references.CELLS[cell].transition(W, U, b), W_1, W_2, v, memory[i], present[i]),
            np.ravel(W_h),
            np.ravel(b_h)[0],
            x[i],
            (np.zeros(len(U)),) * references.CELLS[cell].states,
            M,
            epsilon,
            None if mask is None else mask[i],
            None if N is None else N[i],
        )
        for i in range(len(x))
    ]
    y, N, R = (np.array([getattr(one, name) for one in runs]) for name in "yNR")
    s = tuple(np.array(states) for states in zip(*(one.s for one in runs)))
    loss = np.sum(y**2) + sum(np.sum(state**2) for state in s)
    return references.Batch(y, s, N, R, loss + tau * np.mean([one.P for one in runs]))


def act_gradients(cell, weights, x, memory, M, epsilon, tau, mask=None, memory_mask=None):
    """Gradients of the loss in `[*weights, x, memory]`, N held constant."""
    options = M, epsilon, tau, mask, memory_mask
    N = act_batch(cell, weights, x, memory, *options).N.astype(int)

    def loss(*arrays):
        *weights, x, memory = arrays
        return act_batch(cell, weights, x, memory, *options, N=N).loss

    return references.central_differences(loss, [*weights, x, memory])
