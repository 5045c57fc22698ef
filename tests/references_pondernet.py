"""PonderNet in slow plain NumPy, by enumeration of the steps at which an example may halt.

Source: Banino et al. (2021), arXiv:2107.05407, Equations 1-3.
"""

import numpy as np


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def think(weights, x, steps):
    """λ and the answer at each step of a SimpleRNN cell with a linear head, for one example."""
    kernel, recurrent, bias, head, head_bias, halting, halting_bias = weights
    state, found = np.zeros(recurrent.shape[0]), []
    for _ in range(steps):
        state = np.tanh(x @ kernel + state @ recurrent + bias)
        found.append((sigmoid(state @ halting + halting_bias)[0], state @ head + head_bias))
    return found


def halting_probabilities(activations):
    """p: to halt at step n and at none before; at the last step for certain."""
    p = []
    for n, activation in enumerate(activations):
        before = np.prod([1.0 - other for other in activations[:n]])
        p.append(before * (1.0 if n == len(activations) - 1 else activation))
    return np.array(p)


def expected_loss(weights, xs, ys, steps, beta, prior, loss_of, example_weights=None):
    """The mean over examples of Σ p_n L(y, ŷ_n), plus β times that of the divergence."""
    task, divergence = [], []
    geometric = np.array([prior * (1 - prior) ** n for n in range(steps)])
    geometric /= geometric.sum()
    for i, (x, y) in enumerate(zip(xs, ys)):
        activations, answers = zip(*think(weights, x, steps))
        p = halting_probabilities(activations)
        weight = 1.0 if example_weights is None else example_weights[i]
        task.append(weight * sum(share * loss_of(y, answer) for share, answer in zip(p, answers)))
        divergence.append(sum(a * np.log(a / b) for a, b in zip(p, geometric) if a > 0))
    return np.mean(task) + beta * np.mean(divergence)


def median_step(p):
    """The first step by which an example has halted with probability 1/2, from 1."""
    return 1 + int(np.argmax(np.cumsum(p) >= 0.5))
