"""What two steps of gradient descent make of an ACT network, by the equations, in plain NumPy.

The gradient is exact: a weight that is moved by 1e-30 in the imaginary direction moves the loss
there by that times its derivative, without a difference of nearly equal numbers (Squire & Trapp,
"Using complex variables to estimate derivatives of real functions", 1998). All weights are moved at
once, each in a copy of the network of its own: the first axis below.
"""

import numpy as np

from references import CELLS, sigma

TINY = 1e-30


def two_steps(cells, weights, batches, *, limit, epsilon, tau, rate, fixed, stateful, backwards):
    """Weights after a step of gradient descent on each batch.

    Args:
        cells: names of `references.CELLS`, from the lowest to the one whose output counts.
        weights: list of arrays: those of the cells, then W_h and b_h (none if `fixed`).
        batches: `(x, mask, target)`, the last as `(batch, units)`, of the output at the last step.
        limit, epsilon: M (the number of steps if `fixed`) and ε.

    Returns:
        The weights, and the least distance from 1 - ε of what decides about halting.
    """
    weights, states, least = [np.array(w, "float64") for w in weights], None, np.inf
    for x, mask, target in batches:
        if backwards:
            x, mask = x[:, ::-1], mask[:, ::-1]
        copies = _moved(weights)
        start = states if stateful and states is not None else _zeros(cells, weights, len(x))
        output, ponder, states, margin = _act(cells, copies, x, mask, start, limit, epsilon, fixed)
        states = [state[:1].real for state in states]
        least = min(least, margin)
        loss = np.mean((output - target) ** 2, axis=(1, 2))
        if not fixed:
            loss = loss + tau * np.mean(ponder, axis=1)
        slopes = loss.imag / TINY
        for weight in weights:
            size, slopes_of, slopes = weight.size, slopes[: weight.size], slopes[weight.size :]
            weight -= rate * slopes_of.reshape(weight.shape)
            assert size == slopes_of.size
    return weights, least


def _moved(weights):
    """Each weight, `(copies, …)`: in each copy one number of all of them is moved."""
    count = sum(weight.size for weight in weights)
    found, place = [], 0
    for weight in weights:
        copies = np.repeat(weight[None].astype("complex128"), count, axis=0)
        numbers = np.arange(weight.size)
        copies.reshape(count, -1)[place + numbers, numbers] += 1j * TINY
        found.append(copies)
        place += weight.size
    return found


def _zeros(cells, weights, rows):
    return [
        np.zeros((1, rows, len(weights[3 * i + 1])))
        for i, cell in enumerate(cells)
        for _ in range(CELLS[cell].states)
    ]


def _transition(cells, weights):
    """Equation 1 for stacked cells, whose states stand one after the other."""
    steps, counts = [], [CELLS[cell].states for cell in cells]
    for i, cell in enumerate(cells):
        W, U, b = weights[3 * i : 3 * i + 3]
        # A row of biases for each row of the batch; a GRU has two.
        b = np.moveaxis(b[..., None, :], 1, 0) if b.ndim == 3 else b[:, None]
        steps.append(CELLS[cell].transition(W, U, b))

    def S(states, x):
        new = []
        for step, count in zip(steps, counts):
            own, states = states[:count], states[count:]
            own = step(own, x)
            new += own
            x = own[0]
        return new, x

    return S


def _act(cells, weights, x, mask, states, limit, epsilon, fixed):
    """Equations 3-13 on a batch; all copies halt where the network itself does."""
    S, rows = _transition(cells, weights), len(x)
    output = np.zeros((1, rows, weights[3 * len(cells) - 2].shape[1]))
    ponder, least = np.zeros((1, rows), complex), np.inf
    for t in range(x.shape[1]):
        running, inner = mask[:, t].copy(), states
        spent, total, y = 0.0, [0.0 * state for state in states], 0.0 * output
        for n in range(1, limit + 1):
            delta = np.full((rows, 1), float(n == 1))
            inner, here = S(inner, np.concatenate([x[:, t], delta], axis=1))
            if fixed:
                halts, weight = running & (n == limit), np.full((1, rows), float(n == limit))
            else:
                W_h, b_h = weights[-2:]
                h = sigma((here @ W_h)[..., 0] + b_h)
                reached = (spent + h).real[0] - (1.0 - epsilon)
                if n < limit and running.any():
                    least = min(least, np.min(np.abs(reached[running])))
                halts = running & ((reached >= 0) | (n == limit))
                weight = np.where(halts, 1.0 - spent, h)
                ponder = ponder + np.where(running, 1.0 + np.where(halts, weight, 0.0), 0.0)
                spent = spent + h
            weight = np.where(running, weight, 0.0)[..., None]
            total = [a + weight * s for a, s in zip(total, inner)]
            y = y + weight * here
            running = running & ~halts
        present = mask[:, t][:, None]
        states = [np.where(present, new, old) for new, old in zip(total, states)]
        output = np.where(present, y, output)
    return output, ponder, states, least
