"""The loop that repeats a step, weighs its results by a halting rule, and stops."""

import contextlib
import functools
import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import keras
from keras import ops, tree

from .. import arguments, backend
from ..dtypes import at_least_float32
from ..types import Rule, Tensor
from .context import current, override
from .rules import Fixed, checked_rule, last_step
from .timed import Timed, deadline_from_now


class Result(NamedTuple):
    """The result of `ponder`.

    Attributes:
        output: the weighted sum of the steps' outputs, in the structure that the step returned.
        states: the weighted sum of the steps' states, in the structure of `states`.
        steps: `(batch,)`, N, the number of steps that each row took.
        remainder: `(batch,)`, R, the weight of each row's last step (0 for a `Fixed` rule).
        weights: `(batch, max_ponder)`, the weight p of each step; `None` without `history`.
        outputs: the outputs of every step, `(batch, max_ponder, …)`; `None` without `history`.
    """

    output: Any
    states: Any
    steps: Any
    remainder: Any
    weights: Any = None
    outputs: Any = None

    @property
    def ponder(self) -> Tensor:
        """`(batch,)`, the ponder N + R of Equation 10."""
        return self.steps + self.remainder


@contextlib.contextmanager
def compaction() -> Iterator[None]:
    """Drops rows that have halted from the batch, in all loops called inside.

    For inference on a CPU: the time of a batch is then proportional to the total number of steps of
    its rows, not to its size times the largest number of steps. Like `limits`, it applies to all
    calls inside, in this thread. It works on TensorFlow; on other backends, and where XLA compiles,
    it has no effect. LiteRT cannot convert it.

    The results are the same if the rows of a step are independent: it must get what it reads for
    each row by `inputs`, not by closure, and it must not mix rows, as batch normalization in
    training does. A step that reads a batch by closure is refused; mixing of rows is not
    detected.

    Raises:
        ValueError: a step does not work on a part of the batch.

    Example:

    >>> layer = keras_adaptive.layers.ACTRNN(keras.layers.SimpleRNNCell(4))
    >>> inputs = np.ones((2, 3, 5), "float32")
    >>> with compaction():
    ...     outputs = layer(inputs)
    >>> bool(np.allclose(outputs, layer(inputs)))
    True
    """
    with override(compact=backend.can_compact), backend.explained_compaction():
        yield


def compacts() -> bool:
    """Whether rows that have halted are dropped in this context, see `compaction`."""
    return current().compact


def ponder(
    step: Callable[..., Any],
    states: Any,
    rule: Rule,
    inputs: Any = None,
    mask: Tensor | None = None,
    training: bool = True,
    history: bool = False,
) -> Result:
    """Repeats `step` on `states` until `rule` has halted every row of the batch.

    The loop knows no layer: a step may be a recurrent cell, an attention read, a residual block.
    It stops as soon as every row has halted. Rows that have halted, and rows that `mask` excludes,
    add nothing to any result, even if a step after the last overflows, and receive no gradient, if
    that of such a step is finite. The results are differentiable in `states`,
    `inputs`, and everything that `step` uses, on every backend.

    Args:
        step: a function `step(n, states)`, or `step(n, states, inputs)` when `inputs` is given,
            that returns `(output, halting, states)`. `n` counts from 1 (a Python integer at the
            first step, a scalar tensor later); `halting` holds activations in [0, 1] with
            `(batch,)` or `(batch, 1)` elements, or is `None` for a rule that needs none; the new
            states have the structure, shapes and dtypes of the old.
        states: a tensor or any nest of tensors with the batch as first axis.
        rule: a halting rule, for instance `ACT()` or `Fixed(3)`.
        inputs: a nest of tensors with the batch as first axis that every step reads unchanged.
            What a step reads for each row must come in through here, not by closure, if rows that
            have halted are to be dropped from the batch (`compaction`).
        mask: boolean `(batch,)`; rows where it is false take no step: their steps, remainder and
            results are zero.
        training: `False` optimizes for inference and leaves out what only a fast gradient needs.
            Gradients are right in both cases.
        history: whether to return the weight and output of every step.

    Returns:
        A `Result`. Sums and counts are at least float32; outputs and states come back in their own
        dtype.

    Raises:
        ValueError: if `step` does not return a triple, changes the structure, shapes or dtypes of
            the states, or returns halting activations of another shape (or none to `ACT`).

    Example: an attention read that is refined until its halting unit stops it.

    >>> memory = np.random.default_rng(0).normal(size=(2, 5, 8)).astype("float32")
    >>> halt = keras.layers.Dense(1, activation="sigmoid")
    >>> def read(n, query):
    ...     scores = keras.ops.softmax(keras.ops.einsum("bd,bsd->bs", query, memory))
    ...     query = query + keras.ops.einsum("bs,bsd->bd", scores, memory)
    ...     return query, halt(query), query
    >>> result = ponder(read, keras.ops.zeros((2, 8)), ACT(max_ponder=10))
    >>> result.output.shape[1], bool(keras.ops.all(result.steps >= 1))
    (8, True)

    Source: Graves (2016), arXiv:1603.08983, Equations 3-13.
    """
    arguments.function("step", step)
    checked_rule("rule", rule)
    arguments.boolean("history", history)
    states = tree.map_structure(ops.convert_to_tensor, states)
    _check_mask(mask, tree.flatten(states)[0].shape[0])
    if mask is not None:
        mask = ops.cast(mask, "bool")
        states = without_masked(states, mask)
        inputs = None if inputs is None else without_masked(inputs, mask)
    return run(step, states, rule, inputs, mask, training, history)


def run(
    step: Callable[..., Any],
    states: Any,
    rule: Rule,
    inputs: Any,
    mask: Tensor | None,
    training: bool,
    history: bool = False,
) -> Result:
    """`ponder` of arguments that are tensors and checked, and inputs that are zero where masked."""
    batch_size = ops.shape(tree.flatten(states)[0])[0]
    dtype = at_least_float32(tree.flatten(states)[0].dtype)
    inputs = () if inputs is None else (inputs,)
    running = ops.ones((batch_size,), "bool") if mask is None else mask
    last = last_step(rule)
    if current().seconds is not None and not isinstance(rule, Timed):
        rule = Timed(rule, deadline_from_now(states, current().seconds))
    if isinstance(rule, Timed):
        # In a graph the first step could be taken before the time begins.
        states = backend.wait_for(rule.deadline, states)

    weighted = WeightedStep(step, dtype, last if history else None)
    body = functools.partial(weighted, rule)

    # The first step is taken before the loop: it gives the shapes of the results, `step` receives a
    # static 1, and a network that takes a single step needs no loop.
    first, carry, running = body(1, (states, rule.start(batch_size, dtype)), inputs, running)
    total = first
    if ops.is_tensor(last) or last > 1:
        rest = backend.repeat(
            body,
            carry,
            inputs,
            running,
            first,
            last=last,
            training=training,
            compact=compacts(),
            may_halt=not isinstance(rule, Fixed),
        )
        # Not `ops.add`, which treats a tensor without rows as a bias.
        total = tree.map_structure(operator.add, first, rest)
    output, states = weighted.restore(total["mean"])
    return Result(
        output,
        states,
        total["steps"],
        total["remainder"],
        total.get("weights"),
        total.get("outputs"),
    )


class WeightedStep:
    """A step of the loop with its weights, and how sums of its results become a result.

    Args:
        step: as in `ponder`.
        dtype: in which sums are taken.
        history: the number of steps to keep the weights and outputs of; `None` keeps none.
        frozen: whether `step` itself leaves the states of rows that do not run as they are.
    """

    def __init__(
        self,
        step: Callable[..., Any],
        dtype: str,
        history: int | None = None,
        frozen: bool = False,
    ):
        self.step = step
        self.frozen = frozen
        self.dtype = dtype
        self.history = history

    def __call__(
        self, rule: Rule, n: Tensor, carry: Any, inputs: tuple[Any, ...], running: Tensor
    ) -> tuple[Any, Any, Tensor]:
        """Takes step number `n`.

        Args:
            rule: as in `ponder`.
            n: from 1.
            carry: the states, and the memory of the rule.
            inputs: a tuple of nothing, or of the `inputs` of `ponder`.
            running: boolean `(batch,)`, the rows that take the step.

        Returns:
            `(share, carry, running)`. The result is the sum of the shares of all steps.
        """
        dtype, history = self.dtype, self.history
        states, memory = carry
        output, halting, new_states = _take_step(self.step, n, states, *inputs)
        self._results = (output, new_states)
        if halting is not None:
            halting = ops.cast(ops.reshape(halting, (-1,)), dtype)
        decision = rule(n, halting, memory)
        weight = ops.where(running, decision.weight, 0.0)
        # A row that is frozen is finite if the row was, so that a weight of 0 leaves it out.
        finite = list(map(id, tree.flatten(new_states))) if self.frozen else []
        share = {
            "mean": [
                expand(weight, ops.ndim(tensor))
                * ops.cast(tensor if id(tensor) in finite else _where(running, tensor), dtype)
                for tensor in _distinct(output, new_states)
            ],
            "steps": ops.cast(running, dtype),
            "remainder": ops.where(running, decision.remainder, 0.0),
        }
        if history is not None:
            here = ops.one_hot(ops.reshape(n, (1,)) - 1, history, dtype=dtype)
            present = ops.cast(running, dtype)[:, None] * here
            share["weights"] = weight[:, None] * here
            share["outputs"] = tree.map_structure(
                lambda y: (
                    expand(present, ops.ndim(y) + 1) * ops.cast(_where(running, y), dtype)[:, None]
                ),
                output,
            )

        def kept(new, old):
            return tree.map_structure(
                lambda x, y: ops.where(expand(running, ops.ndim(x)), x, y), new, old
            )

        memory = kept(decision.memory, memory)
        carry = (new_states if self.frozen else kept(new_states, states), memory)
        running = ops.logical_and(running, ops.logical_not(decision.halts))
        return share, carry, running

    def restore(self, means: list[Tensor]) -> Any:
        """Puts weighted sums into the structure and dtypes of the step's `(output, states)`."""
        mean_of = dict(zip(map(id, _distinct(*self._results)), means))
        return tree.map_structure(
            lambda tensor: ops.cast(mean_of[id(tensor)], tensor.dtype), self._results
        )


def without_masked(inputs: Any, mask: Tensor) -> Any:
    """Replaces masked rows by zeros, because a weight of zero does not remove NaN."""
    return tree.map_structure(lambda x: _where(mask, x), inputs)


def _where(rows, x):
    """`x` with zeros in all other rows."""
    return ops.where(expand(rows, ops.ndim(x)), x, ops.zeros_like(x))


def _take_step(step, n, states, *inputs):
    result = step(n, states, *inputs)
    if not isinstance(result, tuple) or len(result) != 3:
        raise ValueError(
            "Argument `step` must return a triple `(output, halting, states)`. "
            f"Received: {result!r}"
        )
    output, halting, new_states = result
    try:
        tree.assert_same_structure(states, new_states)
    except (ValueError, TypeError) as error:
        raise ValueError(
            "Argument `step` must return states in the structure that it was given. "
            f"Received: {tree.map_structure(ops.shape, new_states)}, "
            f"expected: {tree.map_structure(ops.shape, states)}"
        ) from error
    for old, new in zip(tree.flatten(states), tree.flatten(new_states)):
        if not _same_kind(old, new):
            raise ValueError(
                "Argument `step` must return states of the shapes and dtypes that it was given. "
                f"Received: shape={tuple(new.shape)}, dtype={new.dtype}, "
                f"expected: shape={tuple(old.shape)}, dtype={old.dtype}"
            )
    if halting is not None and tuple(halting.shape[1:]) not in ((), (1,)):
        raise ValueError(
            "Argument `step` must return halting activations of shape (batch,) or (batch, 1). "
            f"Received: shape={tuple(halting.shape)}"
        )
    return output, halting, new_states


def _check_mask(mask, rows):
    if mask is None:
        return
    if len(mask.shape) != 1 or (None not in (rows, *mask.shape) and mask.shape[0] != rows):
        raise ValueError(
            f"Argument `mask` must have the shape ({rows},) of the rows. "
            f"Received: mask of shape {tuple(mask.shape)}"
        )


def _same_kind(old, new):
    same_shape = len(old.shape) == len(new.shape) and all(
        a == b or a is None or b is None for a, b in zip(old.shape, new.shape)
    )
    return same_shape and old.dtype == new.dtype


def _distinct(output, states):
    """The tensors of both nests, each once: a cell's output is usually one of its states."""
    return list({id(tensor): tensor for tensor in tree.flatten((output, states))}.values())


def expand(rows: Tensor, rank: int) -> Tensor:
    """Appends axes of size 1 to `rows` until it has `rank` axes."""
    return ops.reshape(rows, tuple(ops.shape(rows)) + (1,) * (rank - ops.ndim(rows)))


def symbolic_outputs(layer: keras.layers.Layer, shapes: Any) -> Any:
    """The `KerasTensor`s of a layer's outputs, with its ponder in at least float32.

    Args:
        layer: a layer with `return_ponder`.
        shapes: what its `compute_output_shape` returned.
    """

    def spec(nest, dtype):
        return tree.map_shape_structure(lambda shape: keras.KerasTensor(shape, dtype), nest)

    if not layer.return_ponder:
        return spec(shapes, layer.compute_dtype)
    *outputs, ponder = shapes
    outputs = [spec(output, layer.compute_dtype) for output in outputs]
    return (*outputs, spec(ponder, at_least_float32(layer.compute_dtype)))
