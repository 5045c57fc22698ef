"""ACT and SACT of residual units in slow plain NumPy, one image and one position after another.

Source: Figurnov et al. (2017), arXiv:1612.02297, Equations 1-14, with the paper's letters.
"""

from typing import NamedTuple

import numpy as np

from references_recall import convolve

NORM_EPSILON, SLOPE = 1e-3, 2.0**-3


class Found(NamedTuple):
    """The output y, the units N, the remainder R and the weights p of each unit."""

    y: np.ndarray
    N: np.ndarray
    R: np.ndarray
    p: np.ndarray


def sigma(x):
    return 1 / (1 + np.exp(-x))


def norm(x, gamma, beta, mean, variance):
    """Batch normalization with running statistics."""
    return gamma * (x - mean) / np.sqrt(variance + NORM_EPSILON) + beta


def leaky_relu(x, slope=SLOPE):
    return np.where(x >= 0, x, slope * x)


def residual(weights, x):
    """F(x) of a unit that keeps the shape, x (height, width, channels)."""
    first, second = weights["norms"]
    u, v = weights["kernels"]
    return convolve(leaky_relu(norm(convolve(leaky_relu(norm(x, *first)), u), *second)), v)


def image_logit(weights, x):
    """w · BN(GAP(x)) + b"""
    pooled = x.reshape(-1, x.shape[-1]).mean(axis=0)
    return float(norm(pooled, *weights["pooled_norm"]) @ weights["w"][:, 0] + weights["b"][0])


def act(units, halting, x, epsilon=0.01):
    """An image that halts as a whole. `units` and `halting` are lists of dicts of weights."""
    left, y, p = 1.0, np.zeros_like(x), []
    for number, unit in enumerate(units, 1):
        x = x + residual(unit, x)
        h = 1.0 if number == len(units) else sigma(image_logit(halting[number - 1], x))
        if 1 - left + h >= 1 - epsilon:
            p.append(left)
            return Found(y + left * x, number, left, np.array(p))
        p.append(h)
        y, left = y + h * x, left - h
    raise AssertionError("h of the last unit is 1")


def sact(units, halting, x, epsilon=0.01):
    """An image whose positions halt by themselves."""
    size = x.shape[:2]
    y, N, R = np.zeros_like(x), np.zeros(size), np.zeros(size)
    left, active = np.ones(size), np.ones(size, bool)
    p = np.zeros((len(units), *size))
    for number, unit in enumerate(units, 1):
        x = x + active[..., None] * residual(unit, x)
        logits = np.zeros(size)
        if number < len(units):
            weights = halting[number - 1]
            local = convolve(norm(x, *weights["norm"]), weights["kernel"])[..., 0]
            logits = local + image_logit(weights, x)
        for place in np.ndindex(*size):
            if not active[place]:
                continue
            N[place] += 1
            h = 1.0 if number == len(units) else sigma(logits[place])
            if 1 - left[place] + h >= 1 - epsilon:
                h = R[place] = left[place]
                active[place] = False
            p[number - 1][place] = h
            y[place] += h * x[place]
            left[place] -= h
    return Found(y, N, R, p)
