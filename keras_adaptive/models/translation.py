"""Networks that translate sequences of symbols, and think while they write or before."""

from typing import Any, NamedTuple

import keras
from keras import layers, ops, tree

from .. import arguments, cells
from ..act import ACTRNN
from ..attention import AttentionCell, BahdanauAttention
from ..beam_search import IMPOSSIBLE, beam_search
from ..dtypes import at_least_float32
from ..empty_batch import accepts_empty_batch
from ..halting import record
from ..masks import mask_or_attached
from ..max_outputs import check_max_outputs, output_count
from ..types import Rule, Shape, Tensor
from .pondering import PonderingDecoder

PLACES = ("writing", "before")
PADDING, END = 0, 1
LEAST = 1e-30  # probability of a symbol


class Translation(NamedTuple):
    """What the search of a translation network returns.

    Attributes:
        symbols: int32 `(batch, most)`, with 1 at the end, and 0 after it.
        steps: how many steps were taken for each symbol, `(batch, most)`, 0 after the end; or
            before the first one, `(batch, 1)`.
        ponder: ρ = N + R of the same shape.
        log_probability: `(batch,)`, of the symbols with the end.
    """

    symbols: Any
    steps: Any
    ponder: Any
    log_probability: Any


@keras.saving.register_keras_serializable(package="keras_adaptive")
class TranslationNetwork(PonderingDecoder):
    """An encoder and a decoder with attention, which may ponder.

    A bidirectional LSTM reads the input. The decoder, an LSTM, starts from a function of its last
    states, and for each symbol attends to all of its outputs. With `place="writing"` it takes
    several such steps per symbol, each with a new look; its output is their mean, weighted by
    the halting unit. With `place="before"` another LSTM takes these steps, once, between reading
    and writing. Vectors of the symbols to write are also the weights of the output (Press & Wolf
    2017).

    Symbols are integers; 0 stands for none, before the first and after the end, and 1 for the end
    of what is written, which targets have. In training (`fit(inputs, targets)`) the true symbols
    are fed back. `predict` and a call without targets search.

    Args:
        source_symbols: integer >= 2, how many different symbols are read.
        target_symbols: integer >= 2, how many are written.
        units: integer >= 1, size of all LSTMs, vectors and the attention. Defaults to `256`.
        halting: `"act"`, `"fixed"` (`steps` steps each time), any rule of `halting`, which has a
            limit of its own, so that `max_ponder` is not read, or `None`, a decoder that takes one
            step for each symbol. Defaults to `"act"`.
        steps: integer >= 1, the number of steps for `halting="fixed"`.
        place: `"writing"` or `"before"`, where to ponder. Defaults to `"writing"`.
        max_ponder: integer >= 1, the largest number of steps. Defaults to `5`.
        time_penalty, target_ponder: as in `layers.ACTRNN`. Defaults to `1e-3` and `None`.
        halting_bias: float, the halting unit's bias at first. Defaults to `0.0`.
        dropout: float in [0, 1), rate at vectors and outputs in training. Defaults to `0.0`.
        max_outputs: pair (a, b). At most a n + b symbols are written for n that were read. Defaults
            to `(2, 10)`.
        beams: integer >= 1, how many translations the search keeps. 1, the default, takes the
            likeliest symbol each time.
        **kwargs: arguments of `keras.Model`: `name`, `dtype`.

    Call arguments:
        inputs: integers `(batch, n)`.
        targets: integers `(batch, m)`, symbols to feed back; optional.
        mask: boolean `(batch, n)`, false where nothing is to be read.
        training: boolean.

    Returns:
        Probabilities of each target, `(batch, m, target_symbols)`, if targets are given; else the
        symbols that were written, int32 `(batch, most)`.

    Raises:
        ValueError: an argument is out of its range, or the inputs have another shape.

    Example:

    >>> model = TranslationNetwork(6, 7, units=8, max_ponder=3)
    >>> model.compile("adam", keras_adaptive.losses.SequenceLoss(per_target=True))
    >>> inputs, targets = np.array([[2, 5, 3], [4, 2, 0]]), np.array([[6, 2, 1], [3, 1, 0]])
    >>> sorted(model.fit(inputs, targets, verbose=0).history)
    ['loss', 'ponder_cost', 'ponder_steps']
    >>> model.predict(inputs, verbose=0).shape  # at most 2 · 3 + 10 symbols
    (2, 16)

    Differences from the papers: Bahdanau et al. have gated recurrent units, and a maxout layer
    before the output. The slides do not say how ACT was put around translation.

    Source: Bahdanau, Cho & Bengio, "Neural Machine Translation by Jointly Learning to Align and
    Translate" (2015), arXiv:1409.0473; with ACT, at both places: Graves, Vinyals, Figurnov &
    Jozefowicz, "Learning When to Halt With Adaptive Computation Time" (slides, about 2016).
    """

    serialized = ("halting", "target_ponder")

    def __init__(
        self,
        source_symbols: int,
        target_symbols: int,
        units: int = 256,
        halting: str | Rule | None = "act",
        steps: int | None = None,
        place: str = "writing",
        max_ponder: int = 5,
        time_penalty: float = 1e-3,
        target_ponder: Any = None,
        halting_bias: float = 0.0,
        dropout: float = 0.0,
        max_outputs: tuple[float, int] = (2, 10),
        beams: int = 1,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.source_symbols = arguments.integer("source_symbols", source_symbols, least=2)
        self.target_symbols = arguments.integer("target_symbols", target_symbols, least=2)
        self.units = arguments.integer("units", units, least=1)
        self.place = arguments.choice("place", place, PLACES)
        self.dropout = arguments.number("dropout", dropout, least=0, below=1)
        self.max_outputs = check_max_outputs(max_outputs)
        self.beams = arguments.integer("beams", beams, least=1)
        if halting is None and steps is not None:
            raise ValueError(
                f"Argument `steps` is for halting='fixed'. Received: halting=None, steps={steps!r}"
            )
        pondering = {
            "max_ponder": max_ponder,
            "time_penalty": time_penalty,
            "halting_bias": halting_bias,
            "halting": "fixed" if halting is None else halting,
            "steps": 1 if halting is None else steps,
            "target_ponder": target_ponder,
        }
        one_step = {"halting": "fixed", "steps": 1}
        writes = self.place == "writing" or halting is None
        self.decoder = self._reader("decoder", **(pondering if writes else one_step))
        self.thinker = None if writes else self._reader("thinker", **pondering)
        self.set_pondering(self.thinker or self.decoder, halting is not None)
        settings = {"dtype": self.dtype_policy}
        self.source_embedding = layers.Embedding(
            self.source_symbols, self.units, name="source_embedding", **settings
        )
        self.target_embedding = layers.Embedding(
            self.target_symbols, self.units, name="target_embedding", **settings
        )
        lstm = layers.LSTM(self.units, return_sequences=True, return_state=True, **settings)
        self.encoder = layers.Bidirectional(lstm, name="encoder", **settings)
        self.bridge = layers.Dense(2 * self.units, activation="tanh", name="bridge", **settings)
        self.drop = layers.Dropout(self.dropout, name="drop", **settings)

    def _reader(self, name, **pondering):
        """An `ACTRNN` of an LSTM that attends to what was read."""
        settings = {"dtype": self.dtype_policy}
        attention = BahdanauAttention(self.units, **settings)
        cell = AttentionCell(layers.LSTMCell(self.units, **settings), attention, **settings)
        return ACTRNN(
            cell, return_sequences=True, return_state=True, name=name, **pondering, **settings
        )

    def build(self, inputs_shape: Shape | None = None, targets_shape: Shape | None = None) -> None:
        """Creates all weights, which are the same for any length."""
        if inputs_shape is not None:
            self._check(inputs_shape)
        vectors, memory = (None, None, self.units), (None, None, 2 * self.units)
        self.source_embedding.build((None, None))
        self.target_embedding.build((None, None))
        self.encoder.build(vectors)
        self.bridge.build((None, 4 * self.units))
        self.decoder.build(vectors, memory_shape=memory)
        if self.thinker is not None:
            self.thinker.build((None, 1, 1), memory_shape=memory)
        self.bias = self.add_weight((self.target_symbols,), initializer="zeros", name="bias")
        self.freeze_parts()

    def _check(self, shape):
        if len(shape) != 2 or shape[1] == 0:
            raise ValueError(
                f"Model '{self.name}' expects symbols of shape (batch, n) with at least one symbol."
                f" Received: shape={tuple(shape)}"
            )

    @accepts_empty_batch
    def call(
        self,
        inputs: Tensor,
        targets: Tensor | None = None,
        mask: Tensor | None = None,
        training: bool = False,
    ) -> Tensor:
        """Probabilities of the targets, or a translation; see the class."""
        self._check(inputs.shape)
        targets = self.given_targets(targets)
        if targets is not None:
            targets = arguments.targets_of(targets, 2)
        read = self._read(inputs, mask_or_attached(mask, inputs), training)
        if targets is None:
            return self._search(read, self.beams).symbols
        with record() as entries:
            outputs = self._follow(read, targets, training)
        self.entries.value = entries
        return outputs

    def _read(self, inputs, mask=None, training=False):
        inputs = ops.cast(inputs, "int32")
        real = ops.greater(inputs, PADDING)
        if mask is not None:
            real = ops.logical_and(real, ops.cast(mask, "bool"))
        vectors = self.drop(self.source_embedding(inputs), training=training)
        memory, *states = self.encoder(vectors, mask=real, training=training)
        states = ops.split(self.bridge(ops.concatenate(states, axis=-1)), 2, axis=-1)
        return _Read(memory, real, list(states))

    def _follow(self, read, targets, training):
        """Probabilities of each target, given those before it."""
        targets = ops.cast(targets, "int32")
        memory = {"memory": read.memory, "memory_mask": read.real}
        states = read.states
        if self.thinker is not None:
            nothing = ops.zeros_like(read.memory[:, :1, :1])
            _, *states = self.thinker(nothing, initial_state=states, training=training, **memory)
        before = ops.pad(targets[:, :-1], [(0, 0), (1, 0)])
        vectors = self.drop(self.target_embedding(before), training=training)
        given = {"mask": self.present(targets), "training": training}
        hidden, *_ = self.decoder(vectors, initial_state=states, **given, **memory)
        return self._distribution(self.drop(hidden, training=training))

    def _distribution(self, hidden):
        vectors = ops.cast(self.target_embedding.embeddings, hidden.dtype)
        scores = ops.matmul(hidden, ops.transpose(vectors))
        float_dtype = at_least_float32(self.compute_dtype)
        return ops.softmax(ops.cast(scores, float_dtype) + ops.cast(self.bias, float_dtype))

    def search(self, inputs: Tensor, beams: int = 1) -> Translation:
        """Translates by beam search; one beam is a greedy search.

        Args:
            inputs: integers `(batch, n)`.
            beams: integer >= 1, how many translations are kept.

        Returns:
            A `Translation`.
        """
        inputs = ops.convert_to_tensor(inputs)
        if not self.built:
            self.build()
        self._check(inputs.shape)
        return self._search(self._read(inputs), arguments.integer("beams", beams, least=1))

    def _search(self, read, beams):
        read = tree.map_structure(lambda x: ops.repeat(x, beams, axis=0), read)
        most = output_count(self.max_outputs, ops.sum(ops.cast(read.real, "int32"), axis=1))
        # As in pointer networks: rows of padding take no steps.
        anything = ops.any(read.real, axis=1, keepdims=True)
        states, before = read.states, None
        if self.thinker is not None:
            memory = cells.prepared_memory(self.thinker, read.memory, read.real, None)
            nothing = ops.zeros_like(read.memory[:, 0, :1])
            _, states, *before = self.look(self.thinker, nothing, states, anything, memory)
        memory = cells.prepared_memory(self.decoder, read.memory, read.real, None)
        allowed = ops.not_equal(ops.arange(self.target_symbols, dtype="int32"), PADDING)

        def step(t, carry):
            symbol, states = carry
            vectors = self.target_embedding(symbol)
            hidden, states, steps, ponder = self.look(
                self.decoder, vectors, states, anything, memory
            )
            shares = self._distribution(hidden)
            log_p = ops.where(allowed, ops.log(ops.maximum(shares, LEAST)), IMPOSSIBLE)
            return log_p, {"steps": steps, "ponder": ponder}, (symbol, states)

        def advance(t, carry, symbol):
            ends = ops.logical_or(ops.equal(symbol, END), t + 1 >= most)
            return (symbol, carry[1]), ends

        begin = ops.zeros_like(most), states
        longest = output_count(self.max_outputs, ops.shape(read.real)[1])
        beam = beam_search(step, advance, begin, longest, beams)
        steps, ponder = beam.values["steps"], beam.values["ponder"]
        if before is not None:
            steps, ponder = (x[::beams, None] for x in before)
        return Translation(ops.maximum(beam.choices, 0), steps, ponder, beam.log_probability)

    def present(self, targets: Tensor) -> Tensor:
        """Which targets count: those that are symbols, the end among them."""
        return targets > PADDING

    def padding(self, outputs: Tensor, steps: Any) -> Tensor:
        """No symbol, with probability 1."""
        numbers = ops.arange(self.target_symbols, dtype="int32")
        none = ops.cast(ops.equal(numbers, PADDING), outputs.dtype)
        return ops.broadcast_to(none, (ops.shape(outputs)[0], steps, self.target_symbols))

    def compute_metrics(
        self, x: Any, y: Any, y_pred: Tensor, sample_weight: Tensor | None = None
    ) -> dict[str, Any]:
        """The compiled metrics; of a translation that was searched, its symbols are certain."""
        if ops.ndim(y_pred) == 2:
            y_pred = ops.one_hot(y_pred, self.target_symbols)
        return super().compute_metrics(x, y, y_pred, sample_weight)

    def compute_output_shape(
        self, inputs_shape: Shape, targets_shape: Shape | None = None
    ) -> Shape:
        """The shape of the probabilities, or of the symbols."""
        batch_size, n = inputs_shape
        if targets_shape is not None:
            return batch_size, targets_shape[1], self.target_symbols
        return batch_size, None if n is None else output_count(self.max_outputs, n)

    def compute_output_spec(
        self,
        inputs: Tensor,
        targets: Tensor | None = None,
        mask: Tensor | None = None,
        training: bool = False,
    ) -> keras.KerasTensor:
        """Symbolic probabilities, or symbols."""
        targets = self.given_targets(targets)
        if targets is None:
            return keras.KerasTensor(self.compute_output_shape(inputs.shape), "int32")
        shape = self.compute_output_shape(inputs.shape, targets.shape)
        return keras.KerasTensor(shape, at_least_float32(self.compute_dtype))

    def signature(self) -> keras.InputSpec:
        """Any number of symbols."""
        return keras.InputSpec(dtype="int32", shape=(None, None))

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this model again."""
        return {
            **super().get_config(),
            **self.pondering_config(),
            "source_symbols": self.source_symbols,
            "target_symbols": self.target_symbols,
            "units": self.units,
            "place": self.place,
            "dropout": self.dropout,
            "max_outputs": list(self.max_outputs),
            "beams": self.beams,
        }


class _Read(NamedTuple):
    """The encoder's outputs `(batch, n, …)`, which are real, and the states to write from."""

    memory: Any
    real: Any
    states: Any
