"""Hierarchical attentive memory in slow plain NumPy, one example and one access after another.

Nothing here is shared with the layers: no batch, no mask, no Keras, the paper's letters; the
decisions of the descents are given. Numbers may be complex, for `references_neural_gpu`'s
`complex_steps`.
"""

from typing import NamedTuple

import numpy as np


def sigma(x):
    return 1.0 / (1.0 + np.exp(-x))


def relu(x):
    return np.where(np.real(x) > 0.0, x, 0.0)


def mlp(layers, x, last=relu):
    """A multilayer perceptron: ReLU in all neurons but, with another `last`, in the last layer."""
    *hidden, (W, b) = layers
    for V, c in hidden:
        x = relu(x @ V + c)
    return last(x @ W + b)


class Memory(NamedTuple):
    """The layers (W, b) of the perceptrons of section 3.2; WRITE has two, H and T."""

    EMBED: list
    JOIN: list
    SEARCH: list
    H: list
    T: list


def EMBED(P, x):
    return mlp(P.EMBED, x)


def JOIN(P, left, right):
    return mlp(P.JOIN, np.concatenate([left, right]))


def SEARCH(P, h_c, h_LSTM):
    return mlp(P.SEARCH, np.concatenate([h_c, h_LSTM]), sigma)[0]


def WRITE(P, h_a, h_LSTM):
    both = np.concatenate([h_a, h_LSTM])
    T = mlp(P.T, both, sigma)
    return T * mlp(P.H, both, sigma) + (1.0 - T) * h_a


def tree(P, leaves, used=None):
    """All node values by their number: root 1, children 2e and 2e + 1 (Figure 2).

    With `used`, the number of leaves that hold an input, nodes above unused leaves alone are zero.
    """
    n = len(leaves)
    h = dict(enumerate(leaves, start=n))
    for e in range(n - 1, 0, -1):
        first = e
        while first < n:
            first *= 2
        empty = used is not None and first - n >= used
        h[e] = np.zeros_like(leaves[0]) if empty else JOIN(P, h[2 * e], h[2 * e + 1])
    return h


class Run(NamedTuple):
    """What one example gives: outputs, and of each access what was decided and how likely.

    `p` are the probabilities of going right at the nodes of the path, `A` the decisions, `queries`
    what SEARCH was asked with, `trees` all node values before the first access and after each.
    """

    y: np.ndarray
    p: np.ndarray
    A: np.ndarray
    queries: np.ndarray
    trees: np.ndarray

    @property
    def log_p(self):
        """log p(A|x), access by access."""
        return np.sum(np.log(np.where(self.A, self.p, 1.0 - self.p)), axis=1)


def ham(P, leaves, steps, h, A=None, eta=1, used=None):
    """Section 3.2, hard: `steps` accesses from a tree over `leaves`.

    Args:
        P: the `Memory`.
        leaves: (n, d), n a power of two.
        steps: the controller at each access, as a function of (access, h_a) that returns h_LSTM
            and y (called for each access; y counts at every eta-th).
        h: h_LSTM that SEARCH sees at the first access; or None if SEARCH sees what `steps`
            returns (raw HAM, where x_t stands for h_LSTM and needs no h_a).
        A: (accesses, log2 n), the decisions, 1 for right; the most probable ones by default.
            Or a number of accesses.
    """
    n = len(leaves)
    levels = n.bit_length() - 1
    nodes = tree(P, leaves, used)
    accesses = A if isinstance(A, int) else len(A)
    y, p, decisions, queries, trees = [], [], [], [], [nodes]
    for t in range(accesses):
        query = steps(t, None)[0] if h is None else h
        c, path, right = 1, [], []
        for level in range(levels):
            right.append(SEARCH(P, nodes[c], query))
            path.append(int(np.real(right[-1]) > 0.5 if isinstance(A, int) else A[t][level]))
            c = 2 * c + path[-1]
        h_LSTM, y_t = steps(t, nodes[c])
        nodes = dict(nodes)
        nodes[c] = WRITE(P, nodes[c], h_LSTM)
        while c > 1:
            c //= 2
            nodes[c] = JOIN(P, nodes[2 * c], nodes[2 * c + 1])
        if (t + 1) % eta == 0:
            y.append(y_t)
        h = None if h is None else h_LSTM
        p.append(right), decisions.append(path), queries.append(query), trees.append(nodes)
    trees = [[nodes[e] for e in range(1, 2 * n)] for nodes in trees]
    return Run(*map(np.array, (y, p, decisions, queries, trees)))


def dham(P, leaves, steps, h, accesses, eta=1, printed=False):
    """Appendix A, soft: all leaves read and written, all nodes joined again.

    With `printed`, WRITE(h_e, h_ROOT) instead of WRITE(h_e, h_LSTM). Other arguments as of `ham`.

    Returns:
        Outputs y, leaf probabilities (accesses, n), and trees.
    """
    n = len(leaves)
    nodes = tree(P, leaves)
    y, attention, trees = [], [], [nodes]
    for t in range(accesses):
        query = steps(t, None)[0] if h is None else h
        p = {1: 1.0}
        for e in range(1, n):
            right = SEARCH(P, nodes[e], query)
            p[2 * e], p[2 * e + 1] = p[e] * (1.0 - right), p[e] * right
        h_a = sum(p[e] * nodes[e] for e in range(n, 2 * n))
        h_LSTM, y_t = steps(t, h_a)
        written_by = nodes[1] if printed else h_LSTM
        leaves = [
            p[e] * WRITE(P, nodes[e], written_by) + (1.0 - p[e]) * nodes[e] for e in range(n, 2 * n)
        ]
        nodes = tree(P, leaves)
        if (t + 1) % eta == 0:
            y.append(y_t)
        h = None if h is None else h_LSTM
        attention.append([p[e] for e in range(n, 2 * n)]), trees.append(nodes)
    trees = [[nodes[e] for e in range(1, 2 * n)] for nodes in trees]
    return np.array(y), np.array(attention), np.array(trees)


def controlled(transition, start, output):
    """`steps` of an LSTM (or another S of `references`) that reads h_a (section 3.2).

    Args:
        transition: S(s, x); the first tensor of a state is h_LSTM.
        start: the first state.
        output: (W, b) of the linear transformation before the sigmoid.
    """
    states = {-1: start}

    def steps(t, h_a):
        states[t] = transition(states[t - 1], h_a)
        h_LSTM = states[t][0]
        return h_LSTM, sigma(h_LSTM @ output[0] + output[1])

    return steps


def raw(xs, output):
    """`steps` without a controller: x_t stands for h_LSTM, y_t is an MLP of h_a (section 4.3)."""

    def steps(t, h_a):
        return xs[t], None if h_a is None else mlp(output, h_a, sigma)

    return steps
