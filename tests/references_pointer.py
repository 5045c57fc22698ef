"""Pointer networks in slow plain NumPy, one example and one output after another."""

import itertools

import numpy as np

import references
import references_attention


def encode(weights, points):
    """e_1 … e_n, and the last state of the encoder."""
    S = references.lstm(*weights)
    s, e = (np.zeros(len(weights[1])),) * 2, []
    for point in points:
        s = S(s, point)
        e.append(s[0])
    return np.array(e), s


class Network:
    """A network with these weights, which answers about one set of points.

    Args:
        weights: a dict of `encoder` [W, U, b], `decoder` [W, U, b], or with the weights of what
            reads and of the halting unit [W, U, b, W_1, W_2, v, W_h, b_h] behind, and `pointer`,
            [W_1, W_2, v].
        points: `(n, 2)`.
        M: the largest number of steps.
    """

    def __init__(self, weights, points, M=1, epsilon=0.01):
        self.points, self.M, self.epsilon = points, M, epsilon
        self.e, self.begin = encode(weights["encoder"], points)
        W, U, b, *reading = weights["decoder"]
        self.S, self.W_h, self.b_h = references.lstm(W, U, b), np.zeros(len(U)), 0.0
        if reading:
            present = np.ones(len(points), bool)
            W_1, W_2, v, W_h, b_h = reading
            self.S = references_attention.reading(self.S, W_1, W_2, v, self.e, present)
            self.W_h, self.b_h = np.ravel(W_h), np.ravel(b_h)[0]
        self.W_1, self.W_2, self.v = weights["pointer"]

    def output(self, s, before):
        """p(C_i | C_1 … C_{i-1}), the state after it, and N. `before`: the index from 1, or 0."""
        point = self.points[before - 1] if before else np.zeros(2)
        x = np.append(point, float(before == 0))[None]
        run = references.act(self.S, self.W_h, self.b_h, x, s, self.M, self.epsilon)
        u = np.array([self.v @ np.tanh(e @ self.W_1 + run.y[0] @ self.W_2) for e in self.e])
        p = np.exp(u - u.max())
        return p / p.sum(), run.s, run.N[0]

    def follow(self, answer):
        """The distributions, `(m, n)`, and N of each output, for an answer that is given."""
        s, before, ps, Ns = self.begin, 0, [], []
        for index in answer:
            p, s, N = self.output(s, before)
            ps.append(p)
            Ns.append(N)
            before = index
        return np.array(ps), Ns

    def log_probability(self, answer):
        """The logarithm of the probability of an answer."""
        p, _ = self.follow(answer)
        return sum(np.log(row[index - 1]) for row, index in zip(p, answer))

    def greedy(self, valid):
        """The answer that takes the likeliest valid index each time."""
        answer = []
        while len(answer) < 2 or answer[0] != answer[-1]:
            p = self.follow([*answer, 0])[0][-1]
            answer.append(max(valid(answer, len(self.points)), key=lambda i: p[i - 1]))
        return answer


def valid_of_polygon(answer, n):
    """The indices that may follow: those not chosen yet, and the first after three or if alone."""
    free = [i for i in range(1, n + 1) if i not in answer]
    return free + ([answer[0]] if answer and (len(answer) >= 3 or not free) else [])


def valid_of_tour(answer, n):
    """The first point at first; then those that were not visited; at last the first again."""
    if not answer:
        return [1]
    return [i for i in range(1, n + 1) if i not in answer] or [1]


def all_polygons(n):
    """Every valid answer for n points."""
    for corners in range(3, n + 1):
        for chosen in itertools.permutations(range(1, n + 1), corners):
            yield [*chosen, chosen[0]]
