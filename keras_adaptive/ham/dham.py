"""DHAM: the memory of HAM with soft attention, trained by backpropagation only."""

import functools
from typing import Any

import keras
from keras import ops

from .. import arguments, backend
from ..dtypes import as_added, at_least_float32
from ..empty_batch import accepts_empty_batch
from ..types import Tensor
from .entropy_bonus import EntropyBonus, openness_of
from .memory import grow
from .tree_attention import TreeAttention


@keras.saving.register_keras_serializable(package="keras_adaptive")
class DHAM(EntropyBonus, TreeAttention):
    """Differentiable hierarchical attentive memory, trained by a plain `fit`.

    As `HAM`, but no turn is taken: each leaf e is attended with the probability p(e) that a descent
    of HAM would end there. The controller reads Σ p(e) h_e; all leaves become p(e) WRITE(h_e, ·) +
    (1 − p(e)) h_e; and all nodes are joined again, so an access takes time Θ(n).

    Its weights are those of a `HAM` with the same arguments, in the same order, unless there is an
    entropy bonus: `set_weights` copies them from one to the other.

    Args:
        outputs, controller, memory, accesses_per_output, max_outputs, num_leaves, padding: as in
            `HAM`.
        writer: the input of WRITE beside the leaf: `"controller"` (h_LSTM, as in HAM) or `"root"`
            (h_ROOT, as Appendix A prints it). Defaults to `"controller"`.
        entropy_bonus: float >= 0, α at the start: α / H for each turn is added to the loss, as
            `ReinforceModel` does for HAM; H is the entropy of p(e) divided by the number of levels.
            Without it attention may settle on leaves too early. Defaults to `0.0`.
        entropy_decay: float in (0, 1], by which α is multiplied after each training step. Defaults
            to `1.0`. Both are weights, where there is a bonus, and can be set while training.
        **kwargs: of `keras.layers.Layer`.

    Call arguments:
        inputs, mask, training: as in `HAM`.
        return_attention: whether to return p(e) at every access too.
        return_nodes: whether to return the values of all nodes too.

    Returns:
        Probabilities of ones, `(batch, a m + b, outputs)`, as in `HAM`. With `return_attention` or
        `return_nodes` a pair of them and a dict of `attention` `(batch, accesses, n)` and of
        `nodes` as in `HAM`.

    Raises:
        ValueError: as in `HAM`.

    Example:

    >>> layer = DHAM(3, keras.layers.LSTMCell(20))
    >>> outputs, details = layer(np.ones((4, 7, 5)), return_attention=True)
    >>> outputs.shape == (4, 7, 3), details["attention"].shape == (4, 7, 8)
    (True, True)

    Differences from the paper: the appendix prints WRITE(h_e, h_ROOT), where the hard model has
    WRITE(h_a, h_LSTM); the latter is the default here.

    Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, Appendix A.
    """

    def __init__(
        self,
        outputs: int,
        controller: Any = None,
        memory: Any = None,
        accesses_per_output: int = 1,
        max_outputs: tuple[float, int] = (1, 0),
        num_leaves: int | None = None,
        padding: float | None = -1.0,
        writer: str = "controller",
        entropy_bonus: float = 0.0,
        entropy_decay: float = 1.0,
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
        self.writer = arguments.choice("writer", writer, ("controller", "root"))
        self._check_entropy_bonus(entropy_bonus, entropy_decay)
        if entropy_bonus:
            self._add_entropy_bonus()

    traced = ("attention",)

    @property
    def writer_width(self) -> int | None:
        """Width of the input of WRITE beside the leaf; `None` if it is that of SEARCH."""
        return self.memory.units if self.writer == "root" else None

    @accepts_empty_batch
    def call(
        self,
        inputs: Tensor,
        mask: Tensor | None = None,
        training: bool = False,
        return_attention: bool = False,
        return_nodes: bool = False,
    ) -> Any:
        """All accesses; see the class."""
        outputs, trace = self._run(inputs, mask, training, return_nodes=return_nodes)
        if training and self.initial_entropy_bonus:
            openness = self._openness(trace)
            bonus = ops.cast(self._bonus_of_this_step(), openness.dtype)
            self.add_loss(as_added(bonus * openness))
        wanted = ["attention"] * return_attention + ["nodes"] * return_nodes
        if not wanted:
            return outputs
        return outputs, {name: ops.swapaxes(trace[name], 0, 1) for name in wanted}

    def _openness(self, trace):
        """The mean of Σ 1 / H over the accesses within the examples."""
        attention = trace["attention"]
        dtype = at_least_float32(attention.dtype)
        p = ops.maximum(ops.cast(attention, dtype), 1e-30)
        levels = ops.log2(ops.cast(ops.shape(attention)[-1], dtype))
        counts = ops.repeat(trace["reached"], self.accesses_per_output, axis=1)
        counts = ops.swapaxes(ops.cast(counts, dtype), 0, 1)
        each = levels * openness_of(-ops.sum(p * ops.log(p), axis=-1) / levels)
        return ops.sum(counts * each) / ops.maximum(ops.sum(counts), 1.0)

    def _compiles(self, training):
        """Whether XLA may compile parts of the layer in a graph of TensorFlow."""
        return training and all(layer.supports_jit for layer in self._flatten_layers())

    def _planted(self, leaves, used, training):
        plant = functools.partial(super()._planted, leaves, used, training)
        compiled = None
        compiles = backend.compiled_together is not None and self._compiles(training)
        if compiles and leaves.shape[1]:
            compiled = backend.compiled_together(plant)
        return plant() if compiled is None else compiled

    def _scan(self, training):
        return backend.compiled_scan if self._compiles(training) else backend.scan

    def attend(
        self, nodes: Tensor, query: Tensor, now: dict[str, Tensor]
    ) -> tuple[Tensor, dict[str, Tensor]]:
        """Reads all leaves, each with the probability that a descent would end there."""
        count = (nodes.shape[1] or ops.shape(nodes)[1]) // 2
        inner = nodes[:, :count]
        p = self.memory.probability(inner, _for_each(inner, query))

        def down(reached):
            width = reached.shape[1] or ops.shape(reached)[1]
            right = p[:, width : 2 * width]
            ways = ops.stack([reached * (1.0 - right), reached * right], axis=-1)
            return (ops.reshape(ways, (ops.shape(p)[0], 2 * width)),)

        def goes_on(reached):
            return (reached.shape[1] or ops.shape(reached)[1]) < count

        (attention,) = grow(down, (ops.ones_like(p[:, :1]),), goes_on)
        share = ops.cast(attention, nodes.dtype)[..., None]
        attended = ops.sum(share * nodes[:, count:], axis=1)
        return attended, {"attention": attention, "share": share}

    def update(
        self,
        nodes: Tensor,
        attended: Tensor,
        details: dict[str, Tensor],
        writer: Tensor,
        present: Tensor | None,
    ) -> Tensor:
        """Changes each leaf in proportion to its probability, and joins all nodes again."""
        count = (nodes.shape[1] or ops.shape(nodes)[1]) // 2
        leaves, share = nodes[:, count:], details["share"]
        writer = nodes[:, 1] if self.writer == "root" else writer
        written = self.memory.written(leaves, _for_each(leaves, writer))
        new = self.memory.plant(share * written + (1.0 - share) * leaves)
        new = ops.reshape(new, ops.shape(nodes))
        return new if present is None else ops.where(present[:, None, None], new, nodes)

    def compute_output_spec(
        self,
        inputs: Tensor,
        mask: Tensor | None = None,
        training: bool = False,
        return_attention: bool = False,
        return_nodes: bool = False,
    ) -> Any:
        """Shapes and dtypes of what `call` returns."""
        outputs = super().compute_output_spec(inputs)
        spec = {}
        if return_attention:
            *shape, levels = self.shape_of_paths(inputs)
            leaves = None if levels is None else 2**levels
            spec["attention"] = keras.KerasTensor((*shape, leaves), outputs.dtype)
        if return_nodes:
            spec["nodes"] = keras.KerasTensor(self.shape_of_nodes(inputs), self.compute_dtype)
        return (outputs, spec) if spec else outputs

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        return {
            **super().get_config(),
            "writer": self.writer,
            "entropy_bonus": self.initial_entropy_bonus,
            "entropy_decay": self.initial_entropy_decay,
        }


def _for_each(nodes, query):
    """The query repeated for each node, `(batch, nodes, l)`."""
    # A product, as XLA cannot compile the gradient of a repetition in a TensorFlow loop.
    return ops.ones_like(nodes[..., :1]) * ops.cast(query, nodes.dtype)[:, None]
