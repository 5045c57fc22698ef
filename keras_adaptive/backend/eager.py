"""Plain Python loops, for a backend that runs and differentiates eagerly (PyTorch)."""

import contextlib
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from keras import ops, tree

from ..types import Tensor


def repeat(
    body: Callable[..., Any],
    carry: Any,
    inputs: Any,
    running: Tensor,
    like: Any,
    last: Tensor,
    training: bool,
    compact: bool = False,
    may_halt: bool = True,
) -> Any:
    """Sums the shares of `body` over steps 2 to `last`, as long as a row is running."""
    total = tree.map_structure(ops.zeros_like, like)
    for step in range(2, last + 1):
        if not bool(ops.any(running)):
            break
        share, carry, running = body(step, carry, inputs, running)
        total = tree.map_structure(ops.add, total, share)
    return total


def scan(step: Callable[..., Any], carry: Any, sequences: Any) -> tuple[Any, Any]:
    """Runs `step` over the first axis of `sequences` and stacks its results."""
    results = []
    for number in range(tree.flatten(sequences)[0].shape[0]):
        now = [x[number] for x in tree.flatten(sequences)]
        carry, result = step(carry, tree.pack_sequence_as(sequences, now))
        results.append(result)
    return carry, tree.map_structure(lambda *steps: ops.stack(steps), *results)


def concrete(x: Tensor) -> Any:
    """The values of a tensor as a NumPy array."""
    return ops.convert_to_numpy(x)


def appends_in_place() -> bool:
    """Whether a loop may change a tensor in place."""
    return False


def compiles() -> bool:
    """Whether each step of an unrolled loop is compiled, which takes long."""
    return False


def retraced(key: Any, key_here: Callable[[], Any]) -> AbstractContextManager[None]:
    """A context without effect, because nothing is traced."""
    return contextlib.nullcontext()


def runs_for_another_thread() -> bool:
    """Whether this thread may work for another one: never."""
    return False


def may_compile_models() -> bool:
    """Whether XLA may compile models that Keras would not compile."""
    return False


def clock(after: Tensor) -> Tensor:
    """Microseconds on a clock that never goes back, an integer tensor."""
    return ops.convert_to_tensor(time.monotonic_ns() // 1000, dtype="int64")


def wait_for(reading: Tensor, tensors: Any) -> Any:
    """The tensors: what is written after a reading of the clock runs after it."""
    return tensors


def accelerator() -> str | None:
    """None: it is not known."""
    return None
