"""The equations of the Neural GPU in slow plain NumPy, one example after another.

Nothing here is shared with the layers: no batch, no mask, no Keras, the paper's letters. Numbers
may be complex: the gradients of `complex_steps` are exact to rounding, bends included.
"""

from typing import NamedTuple

import numpy as np


def clip(x, low, high):
    return np.where(x.real < low, low, np.where(x.real > high, high, x))


def sigma(x):
    return 1.0 / (1.0 + np.exp(-x))


def cut_off(x):
    """σ′ of section 3.3."""
    return clip(1.2 * sigma(x) - 0.1, 0.0, 1.0)


def hard_sigma(x):
    return clip((x + 1.0) / 2.0, 0.0, 1.0)


def hard_tanh(x):
    return clip(x, -1.0, 1.0)


def excess(x):
    """Σ max(0, |x| − 0.9), what the saturation cost counts."""
    size = np.where(x.real < 0.0, -x, x)
    return np.sum(np.where(size.real > 0.9, size - 0.9, 0.0))


class CGRU(NamedTuple):
    """The parameters of one CGRU: kernels (height, columns, m, m) and biases (m,)."""

    U: np.ndarray
    B: np.ndarray
    U1: np.ndarray  # U′, of the update gate
    B1: np.ndarray
    U2: np.ndarray  # U″, of the reset gate
    B2: np.ndarray


def convolution(U, s):
    """U ∗ s: at each place the sum over the places around it; s is zero beyond its edges."""
    n, w = s.shape[:2]
    height, columns = U.shape[:2]
    result = np.zeros((n, w, U.shape[-1]), np.result_type(U, s))
    for k in range(n):
        for j in range(w):
            for a in range(height):
                for b in range(columns):
                    k_seen, j_seen = k + a - height // 2, j + b - columns // 2
                    if 0 <= k_seen < n and 0 <= j_seen < w:
                        result[k, j] += s[k_seen, j_seen] @ U[a, b]
    return result


def moved(s):
    """What the diagonal update gate lets through, place by place.

    With width 1 a third of the maps comes from the place before and a third from that behind;
    with a larger one a fifth each, and two more fifths from the two sides.
    """
    n, w, m = s.shape
    sides = [(-1, 0), (1, 0)] if w == 1 else [(-1, 0), (1, 0), (0, -1), (0, 1)]
    share = m // (len(sides) + 1)
    first = m - share * len(sides)
    result = np.zeros_like(s)
    for k in range(n):
        for j in range(w):
            result[k, j, :first] = s[k, j, :first]
            for i, (up, left) in enumerate(sides):
                if 0 <= k + up < n and 0 <= j + left < w:
                    maps = slice(first + i * share, first + (i + 1) * share)
                    result[k, j, maps] = s[k + up, j + left, maps]
    return result


def cgru(P, s, gate="cut-off", diagonal=False, drop=lambda x: x, sharpness=1.0):
    """One CGRU on the mental image s of one example, (n, w, m) (section 2).

    With a sharpness that is not 1 it is no longer the paper's: gates are steeper.

    Returns:
        The new image, and the excess of what went into the three nonlinearities.
    """
    squash = hard_tanh if gate == "hard" else np.tanh
    gate = {"cut-off": cut_off, "plain": sigma, "hard": hard_sigma}[gate]
    before_u = sharpness * (convolution(P.U1, s) + P.B1)
    before_r = sharpness * (convolution(P.U2, s) + P.B2)
    u, r = gate(before_u), gate(before_r)
    before = convolution(P.U, r * s) + P.B
    candidate = drop(squash(before))
    kept = moved(s) if diagonal else s
    new = u * kept + (1.0 - u) * candidate
    return new, excess(before_u) + excess(before_r) + excess(before)


def neural_gpu(E, P, symbols, w, multiplier=1, gate="cut-off", diagonal=False, sharpness=1.0):
    """A Neural GPU on the symbols of one example (section 2).

    Args:
        E: the embedding, (symbols, m).
        P: parameters `P[t][layer]` of the r sets; the set t mod r is used at step t.
        w: width of the mental image.
        multiplier: steps per symbol.

    Returns:
        The images s_0 … s_fin, and the excess of all steps, divided by their number and by n.
    """
    n = len(symbols)
    s = np.zeros((n, w, E.shape[1]), E.dtype)
    for k in range(n):
        s[k, 0] = E[symbols[k]]
    images, cost = [s], 0.0
    for t in range(n * multiplier):
        for layer in P[t % len(P)]:
            s, more = cgru(layer, s, gate, diagonal, sharpness=sharpness)
            cost = cost + more
        images.append(s)
    return np.array(images), cost / (n * n * multiplier)


def complex_steps(function, arrays):
    """The gradient of `function(*arrays)`, a real function, in each element of each array."""
    step = 1e-30
    arrays = [np.array(array, "complex128") for array in arrays]
    gradients = [np.zeros(array.shape) for array in arrays]
    for array, gradient in zip(arrays, gradients):
        for i in np.ndindex(array.shape):
            array[i] += 1j * step
            gradient[i] = np.imag(function(*arrays)) / step
            array[i] -= 1j * step
    return gradients
