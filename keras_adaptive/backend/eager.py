"""Plain Python loops, for a backend that runs and differentiates eagerly (PyTorch)."""

import contextlib
import time

from keras import ops, tree


def repeat(body, carry, inputs, running, like, last, training, compact=False):
    """Sums the shares of `body` for steps 2 to `last`, as long as a row is running."""
    total = tree.map_structure(ops.zeros_like, like)
    for step in range(2, last + 1):
        if not bool(ops.any(running)):
            break
        share, carry, running = body(step, carry, inputs, running)
        total = tree.map_structure(ops.add, total, share)
    return total


def scan(step, carry, sequences):
    """Runs `step` over the first axis of `sequences` and stacks what it returns."""
    results = []
    for number in range(tree.flatten(sequences)[0].shape[0]):
        now = [x[number] for x in tree.flatten(sequences)]
        carry, result = step(carry, tree.pack_sequence_as(sequences, now))
        results.append(result)
    return carry, tree.map_structure(lambda *steps: ops.stack(steps), *results)


def concrete(x):
    """The values of a tensor as a NumPy array."""
    return ops.convert_to_numpy(x)


def appends_in_place():
    """Whether a loop may change a tensor in place."""
    return False


def compiles():
    """Whether each step of a loop that is unrolled must be compiled, which takes long."""
    return False


def retraced(key, key_here):
    """Nothing is traced, so there is nothing to do."""
    return contextlib.nullcontext()


def runs_for_another_thread():
    """Whether this may be a thread that works for another one; there is none."""
    return False


def may_compile_models():
    """Whether XLA may compile models that Keras would not compile."""
    return False


def clock(after):
    """Microseconds on a clock that never goes back, an integer tensor."""
    return ops.convert_to_tensor(time.monotonic_ns() // 1000, dtype="int64")
