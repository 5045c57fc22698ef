"""The logic task: apply the gates of a list one after the other, and carry the result over."""

from typing import Any

import numpy as np

from ..arguments import check_between, check_counts

PADDING = 0.0
# As a person writes it.
EXAMPLE = "1 0 AND XOR; 1 NOR"

# Table 1 of the paper. Each gate's truth value for (P, Q) = (T, T), (T, F), (F, T), (F, F).
GATES = {
    "NOR": (0, 0, 0, 1),
    "Xq": (0, 0, 1, 0),
    "ABJ": (0, 1, 0, 0),
    "XOR": (0, 1, 1, 0),
    "NAND": (0, 1, 1, 1),
    "AND": (1, 0, 0, 0),
    "XNOR": (1, 0, 0, 1),
    "if/then": (1, 0, 1, 1),
    "then/if": (1, 1, 0, 1),
    "OR": (1, 1, 1, 0),
}
NAMES = tuple(GATES)
# TABLE[gate, P, Q]
TABLE = np.array([[[v[3], v[2]], [v[1], v[0]]] for v in GATES.values()], np.int8)
# A gate leads from the state 2 b_i + b_{i-1} to 2 b_{i+1} + b_i: NEXT[gate, state]. The last row
# is that of no gate.
NO_GATE = len(GATES)
NEXT = np.array(
    [*([2 * gate[s // 2, s % 2] + s // 2 for s in range(4)] for gate in TABLE), range(4)]
)


def sizes(max_gates: int = 10, **_: Any) -> dict[str, int]:
    """Width of the input, number of simultaneous outputs, and classes of each."""
    return {"width": 2 + max_gates * len(GATES), "outputs": 1, "classes": 2}


def sample(
    rng: np.random.Generator,
    batch_size: int,
    *,
    gates: int = 10,
    vectors: int = 10,
    min_gates: int = 1,
    min_vectors: int = 1,
    max_gates: int = 10,
    max_vectors: int = 10,
    hard_share: float = 0.0,
    same_length: bool = False,
) -> dict[str, np.ndarray]:
    """Draws sequences of vectors, each of two bits and a list of gates.

    Of a vector with B gates, b_{i+1} = T_i(P = b_i, Q = b_{i-1}) for i = 1 … B, and the target is
    b_{B+1}. The first two elements of the input are b_0 and b_1. From the second vector on b_0 is
    the target of the vector before and is zero in the input.

    Args:
        rng: a `numpy.random.Generator`.
        batch_size: number of sequences.
        gates: largest number of gates in a vector.
        vectors: largest number of vectors in a sequence.
        min_gates: smallest number of gates.
        min_vectors: smallest number of vectors.
        max_gates: chunks in an input vector; fixes its width, 2 + 10 `max_gates`.
        max_vectors: length that sequences are padded to, unless `same_length`.
        hard_share: share of the vectors whose number of gates is drawn from the two largest.
        same_length: draw one length for all sequences, and do not pad.

    Returns:
        A dict of `inputs` float32 (batch, time, width), `targets` int32 (batch, time), `weights`
        float32 (batch, time), and `difficulty` int32 (batch, time), the number of gates.

    Raises:
        ValueError: a parameter is out of its range.

    Example:

    >>> batch = sample(np.random.default_rng(0), 2)
    >>> batch["inputs"].shape
    (2, 10, 102)

    Source: Graves (2016), arXiv:1603.08983, section 3.2, Table 1 and Equation 21.
    """
    check_counts(min_gates=min_gates, gates=gates, max_gates=max_gates)
    check_counts(min_vectors=min_vectors, vectors=vectors, max_vectors=max_vectors)
    check_between(0, 1, hard_share=hard_share)
    if same_length:
        length = np.full(batch_size, rng.integers(min_vectors, vectors + 1))
        steps = int(length[0])
    else:
        length = rng.integers(min_vectors, vectors + 1, batch_size)
        steps = max_vectors
    present = np.arange(steps) < length[:, None]
    count = rng.integers(min_gates, gates + 1, (batch_size, steps))
    if hard_share:
        hard = rng.random((batch_size, steps)) < hard_share
        top = rng.integers(max(min_gates, gates - 1), gates + 1, (batch_size, steps))
        count = np.where(hard, top, count)
    count = np.where(present, count, 0)
    kinds = rng.integers(0, len(GATES), (batch_size, steps, max_gates))
    bits = rng.integers(0, 2, (batch_size, steps, 2)) * present[..., None]
    bits[:, 1:, 0] = 0

    chunks = np.zeros((batch_size, steps, max_gates, len(GATES)), np.float32)
    used = np.arange(max_gates) < count[..., None]
    np.put_along_axis(chunks, kinds[..., None], used[..., None].astype(np.float32), axis=-1)
    inputs = np.concatenate(
        [bits.astype(np.float32), chunks.reshape(batch_size, steps, -1)], axis=-1
    )
    return {
        "inputs": inputs,
        "targets": _results(bits, kinds, count),
        "weights": present.astype(np.float32),
        "difficulty": count.astype(np.int32),
    }


def _results(bits, kinds, count):
    """Equation 21 for all sequences at once."""
    batch_size, steps, max_count = kinds.shape
    kinds = np.where(np.arange(max_count) < count[..., None], kinds, NO_GATE)
    # What each vector does is worked out for both bits that may be carried over to it.
    states = 2 * bits[..., 1:] + np.arange(2)
    for i in range(max_count):
        states = NEXT[kinds[..., i, None], states]
    results = np.where(count[..., None] > 0, states // 2, 0)
    targets = np.zeros((batch_size, steps), np.int32)
    carried = bits[:, 0, 0]
    for step in range(steps):
        targets[:, step] = carried = results[np.arange(batch_size), step, carried]
    return targets


def answers(inputs: np.ndarray) -> np.ndarray:
    """The targets of `inputs` (batch, time, width), int32 (batch, time); 0 at padding."""
    inputs = np.asarray(inputs)
    chunks = inputs[..., 2:].reshape(*inputs.shape[:2], -1, len(GATES))
    bits = inputs[..., :2].astype(np.int64)
    count = chunks.any(-1).sum(-1)
    return _results(bits, chunks.argmax(-1), count)


def encode(text: str, *, max_gates: int = 10, **_: Any) -> np.ndarray:
    """A sequence from its text form: `b_0 b_1 GATE GATE …; b_1 GATE …; …`.

    Args:
        text: for instance `"1 0 AND XOR; 1 NOR"`. Gates are named as in the paper's Table 1.
        max_gates: chunks in an input vector.

    Returns:
        Inputs float32 (1, time, width).

    Raises:
        ValueError: `text` is not of that form.

    Example:

    >>> encode("1 0 AND XOR; 1 NOR").shape
    (1, 2, 102)
    """
    by_name = {name.lower(): index for index, name in enumerate(NAMES)}
    vectors = [part.split() for part in str(text).strip().rstrip(";").split(";")]
    inputs = np.zeros((1, len(vectors), 2 + max_gates * len(GATES)), np.float32)
    for step, words in enumerate(vectors):
        bits = 2 if step == 0 else 1
        values, gates = words[:bits], [word.lower() for word in words[bits:]]
        valid = len(values) == bits and set(values) <= {"0", "1"}
        if not valid or not 1 <= len(gates) <= max_gates or set(gates) - set(by_name):
            raise ValueError(
                "a logic input is vectors separated by ';', the first of two bits and 1 to "
                f"{max_gates} gates, the others of one bit and gates, for instance "
                f"'1 0 AND XOR; 1 NOR'. Gates are {', '.join(NAMES)}. Received: {text!r}"
            )
        inputs[0, step, 2 - bits : 2] = [float(value) for value in values]
        for index, gate in enumerate(gates):
            inputs[0, step, 2 + index * len(GATES) + by_name[gate]] = 1.0
    return inputs


def describe(inputs: np.ndarray) -> list[str]:
    """The text form of each time step of one example, inputs (time, width)."""
    forms = []
    for step, vector in enumerate(np.asarray(inputs)):
        bits = vector[:2] if step == 0 else vector[1:2]
        chunks = vector[2:].reshape(-1, len(GATES))
        gates = [NAMES[chunk.argmax()] for chunk in chunks if chunk.any()]
        forms.append(" ".join([*(str(int(bit)) for bit in bits), *gates]))
    return forms


def decode(outputs: np.ndarray) -> list[str]:
    """The truth value at each time step, `"1"` or `"0"`, from probabilities (time, 1)."""
    return [str(int(probability >= 0.5)) for probability in np.asarray(outputs)[:, 0]]


def note(inputs: np.ndarray, answers: list[str], *, vectors: int = 10, **_: Any) -> str | None:
    """That one example, inputs (time, width), has more vectors than the training; None if not.

    >>> note(encode("1 0 AND; 1 NOR")[0], ["0", "0"])
    >>> note(encode("1 0 AND; 1 NOR; 1 NOR")[0], ["0", "0", "0"], vectors=2)
    'the training saw at most 2 vectors'
    """
    return f"the training saw at most {vectors} vectors" if len(inputs) > vectors else None
