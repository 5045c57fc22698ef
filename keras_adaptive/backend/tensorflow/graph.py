"""Analysis of traced TensorFlow graphs, and running parts of them."""

import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from keras import tree
from tensorflow.python.eager import record
from tensorflow.python.framework import kernels

from ...types import Tensor

# Operations that are cheaper to repeat than to save their results.
CHEAP = {
    *("Add", "AddV2", "Any", "BroadcastTo", "Cast", "ConcatV2", "Equal", "ExpandDims", "Fill"),
    *("Greater", "GreaterEqual", "Identity", "Less", "LessEqual", "LogicalAnd", "LogicalNot"),
    *("LogicalOr", "Mul", "Neg", "Pack", "Relu", "Reshape", "Select", "SelectV2", "Shape"),
    *("Sigmoid", "Split", "Squeeze", "StridedSlice", "Sub", "Tanh", "Transpose", "ZerosLike"),
}
# Operations that are worth doing once instead of many times.
PRODUCTS = {"BatchMatMulV2", "BatchMatMulV3", "Conv2D", "Conv3D", "Einsum", "MatMul"}


def unrecorded(body: Callable[..., Any]) -> Callable[..., Any]:
    """Marks the body of a loop or a function, which TensorFlow differentiates as a whole.

    Gradient tapes must not record operations inside of it, and `TracedGraph.run` requires that none
    does.
    """

    @functools.wraps(body)
    def run(*arguments):
        with record.stop_recording():
            return body(*arguments)

    return run


class TracedGraph:
    """A graph whose parts can be run on their own.

    Args:
        graph: of a traced function.
    """

    def __init__(self, graph: Any):
        self.graph = graph
        self.definition = graph.as_graph_def()

    @property
    def compiles(self) -> bool:
        """Whether XLA supports all operations on the CPU."""
        nodes = [*self.definition.node]
        for function in self.definition.library.function:
            nodes += function.node_def
        return all(map(_has_kernel_of_xla, {node.op for node in nodes} - {"Placeholder"}))

    def does_nothing_but(self, results: Any) -> bool:
        """Whether it has no side effects besides computing these tensors."""
        effects = {op.name for op in self.graph.control_outputs}
        return effects <= _upstream(tree.flatten(results), {})[0]

    def run(self, given: Any, fetches: Any) -> Any:
        """Imports the part of the graph between given tensors and `fetches` into the current graph.

        Args:
            given: pairs of a tensor of this graph and its replacement in the current graph.
            fetches: a nest of tensors of the graph.

        Returns:
            The nest, with tensors of the current graph.

        Raises:
            RuntimeError: if a gradient tape is watching. It does not see imported operations, and
                would treat the results as constants.
        """
        feeds = {inner.name: outer for outer, inner in self.graph.captures}
        feeds |= {inner.name: outer for inner, outer in given}
        flat = tree.flatten(fetches)
        operations, inputs = _upstream(flat, feeds)
        if record.should_record_backprop([x for name, x in feeds.items() if name in inputs]):
            raise RuntimeError(
                "A part of a traced graph cannot run where a gradient tape watches what it reads, "
                "because the tape does not see it. Run it in the body of a loop or function that "
                "is marked as `unrecorded`."
            )
        part = tf.compat.v1.GraphDef(
            versions=self.definition.versions, library=self.definition.library
        )
        for node in self.definition.node:
            if node.name in operations:
                part.node.add().CopyFrom(node)
                del part.node[-1].input[:]
                # Colocation with other nodes, some of which are not imported.
                part.node[-1].attr.pop("_class", None)
                part.node[-1].input.extend(
                    x for x in node.input if x[0] != "^" or x[1:] in operations
                )
        placeholders = tf.graph_util.import_graph_def(
            part,
            # Captures tensors of an outer graph.
            {name: tf.identity(x) for name, x in feeds.items() if name in inputs},
            [x.name for x in flat if x.name not in feeds],
            name="",
        )
        feeds |= dict(zip([x.name for x in flat if x.name not in feeds], placeholders))
        return tree.pack_sequence_as(fetches, [feeds[x.name] for x in flat])


@functools.cache
def _has_kernel_of_xla(operation):
    _load_kernels_of_xla()
    registered = kernels.get_registered_kernels_for_op(operation).kernel
    return any(kernel.device_type == "XLA_CPU_JIT" for kernel in registered)


@functools.cache
def _load_kernels_of_xla():
    # TensorFlow registers these kernels when it compiles for the first time.
    tf.function(lambda: tf.constant(0), jit_compile=True)()


def _upstream(tensors, feeds):
    """Names of the operations that lead from `feeds` to `tensors`, and of all their inputs."""
    operations, inputs, pending = set(), set(), list(tensors)
    while pending:
        tensor = pending.pop()
        if tensor.name not in feeds and tensor.op.name not in operations:
            operations.add(tensor.op.name)
            inputs |= {x.name for x in tensor.op.inputs}
            pending += tensor.op.inputs
    return operations, inputs


def common_of(graph: Any, n: Tensor, carry: Any) -> list[Tensor]:
    """Tensors that all steps on the same element have in common.

    Args:
        graph: of the step.
        n: its tensor that counts the steps from 1.
        carry: its tensors that change from step to step.

    Returns:
        Floating tensors computed with a product that depend neither on `carry` nor on `n` (except
        on whether `n` is 1), and that other operations use.
    """
    changing = {x.name for x in [n, *carry]}
    product: set[str] = set()
    inputs: dict[str, Tensor] = {}
    for op in graph.get_operations():
        names, results = {x.name for x in op.inputs}, {x.name for x in op.outputs}
        if (names & changing and not _asks_for_first(op, n)) or _draws(op):
            changing |= results
            inputs |= {x.name: x for x in op.inputs if x.name in product and x.dtype.is_floating}
        elif op.type in PRODUCTS or names & product:
            product |= results
    return list(inputs.values())


def _asks_for_first(op, n):
    values = [tf.get_static_value(x) for x in op.inputs if x is not n]
    return op.type == "Equal" and len(values) == 1 and values[0] is not None and values[0] == 1


def _draws(op):
    return op.op_def.is_stateful and op.type != "Placeholder"


def saved_of(graph: Any, forward: Any, given: Any, known: Any, gradients: Any) -> list[Tensor]:
    """The forward tensors that the gradients need and that are not cheap to compute again."""
    known = {x.name for x in known}
    changing = {x.name for x in given}
    for op in graph.get_operations():
        if _draws(op) or any(x.name in changing for x in op.inputs):
            changing |= {x.name for x in op.outputs}
    saved, seen, pending = {}, set(), list(gradients)
    while pending:
        tensor = pending.pop()
        if tensor.name in seen or tensor.name in known:
            continue
        seen.add(tensor.name)
        if tensor.op.name in forward and tensor.name in changing:
            saved[tensor.name] = tensor
        else:
            pending += tensor.op.inputs

    def is_there(tensor):
        return tensor.name in saved or tensor.name in known or follows(tensor)

    def follows(tensor):
        if tensor.name not in changing:
            return True
        return tensor.op.type in CHEAP and all(map(is_there, tensor.op.inputs))

    for tensor in list(saved.values()):
        if follows(tensor):
            del saved[tensor.name]
    return [given[0], *saved.values()]


def without_identities(tensor: Tensor) -> Tensor:
    """The tensor that a tensor is a copy of."""
    while tensor.op.type == "Identity":
        tensor = tensor.op.inputs[0]
    return tensor


def frozen_of(carry: list[Tensor], results: list[Tensor]) -> list[Any]:
    """How a step's carry changes only in the rows that are running.

    Args:
        carry: the carry before the step, tensors with the rows as first axis.
        results: the carry after the step.

    Returns:
        For each tensor of the carry, what replaces it in the running rows, and the tensor of the
        carry that says which rows run; `None` for one that changes otherwise. A row that does not
        run never runs again.
    """
    results = list(map(without_identities, results))
    running = {x.name: x for x, y in zip(carry, results) if _only_ends(x, y)}
    frozen = []
    for x, y in zip(carry, results):
        pair = None
        if y.op.type == "SelectV2":
            condition, new, old = map(without_identities, y.op.inputs)
            is_a_column = condition.shape.rank == x.shape.rank and set(condition.shape[1:]) <= {1}
            while condition.op.type in ("ExpandDims", "Reshape"):
                condition = without_identities(condition.op.inputs[0])
            if is_a_column and old.name == x.name and condition.name in running:
                pair = new, running[condition.name]
        frozen.append(pair)
    return frozen


def _only_ends(before, after):
    """Whether rows may become false in a step, but not true."""
    names = {without_identities(x).name for x in after.op.inputs}
    return before.shape.rank == 1 and after.op.type == "LogicalAnd" and before.name in names
