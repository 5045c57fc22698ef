"""HAM: a memory that is attended by a descent in a tree."""

from typing import Any

import keras
from keras import ops, tree

from .. import arguments, backend, reporting
from ..empty_batch import accepts_empty_batch
from ..types import Tensor
from . import paths, rows
from .decisions import Entry, entropy, log_probability
from .perceptrons import join_ends
from .tree_attention import TreeAttention, levels_over

_UNROLLED_LEVELS = 8  # Above this number of levels a loop is compiled instead of unrolled.


@keras.saving.register_keras_serializable(package="keras_adaptive")
class HAM(TreeAttention):
    """Hierarchical attentive memory, with a controller ("LSTM+HAM") or without ("raw HAM").

    The memory is a full binary tree over n leaves. An access goes down from the root: at each inner
    node c it turns right with probability SEARCH(h_c, h_LSTM). The leaf where it ends is read by
    the controller, then changed by WRITE, and the nodes above it are joined again.

    With a controller the leaves are EMBED of the inputs at first, followed by zeros; after every η
    accesses there is an output, computed from h_LSTM. Without a controller the inputs are
    operations: the t-th takes the place of h_LSTM at the t-th access, the memory is empty at first,
    and a perceptron computes the output from the attended leaf; so the t-th output depends only on
    the first t operations.

    An access takes time Θ(log n), in training too; building the tree, before the first access,
    takes Θ(n). This holds in TensorFlow's graphs, with XLA or without, and on JAX. In TensorFlow's
    eager mode and on PyTorch, where nothing can be changed in place, every access copies the tree.
    It also does with `return_nodes`, and if a call of a cell or of one of the memory's layers
    changes a variable (batch normalization, a dropout layer).

    In training the turns are sampled, else the most probable ones are taken (right if p > 0.5).
    Sampling passes no gradient to SEARCH: train with `keras_adaptive.reinforce.ReinforceModel`.

    Args:
        outputs: integer >= 1, bits of an output vector.
        controller: a Keras RNN cell or a list of them; `None` is raw HAM. Defaults to `None`.
        memory: a `ham.Memory`, the tree's width and the four transformations. Defaults to the
            paper's.
        accesses_per_output: integer >= 1, η. Defaults to `1`.
        max_outputs: a number a and an integer b, both >= 0: an input of m vectors has a m + b
            outputs (rounded down), its end among them. Raw HAM has one for each operation. Defaults
            to `(1, 0)`.
        num_leaves: n, a power of two from 2 on. By default the smallest one that is
            not below the number of input vectors (including padding). On TensorFlow, XLA compiles
            a model only if n is known: give it, or a fixed m.
        padding: a vector in which every element is this number marks a position outside of an
            example; `None` if there is a mask or nothing is padded. Defaults to `-1.0`.
        seed: integer, of the sampled turns.
        **kwargs: of `keras.layers.Layer`.

    Call arguments:
        inputs: `(batch, m, b)`.
        mask: boolean `(batch, m)`, true inside each example, in addition to `padding`. Positions
            outside become empty leaves, or operations that change nothing.
        training: boolean; whether turns are sampled.
        return_path: whether to return the decisions of the accesses as well.
        return_nodes: whether to return the values of all nodes as well.
        path: `(batch, accesses, levels)`, turns to take: 1 for right, 0 for left.

    Returns:
        Probabilities of ones, `(batch, a m + b, outputs)`, zero after a m + b for the example's own
        m. With `return_path` or `return_nodes` a pair of them and a dict. The former gives `path`
        `(batch, accesses, levels)`, 1 for right; `leaf`, number of the leaf from 0 on,
        `(batch, accesses)`; `right_probability`, of going right at the nodes of the path, and
        `entropy` of the turns there, both like `path`; `log_probability` of the path of each
        access. The latter gives `nodes`, `(batch, accesses + 1, 2n, d)`, before the first access
        and after each: node e at index e; 1 is the root, and there is no node 0.

    Raises:
        ValueError: an argument out of its range, inputs of a wrong rank or width, more inputs than
            leaves, or a path of a wrong shape.

    Example:

    >>> layer = HAM(3, keras.layers.LSTMCell(20), accesses_per_output=2)
    >>> outputs, details = layer(np.ones((4, 7, 5)), return_path=True)
    >>> outputs.shape == (4, 7, 3), details["path"].shape == (4, 14, 3)
    (True, True)

    Differences from the paper: it initializes raw HAM's memory "with zeros", which may mean the
    leaves or all nodes; here inner nodes begin as JOIN of zeros (`Memory(empty="zeros")` for the
    other reading).

    Source: Andrychowicz & Kurach, "Learning Efficient Algorithms with Hierarchical Attentive
    Memory" (2016), arXiv:1602.03218, sections 3.1, 3.2 and 4.3.
    """

    traced = ("right_probability", "path")

    def __init__(
        self,
        outputs: int,
        controller: Any = None,
        memory: Any = None,
        accesses_per_output: int = 1,
        max_outputs: tuple[float, int] = (1, 0),
        num_leaves: int | None = None,
        padding: float | None = -1.0,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(
            outputs,
            controller,
            memory,
            accesses_per_output,
            max_outputs,
            num_leaves,
            padding,
            **kwargs,
        )
        self.seed = arguments.seed("seed", seed)
        self.seed_generator = keras.random.SeedGenerator(self.seed)

    @accepts_empty_batch
    def call(
        self,
        inputs: Tensor,
        mask: Tensor | None = None,
        training: bool = False,
        return_path: bool = False,
        return_nodes: bool = False,
        path: Tensor | None = None,
    ) -> Any:
        """All accesses; see the class."""
        _, levels = self._sizes(inputs)
        accesses = self.accesses_per_output * self._steps(inputs)
        batch_size = ops.shape(inputs)[0]
        given = {}
        if path is not None:
            self._check_path(path, accesses, levels)
            given["path"] = ops.transpose(ops.cast(path, "int32"), (1, 2, 0))
        elif training:
            shape = (accesses, levels, batch_size)
            given["uniform"] = keras.random.uniform(
                shape, dtype="float32", seed=self.seed_generator
            )
        outputs, trace = self._run(inputs, mask, training, given, return_nodes)
        trace["path"], trace["right_probability"] = (
            ops.transpose(trace[name], (2, 0, 1)) for name in ("path", "right_probability")
        )
        trace["query"] = ops.swapaxes(trace["query"], 0, 1)
        of_entry = ("path", "right_probability", "query", "reached")
        reporting.report("decisions", Entry(self, *(trace[name] for name in of_entry)))
        if not return_path and not return_nodes:
            return outputs
        paths = self._paths(trace, levels) if return_path else {}
        if return_nodes:
            paths["nodes"] = ops.swapaxes(trace["nodes"], 0, 1)
        return outputs, paths

    def _paths(self, trace, levels):
        path, p = trace["path"], trace["right_probability"]
        worth = 2 ** ops.flip(ops.arange(levels, dtype="int32"), axis=0)
        return {
            "path": path,
            "leaf": ops.sum(path * worth, axis=-1),
            "right_probability": p,
            "log_probability": ops.sum(log_probability(path, p), axis=-1),
            "entropy": entropy(p),
        }

    def _all_accesses(self, carry, now, training, return_nodes):
        if return_nodes or not self._appends(carry):
            return super()._all_accesses(carry, now, training, return_nodes)
        nodes, states, query = carry
        batch_size, twice, d = ops.shape(nodes)
        levels = levels_over(twice // 2)
        level = ops.arange(levels, dtype="int32")
        shape = (ops.shape(now["access"])[0], levels)
        given = {"level": ops.broadcast_to(level[None], shape)}
        given.update({name: now[name] for name in ("path", "uniform") if name in now})
        sequences = tuple(
            {name: now[name] for name in names if name in now}
            for names in (("inputs",), ("present",))
        )
        each_level = self._each_level(levels)

        def turn(value, carry, now, given):
            p = self.memory.probability(value, self._asked(carry[2], now[0]))
            return self._turn(p, given)

        def step(carry, now, pairs, right):
            root, states, query = carry
            asked = self._asked(query, now[0])
            chosen = ops.where(right[..., None], pairs[..., d:], pairs[..., :d])
            values = ops.concatenate([root[None], chosen[:-1]], axis=0)
            # A product, as XLA cannot compile the gradient of a repetition in a TensorFlow loop.
            every = ops.ones_like(values[..., :1]) * ops.cast(asked, values.dtype)
            details = {"right_probability": self.memory.probability(values, every), "query": asked}
            attended = chosen[-1]
            details["answer"], states, query = self._control(attended, states, query, training)
            value = self.memory.written(attended, self._asked(query, now[0]))
            new_root, new = self._join_up(value, right, pairs, each_level)
            new = ops.flip(new, axis=0)
            if "present" in now[1]:
                present = now[1]["present"][:, None]
                new_root = ops.where(present, new_root, root)
                new = ops.where(present, new, pairs)
            return (new_root, states, query), details, new

        def overwrite(carry, sequences, given, pairs):
            carry = (ops.reshape(pairs, (batch_size, twice, d)), *carry[1:])
            now = {**sequences[0], **sequences[1], **given}
            trace = super(HAM, self)._all_accesses(carry, now, training, False)
            return trace, ops.equal(trace.pop("path"), 1)

        pairs = ops.reshape(nodes, (batch_size, twice // 2, 2 * d))
        carry = (nodes[:, 1], states, query)
        accesses = paths.Accesses(turn, step, carry, sequences, given, pairs, each_level)
        details, right = accesses.run(overwrite)
        return {**details, "path": ops.cast(right, "int32")}

    def _appends(self, carry):
        """Whether `paths.Accesses` can run these accesses, and saves time."""
        if not backend.appends_in_place():
            return False
        if not all(keras.backend.is_float_dtype(x.dtype) for x in tree.flatten(carry)):
            return False
        m = self.memory
        if any(_changes(part) for x in (m.join, m.search, m.write) for part in x._flatten_layers()):
            return False
        if self.controller is None:
            return True
        cell = self._rnn.cell
        # Keras draws the masks of a cell's dropout before the loop.
        return isinstance(cell, keras.layers.Layer) and not any(
            _changes(part) and not hasattr(part, "get_dropout_mask")
            for part in cell._flatten_layers()
        )

    def _turn(self, p, given):
        """Whether to go right: as given, as sampled, or as is more probable."""
        if "path" in given:
            return ops.equal(given["path"], 1)
        if "uniform" in given:
            return ops.cast(given["uniform"], p.dtype) < p
        return p > 0.5

    def _join_up(self, value, right, pairs, each_level):
        """The root above a leaf of that value, and the pairs on the path, bottom-up."""
        d = value.shape[-1]

        def up(value, now):
            right, pair = now
            right = right[:, None]
            pair = join_ends(
                ops.where(right, pair[:, :d], value), ops.where(right, value, pair[:, d:])
            )
            return self.memory.parent(pair), pair

        return each_level(up, value, (ops.flip(right, axis=0), ops.flip(pairs, axis=0)))

    def attend(
        self, nodes: Tensor, query: Tensor, now: dict[str, Tensor]
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """Goes down to a leaf (Figure 3)."""
        batch_size, twice, d = ops.shape(nodes)
        count = twice // 2
        pairs = ops.reshape(nodes, (batch_size * count, 2 * d))  # [2e, 2e + 1] side by side
        first = count * ops.arange(batch_size, dtype="int32")
        levels = levels_over(count)

        def down(carry, now):
            node, value = carry
            p = self.memory.probability(value, query)
            right = self._turn(p, now)
            row = first + node
            pair = rows.take(pairs, row)
            value = ops.where(right[:, None], pair[:, d:], pair[:, :d])
            node = 2 * node + ops.cast(right, node.dtype)
            details = {"path": ops.cast(right, "int32"), "right_probability": p}
            return (node, value), {**details, "row": row, "pair": pair}

        now = {name: now[name] for name in ("path", "uniform") if name in now}
        now["level"] = ops.arange(levels, dtype="int32")
        carry = (ops.ones_like(first), nodes[:, 1])
        (_, attended), details = self._each_level(levels)(down, carry, now)
        return attended, {**details, "root": nodes[:, 1], "first": first}

    def update(
        self,
        nodes: Tensor,
        attended: Tensor,
        details: dict[str, Tensor],
        writer: Tensor,
        present: Tensor | None,
    ) -> Tensor:
        """Changes the leaf, and all nodes above it, bottom-up (Figure 5)."""
        shape = ops.shape(nodes)
        d = shape[-1]

        value = self.memory.written(attended, writer)
        each_level = self._each_level(levels_over(shape[1] // 2))
        right = ops.equal(details["path"], 1)
        value, pairs = self._join_up(value, right, details["pair"], each_level)
        places = ops.concatenate([ops.flip(details["row"], axis=0), details["first"][None]], axis=0)
        no_node = ops.zeros_like(value)
        root = join_ends(no_node, value)
        new = ops.concatenate([pairs, root[None]], axis=0)
        if present is not None:
            old_root = join_ends(no_node, details["root"])
            old = ops.concatenate([ops.flip(details["pair"], axis=0), old_root[None]], axis=0)
            new = ops.where(present[None, :, None], new, old)
        pairs = ops.reshape(nodes, (-1, 2 * d))
        pairs = rows.replace(pairs, ops.reshape(places, (-1,)), ops.reshape(new, (-1, 2 * d)))
        return ops.reshape(pairs, shape)

    def _each_level(self, levels):
        """The loop over levels."""
        known = isinstance(levels, int)
        known = known and (levels <= _UNROLLED_LEVELS or not backend.compiles())
        return backend.eager.scan if known else backend.scan

    def _check_path(self, path, accesses, levels):
        wanted = (None, accesses, levels)
        pairs = zip(path.shape, wanted)
        if len(path.shape) != 3 or any(
            isinstance(size, int) and known not in (None, size) for known, size in pairs
        ):
            raise ValueError(
                f"`path` must have the shape (batch, {accesses}, {levels}). "
                f"Received: shape={tuple(path.shape)}"
            )
        known = backend.concrete(path)
        if known is not None:
            arguments.whole_numbers("path", known, 0, 1)

    def compute_output_spec(
        self,
        inputs: Tensor,
        mask: Tensor | None = None,
        training: bool = False,
        return_path: bool = False,
        return_nodes: bool = False,
        path: Tensor | None = None,
    ) -> Any:
        """Shapes and dtypes of what `call` returns."""
        outputs = super().compute_output_spec(inputs)
        spec, turns = {}, self.shape_of_paths(inputs)
        if return_path:
            spec = {
                "path": keras.KerasTensor(turns, "int32"),
                "leaf": keras.KerasTensor(turns[:2], "int32"),
                "right_probability": keras.KerasTensor(turns, outputs.dtype),
                "log_probability": keras.KerasTensor(turns[:2], outputs.dtype),
                "entropy": keras.KerasTensor(turns, outputs.dtype),
            }
        if return_nodes:
            spec["nodes"] = keras.KerasTensor(self.shape_of_nodes(inputs), self.compute_dtype)
        return (outputs, spec) if spec else outputs

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        return {**super().get_config(), "seed": self.seed}


def _changes(layer):
    """Whether a call of the layer itself, not of one inside it, may change a variable."""
    return bool(layer._non_trainable_variables or layer._seed_generators)
