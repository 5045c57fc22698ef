"""The networks of `keras_adaptive.baselines` in slow plain NumPy, one row and one step at a time.

A network is a function: of the vectors of an input, `(n, width)`, it makes a state and a function
`step(state, v) -> (p, state)` from what is fed back to the probabilities of what is written.
"""

import numpy as np

from references import lstm, sigma

EMPTY = -1.0


def softmax(a):
    e = np.exp(a - np.max(a))
    return e / np.sum(e)


def seq2seq(weights, num_layers, attention, output):
    """Vinyals, Kaiser et al. (2015), section 2.1; without attention Sutskever et al. (2014).

    Args:
        weights: `[E_x, E_y, (W, U, b) of each encoder, (W, U, b) of each decoder, W_1, W_2, v
            (with attention), V, c]`.
        output: `softmax` or `sigma`.
    """
    E_x, E_y, *weights = weights
    encoders = [lstm(*weights[3 * i : 3 * i + 3]) for i in range(num_layers)]
    decoders = [lstm(*weights[3 * i : 3 * i + 3]) for i in range(num_layers, 2 * num_layers)]
    units = E_x.shape[1]
    *of_attention, V, c = weights[6 * num_layers :]

    def network(x):
        h, states = [x_t @ E_x for x_t in x], []
        for S in encoders:
            s, inputs, h = (np.zeros(units), np.zeros(units)), h, []
            for x_t in inputs:
                s = S(s, x_t)
                h.append(s[0])
            states.append(s)

        def step(state, v):
            states, read = state
            d = np.concatenate([v @ E_y, read])
            new = []
            for S, s in zip(decoders, states):
                new.append(S(s, d))
                d = new[-1][0]
            if attention:
                W_1, W_2, w = of_attention
                u = np.array([np.tanh(h_i @ W_1 + d @ W_2) @ w for h_i in h])
                read = sum(a_i * h_i for a_i, h_i in zip(softmax(u), h))
            return output(np.concatenate([d, read]) @ V + c), (new, read)

        return (states, np.zeros(units if attention else 0)), step

    return network


def stack_rnn(weights, num_stacks, read_depth, limit, width, output, recurrent=False):
    """Joulin & Mikolov (2015), Equations 3-7; a stack is a list that grows.

    Args:
        weights: `[U, P, D, A, R (if recurrent), V, c]`.
        limit: how many numbers a stack keeps, or None.
        width: of the vectors without the flag of the start symbol.
    """
    U, P, D, A, *R, V, c = weights

    def at(stack, i):
        return stack[i] if i < len(stack) else EMPTY

    def read(state, x):
        h, stacks = state
        top = np.array([at(stack, i) for stack in stacks for i in range(read_depth)])
        a = x @ U + top @ P
        if recurrent:
            a = a + h @ R[0]
        h = sigma(a)
        new = []
        for s, stack in enumerate(stacks):
            push, pop, no_op = softmax(h @ A[:, 3 * s : 3 * s + 3])
            stack = [
                push * (sigma(h @ D[:, s]) if i == 0 else at(stack, i - 1))
                + pop * at(stack, i + 1)
                + no_op * at(stack, i)
                for i in range(len(stack) + 1)
            ]
            new.append(stack[:limit])
        return h, new

    def network(x):
        state = np.zeros(U.shape[1]), [[] for _ in range(num_stacks)]
        for x_t in x:
            state = read(state, np.pad(x_t, (0, width + 1 - len(x_t))))

        def step(state, v):
            state = read(state, np.concatenate([v[:-1], np.zeros(width + 1 - len(v)), v[-1:]]))
            return output(state[0] @ V + c), state

        return state, step

    return network


def follow(network, x, y):
    """The probabilities of each element of `y` (vectors), given those before."""
    state, step = network(x)
    p, v = [], np.eye(y.shape[1] + 1)[-1]
    for y_t in y:
        p_t, state = step(state, v)
        p.append(p_t)
        v = np.append(y_t, 0.0)
    return np.array(p)


def generate(network, x, cap, width, choose, ends):
    """The probabilities of at most `cap` elements, each fed back, until `ends(element)`.

    Args:
        choose: from probabilities to the element as a vector.
    """
    state, step = network(x)
    p, v = [], np.eye(width + 1)[-1]
    while len(p) < cap:
        p_t, state = step(state, v)
        p.append(p_t)
        y_t = choose(p_t)
        if ends(y_t):
            break
        v = np.append(y_t, 0.0)
    return np.array(p).reshape(-1, width)


def loss(network, xs, ys, lengths):
    """Σ of the negative log-probabilities of the first `lengths` elements of each row of `ys`."""
    total = 0.0
    for x, y, m in zip(xs, ys, lengths):
        p = follow(network, x, y[:m])
        right = p[y[:m] > 0.5]
        wrong = 1.0 - p[y[:m] <= 0.5] if not np.allclose(np.sum(p, axis=1), 1.0) else []
        total -= np.sum(np.log(right)) + np.sum(np.log(wrong))
    return total
