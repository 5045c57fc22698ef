"""A recall network in slow plain NumPy, one example and one position after another.

Source: Bansal et al. (2022), arXiv:2202.05826, sections 3.1 and 3.2.
"""

import numpy as np


def convolve(x, kernel):
    """A convolution of x (…, channels) that keeps its size; beyond its edges x is zero."""
    *size, _, filters = kernel.shape
    result = np.zeros((*x.shape[:-1], filters))
    for place in np.ndindex(*x.shape[:-1]):
        for offset in np.ndindex(*size):
            seen = tuple(p + o - k // 2 for p, o, k in zip(place, offset, size))
            if all(0 <= s < n for s, n in zip(seen, x.shape)):
                result[place] += x[seen] @ kernel[offset]
    return result


def relu(x):
    return np.maximum(x, 0.0)


def embed(weights, x):
    """The features before the first step."""
    return relu(convolve(x, weights[0]))


def think(weights, features, x, steps):
    """The features after so many more steps."""
    recall, blocks = weights[1], weights[2:-3]
    for _ in range(steps):
        features = relu(convolve(np.concatenate([features, x], axis=-1), recall))
        for first, second in zip(blocks[::2], blocks[1::2]):
            features = relu(convolve(relu(convolve(features, first)), second) + features)
    return features


def answer(weights, features):
    """The logits."""
    first, second, last = weights[-3:]
    return convolve(relu(convolve(relu(convolve(features, first)), second)), last)


def recall(weights, x, steps):
    """The logits after so many steps."""
    return answer(weights, think(weights, embed(weights, x), x, steps))


def converged_steps(weights, x, patience, max_ponder):
    """How many steps it takes until the answer has not changed for `patience` of them."""
    features, before, steps, unchanged = embed(weights, x), None, 0, 0
    while steps < max_ponder and unchanged < patience:
        features = think(weights, features, x, 1)
        now = answer(weights, features).argmax(-1)
        unchanged = unchanged + 1 if steps and np.all(now == before) else 0
        before, steps = now, steps + 1
    return steps


def cross_entropy(logits, targets):
    """The mean over all positions."""
    logits = logits - logits.max(-1, keepdims=True)
    logp = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    return -np.mean(np.take_along_axis(logp, targets[..., None], axis=-1))


def progressive_loss(weights, xs, targets, m, alpha, n, k, begun=None):
    """The loss of a batch of examples of one size.

    `begun` are the features after the steps without a gradient, n > 0 of them, which are constants.
    """
    final = np.stack([recall(weights, x, m) for x in xs])
    starts = begun if n else [embed(weights, x) for x in xs]
    later = np.stack([answer(weights, think(weights, s, x, k)) for s, x in zip(starts, xs)])
    return (1 - alpha) * cross_entropy(final, targets) + alpha * cross_entropy(later, targets)


def gradients(function, weights, h=1e-6):
    """Central differences of a function of the weights."""
    found = [np.zeros_like(w) for w in weights]
    for i, weight in enumerate(weights):
        for place in np.ndindex(*weight.shape):
            values = []
            for sign in (1, -1):
                changed = [w.copy() for w in weights]
                changed[i][place] += sign * h
                values.append(function(changed))
            found[i][place] = (values[0] - values[1]) / (2 * h)
    return found


def slope(function, weights, way, h=1e-6):
    """The central difference of a function of the weights along a way."""
    ends = [function([w + sign * h * part for w, part in zip(weights, way)]) for sign in (1, -1)]
    return (ends[0] - ends[1]) / (2 * h)
