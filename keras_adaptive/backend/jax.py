"""The loops on JAX: `lax.while_loop` with a reverse loop of our own, and `lax.scan`."""

import contextlib
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp
from jax.experimental import io_callback

from ..types import Tensor
from . import last_chunk

# A part of the key of JAX's cache of traces. It must be created before anything runs.
_traced_under = jax.make_user_context() if hasattr(jax, "make_user_context") else None


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
    """Sums the shares of `body` over steps 2 to `last`, as long as a row is running.

    JAX cannot differentiate a loop of unknown length, and a scan over all `last` steps would also
    compute the steps that no row takes. So the forward loop of a differentiated call saves the
    inputs of each step, and a second loop runs backwards over just these steps. If rows may halt
    before `last`, the steps form chunks; those of the last one are saved, and the gradient takes
    those before it again.
    """
    first_step = np.int32(2)
    body, weights = jax.closure_convert(body, first_step, carry, inputs, running)
    leaves, structure = jax.tree.flatten(inputs)
    is_floating = [jnp.issubdtype(x.dtype, jnp.floating) for x in leaves]
    discrete = [x for x, floating in zip(leaves, is_floating) if not floating]
    inputs = [x for x, floating in zip(leaves, is_floating) if floating]

    def merged(inputs, discrete):
        inputs, discrete = iter(inputs), iter(discrete)
        leaves = [next(inputs if floating else discrete) for floating in is_floating]
        return jax.tree.unflatten(structure, leaves)

    def goes_on(loop):
        step, (_, running), *_ = loop
        return jnp.logical_and(step <= last, jnp.any(running))

    def forward(carry, inputs, running, weights, discrete):
        def advance(loop):
            step, (carry, running), total = loop
            share, *now = body(step, carry, merged(inputs, discrete), running, *weights)
            return step + 1, tuple(now), jax.tree.map(jnp.add, total, share)

        zeros = jax.tree.map(jnp.zeros_like, like)
        return lax.while_loop(goes_on, advance, (first_step, (carry, running), zeros))[2]

    run = jax.custom_vjp(forward)

    def forward_and_keep(carry, inputs, running, weights, discrete):
        room = last_chunk.room(last) if may_halt else last - 1

        def advance(loop):
            step, now, total, saved = loop
            saved = last_chunk.put(saved, (step - 2) % room, now)
            carry, running = now
            share, *now = body(step, carry, merged(inputs, discrete), running, *weights)
            return step + 1, tuple(now), jax.tree.map(jnp.add, total, share), saved

        first = carry, running
        zeros = jax.tree.map(jnp.zeros_like, like)
        step, _, total, saved = lax.while_loop(
            goes_on, advance, (first_step, first, zeros, last_chunk.zeros(room, first))
        )
        return total, (step - 1, first, saved, inputs, weights, discrete)

    def backward(residuals, total_gradient):
        taken, first, saved, inputs, weights, discrete = residuals

        def take(step, now):
            carry, running = now
            _, *now = body(step, carry, merged(inputs, discrete), running, *weights)
            return tuple(now)

        def pull(step, now, gradients):
            carry, running = now
            carry_gradient, *gradients = gradients
            _, pull_back = jax.vjp(
                lambda carry, inputs, weights: _without_running(
                    body, step, running, carry, merged(inputs, discrete), weights
                ),
                carry,
                inputs,
                weights,
            )
            carry_gradient, *new = pull_back((total_gradient, carry_gradient))
            return carry_gradient, *jax.tree.map(jnp.add, gradients, new)

        gradients = jax.tree.map(jnp.zeros_like, (first[0], inputs, weights))
        gradients = last_chunk.pull_back(take, pull, (taken, last), first, saved, gradients)
        carry_gradient, inputs_gradient, weights_gradient = gradients
        return carry_gradient, inputs_gradient, None, weights_gradient, None

    run.defvjp(forward_and_keep, backward)
    return run(carry, inputs, running, weights, discrete)


def _without_running(body, step, running, carry, inputs, weights):
    share, carry, _ = body(step, carry, inputs, running, *weights)
    return share, carry


def scan(step: Callable[..., Any], carry: Any, sequences: Any) -> tuple[Any, Any]:
    """Runs `step` over the first axis of `sequences` and stacks its results."""
    return lax.scan(step, carry, sequences)


def explicit(function: Callable[..., Any], *example: Any) -> tuple[Callable[..., Any], Any]:
    """Lifts closed-over tensors to an explicit first argument.

    Returns:
        A pair of a function `(used, *arguments)`, and `used`, the closed-over tensors that may need
        a gradient.
    """
    function, used = jax.closure_convert(function, *example)
    return (lambda used, *arguments: function(*arguments, *used)), used


def pull_back(function: Callable[..., Any], arguments: Any, gradients: Any) -> Any:
    """Gradients of a function's floating-point arguments, from those of its results."""
    return jax.vjp(function, *arguments)[1](gradients)


def with_gradient(
    forward: Callable[..., Any],
    backward: Callable[..., Any],
    arguments: Any,
    constants: Any,
    plain: Callable[..., Any],
) -> Any:
    """The results of `forward`, with `backward` as their gradient.

    `forward(arguments, constants)` returns a pair of the results and the tensors `saved` for
    `backward(saved, gradients)`, which returns the gradients of the arguments. Neither may close
    over tensors. `plain(arguments, constants)` computes the same results without saving tensors,
    for calls that are not differentiated.
    """
    plain, used = jax.closure_convert(plain, arguments, constants)
    run = jax.custom_vjp(lambda arguments, constants, used: plain(arguments, constants, *used))
    run.defvjp(
        lambda arguments, constants, _: forward(arguments, constants),
        lambda *both: (backward(*both), None, None),
    )
    return run(arguments, constants, used)


def append(store: Tensor, number: Tensor, one: Tensor) -> Tensor:
    """Writes an element to its place on the first axis of a store; in a loop, without a copy."""
    return lax.dynamic_update_index_in_dim(store, one, number, 0)


def concrete(x: Tensor) -> Any:
    """The values of a tensor as a NumPy array, or None while a function is traced."""
    return None if isinstance(x, jax.core.Tracer) else np.asarray(x)


def appends_in_place() -> bool:
    """Whether `append` makes no copy in a loop."""
    return True


def compiles() -> bool:
    """Whether each step of an unrolled loop is compiled, which takes long."""
    return True


def retraced(key: Any, key_here: Callable[[], Any]) -> AbstractContextManager[None]:
    """A context in which functions only use traces that were made under the same key."""
    if key is None:
        return contextlib.nullcontext()
    if _traced_under is None:
        raise NotImplementedError(
            "Functions that JAX has compiled keep the limits that they were traced with, before "
            f"JAX 0.8.2: `jax.make_user_context` is missing. Received: jax {jax.__version__}"
        )
    return _traced_under(key)


def runs_for_another_thread() -> bool:
    """Whether this thread may trace for another one: never on JAX."""
    return False


def may_compile_models() -> bool:
    """Whether XLA may compile models that Keras would not compile."""
    return False


def clock(after: Tensor) -> Tensor:
    """Microseconds at the time when the tensors `after` are computed, int32, which overflows.

    Raises:
        ValueError: a gradient is taken. Its second loop would read other times.
    """
    return _reading([jnp.ravel(x)[0] for x in jax.tree.leaves(after)])


@jax.custom_jvp
def _reading(after):
    return io_callback(_microseconds, jax.ShapeDtypeStruct((), np.int32), *after)


@_reading.defjvp
def _no_gradient(primals, tangents):
    raise ValueError(
        "`limits(seconds=…)` is for inference on JAX: there is no gradient under it. Train outside."
    )


def wait_for(reading: Tensor, tensors: Any) -> Any:
    """The tensors, which what uses them receives after a reading of the clock."""
    return lax.optimization_barrier((reading, tensors))[1]


def _microseconds(*_):
    return np.array(time.monotonic_ns() // 1000).astype(np.int32)


def accelerator() -> str | None:
    """The name of the first device, or None if it is a CPU."""
    device = jax.devices()[0]
    return None if device.platform == "cpu" else str(device.device_kind)
