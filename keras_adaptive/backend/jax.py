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

# Part of the key by which JAX finds what it has traced. JAX makes one while nothing runs yet.
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
) -> Any:
    """Sums the shares of `body` for steps 2 to `last`, as long as a row is running.

    JAX cannot reverse a loop of unknown length, and a scan over all `last` steps would pay for
    those that nobody takes. So the forward loop of a differentiated call keeps what each step
    began with, and a second loop walks back over just these steps.
    """
    first_step = np.int32(2)
    body, weights = jax.closure_convert(body, first_step, carry, inputs, running)
    leaves, structure = jax.tree.flatten(inputs)
    is_floating = [jnp.issubdtype(x.dtype, jnp.floating) for x in leaves]
    discrete = [x for x, floating in zip(leaves, is_floating) if not floating]
    inputs = [x for x, floating in zip(leaves, is_floating) if floating]

    def whole(inputs, discrete):
        inputs, discrete = iter(inputs), iter(discrete)
        leaves = [next(inputs if floating else discrete) for floating in is_floating]
        return jax.tree.unflatten(structure, leaves)

    def goes_on(loop):
        step, _, running, *_ = loop
        return jnp.logical_and(step <= last, jnp.any(running))

    def forward(carry, inputs, running, weights, discrete):
        def advance(loop):
            step, carry, running, total = loop
            share, carry, running = body(step, carry, whole(inputs, discrete), running, *weights)
            return step + 1, carry, running, jax.tree.map(jnp.add, total, share)

        zeros = jax.tree.map(jnp.zeros_like, like)
        return lax.while_loop(goes_on, advance, (first_step, carry, running, zeros))[3]

    run = jax.custom_vjp(forward)

    def forward_and_keep(carry, inputs, running, weights, discrete):
        def advance(loop):
            step, carry, running, total, kept = loop
            kept = jax.tree.map(lambda all, one: all.at[step - 2].set(one), kept, (carry, running))
            share, carry, running = body(step, carry, whole(inputs, discrete), running, *weights)
            return step + 1, carry, running, jax.tree.map(jnp.add, total, share), kept

        zeros = jax.tree.map(jnp.zeros_like, like)
        kept = jax.tree.map(
            lambda one: jnp.zeros((last - 1, *one.shape), one.dtype), (carry, running)
        )
        step, _, _, total, kept = lax.while_loop(
            goes_on, advance, (first_step, carry, running, zeros, kept)
        )
        return total, (step - 1, kept, inputs, weights, discrete)

    def backward(residuals, total_gradient):
        step, kept, inputs, weights, discrete = residuals

        def retreat(loop):
            step, carry_gradient, gradients = loop
            carry, running = jax.tree.map(lambda all: all[step - 2], kept)
            _, pull_back = jax.vjp(
                lambda carry, inputs, weights: _without_running(
                    body, step, running, carry, whole(inputs, discrete), weights
                ),
                carry,
                inputs,
                weights,
            )
            carry_gradient, *new = pull_back((total_gradient, carry_gradient))
            return step - 1, carry_gradient, jax.tree.map(jnp.add, gradients, tuple(new))

        zeros = jax.tree.map(lambda all: jnp.zeros(all.shape[1:], all.dtype), kept[0])
        gradients = jax.tree.map(jnp.zeros_like, (inputs, weights))
        _, carry_gradient, (inputs_gradient, weights_gradient) = lax.while_loop(
            lambda loop: loop[0] >= 2, retreat, (step, zeros, gradients)
        )
        return carry_gradient, inputs_gradient, None, weights_gradient, None

    run.defvjp(forward_and_keep, backward)
    return run(carry, inputs, running, weights, discrete)


def _without_running(body, step, running, carry, inputs, weights):
    share, carry, _ = body(step, carry, inputs, running, *weights)
    return share, carry


def scan(step: Callable[..., Any], carry: Any, sequences: Any) -> tuple[Any, Any]:
    """Runs `step` over the first axis of `sequences` and stacks what it returns."""
    return lax.scan(step, carry, sequences)


def explicit(function: Callable[..., Any], *example: Any) -> tuple[Callable[..., Any], Any]:
    """What `function` uses by closure and may need a gradient, as its first argument, and these."""
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
    """The first of the two results of `forward`, with the gradient that `backward` says.

    `forward(arguments, constants)` returns results and what `backward(kept, gradients)` needs of
    it, which returns gradients of the arguments. Both use nothing by closure. `plain(arguments,
    constants)` gives the same results in the way that is best without a gradient.
    """
    plain, used = jax.closure_convert(plain, arguments, constants)
    run = jax.custom_vjp(lambda arguments, constants, used: plain(arguments, constants, *used))
    run.defvjp(
        lambda arguments, constants, _: forward(arguments, constants),
        lambda *both: (backward(*both), None, None),
    )
    return run(arguments, constants, used)


def append(store: Tensor, number: Tensor, one: Tensor) -> Tensor:
    """Puts one element into its place on the first axis of a store; without a copy in a loop."""
    return lax.dynamic_update_index_in_dim(store, one, number, 0)


def concrete(x: Tensor) -> Any:
    """The values of a tensor as a NumPy array, or None while a function is traced."""
    return None if isinstance(x, jax.core.Tracer) else np.asarray(x)


def appends_in_place() -> bool:
    """Whether `append` makes no copy in a loop."""
    return True


def compiles() -> bool:
    """Whether each step of a loop that is unrolled must be compiled, which takes long."""
    return True


def retraced(key: Any, key_here: Callable[[], Any]) -> AbstractContextManager[None]:
    """Inside, a function runs a trace that was made under this key, or is traced now."""
    if key is None:
        return contextlib.nullcontext()
    if _traced_under is None:
        raise NotImplementedError(
            "Functions that JAX has compiled keep the limits that they were traced with, before "
            f"JAX 0.8.2: `jax.make_user_context` is missing. Received: jax {jax.__version__}"
        )
    return _traced_under(key)


def runs_for_another_thread() -> bool:
    """Whether this may be a thread that traces for another one; JAX has none."""
    return False


def may_compile_models() -> bool:
    """Whether XLA may compile models that Keras would not compile."""
    return False


def clock(after: Tensor) -> Tensor:
    """Microseconds when the tensors `after` have been computed, int32, which overflows."""
    reading = jax.ShapeDtypeStruct((), np.int32)
    first = [jnp.ravel(x)[0] for x in jax.tree.leaves(after)]
    return io_callback(_microseconds, reading, *first)


def _microseconds(*_):
    return np.array(time.monotonic_ns() // 1000).astype(np.int32)
