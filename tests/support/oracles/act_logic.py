"""Logic: Equation 21 of Graves (2016), vector after vector, with Python's own operators."""

# Table 1 of the paper by columns, for (P, Q) in `ROWS`, and what each gate says of P and Q.
ROWS = [(True, True), (True, False), (False, True), (False, False)]
TABLE_1 = {
    "NOR": ("FFFT", lambda p, q: not (p or q)),
    "Xq": ("FFTF", lambda p, q: not p and q),
    "ABJ": ("FTFF", lambda p, q: p and not q),
    "XOR": ("FTTF", lambda p, q: p != q),
    "NAND": ("FTTT", lambda p, q: not (p and q)),
    "AND": ("TFFF", lambda p, q: p and q),
    "XNOR": ("TFFT", lambda p, q: p == q),
    "if/then": ("TFTT", lambda p, q: q if p else True),
    "then/if": ("TTFT", lambda p, q: p if q else True),
    "OR": ("TTTF", lambda p, q: p or q),
}
NAMES = list(TABLE_1)


def read(inputs):
    """Bits and gates of each vector (b_0, b_1, names), without padding."""
    vectors = []
    for vector in inputs:
        if not any(vector):
            continue
        gates = []
        for chunk in range(2, len(vector), 10):
            ones = [index for index in range(10) if vector[chunk + index]]
            assert len(ones) <= 1
            gates += [NAMES[index] for index in ones]
        vectors.append((bool(vector[0]), bool(vector[1]), gates))
    return vectors


def answer(inputs):
    results = []
    for b_0, b_1, gates in read(inputs):
        bits = [results[-1] if results else b_0, b_1]
        for gate in gates:
            bits.append(TABLE_1[gate][1](bits[-1], bits[-2]))
        results.append(bits[-1])
    return results
