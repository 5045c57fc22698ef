"""A data structure of Python's library runs the operations, for the oracles of such tasks."""


def number(bits):
    return int("".join(str(int(bit)) for bit in bits), 2)


def run(structure, inputs, bits):
    """What the POPs return, None for a PUSH, and how many elements are stored before each."""
    results, sizes = [], []
    for push, *element in inputs:
        sizes.append(len(structure))
        if push:
            value = number(element[-bits:])
            structure.push((number(element[:bits]), value) if len(element) > bits else value)
            results.append(None)
        else:
            assert not any(element)
            results.append(structure.pop() if structure else 0)
    return results, sizes


def targets(results, bits):
    """The bits of what each operation returns, zeros for a PUSH."""
    return [[int(bit) for bit in f"{popped or 0:0{bits}b}"] for popped in results]
