"""The sequence-to-sequence LSTM, with or without attention."""

from typing import Any

import keras
from keras import layers, ops

from .. import arguments
from ..attention import BahdanauAttention
from ..types import Shape, Tensor
from .alphabets import Alphabet
from .generator import SequenceGenerator


@keras.saving.register_keras_serializable(package="keras_adaptive")
class Seq2SeqLSTM(SequenceGenerator):
    """An encoder and a decoder of stacked LSTMs; with attention the papers' "LSTM+A".

    The encoder's LSTMs read the input; the decoder's begin with their last states. With attention,
    the output d of the decoder's topmost LSTM is the query of `BahdanauAttention` over the outputs
    of the encoder's topmost one; the result d' is concatenated with d for the output layer, and
    with the element that is fed back for the next step.

    How it trains, generates, evaluates and exports: see `SequenceGenerator`.

    Args:
        source: `Symbols` or `Vectors`, the kind of inputs.
        target: `Symbols` or `Vectors`, the kind of outputs.
        units: integer >= 1, the size of each LSTM, of embeddings and of attention. Defaults to
            `64`.
        num_layers: integer >= 1, number of LSTMs in the encoder, and in the decoder. Defaults to
            `3`.
        attention: whether the decoder attends to the encoder's outputs. Defaults to `True`.
        dropout: float in [0, 1), rate at the inputs of all LSTMs in training, the same at all time
            steps of a row. Defaults to `0.0`.
        max_outputs: as in `SequenceGenerator`. Defaults to `(1, 0)`.
        reverse_inputs: as in `SequenceGenerator`. Defaults to `False`.
        **kwargs: arguments of `keras.Model`: `name`, `dtype`.

    Call arguments:
        inputs: sequences of `source`.
        targets: sequences of `target` to feed back; optional.
        mask: boolean `(batch, time)`, in addition to the padding of `source`.
        training: boolean.

    Returns:
        Probabilities, `(batch, steps, target.width)`.

    Raises:
        ValueError: if an argument is out of its range.

    Example: reads five different symbols, and generates 1 and 2 until it generates 0.

    >>> model = Seq2SeqLSTM(Symbols(5), Symbols(3), units=8, num_layers=1)
    >>> model.compile("adam", "sparse_categorical_crossentropy")
    >>> x, y = np.array([[1, 2, 1], [2, 1, -1]]), np.array([[1, 2, 0], [2, 0, 0]])
    >>> sorted(model.fit(x, y, verbose=0).history)
    ['loss']
    >>> model.predict(x, verbose=0).shape
    (2, 3, 3)

    Differences from the paper: Kaiser & Sutskever (2016) give the number of layers and units and
    refer to Vinyals, Kaiser et al. for all else, who feed d and d' back as a new hidden state; here
    it is d' that is fed back, at the input, as in their published code.

    Source: Vinyals, Kaiser et al., "Grammar as a Foreign Language" (2015), arXiv:1412.7449, section
    2.1; Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.1; without attention Sutskever,
    Vinyals & Le, "Sequence to Sequence Learning with Neural Networks" (2014), arXiv:1409.3215.
    """

    def __init__(
        self,
        source: Alphabet,
        target: Alphabet,
        units: int = 64,
        num_layers: int = 3,
        attention: bool = True,
        dropout: float = 0.0,
        max_outputs: tuple[float, int] = (1, 0),
        reverse_inputs: bool = False,
        **kwargs: Any,
    ):
        super().__init__(source, target, max_outputs, reverse_inputs, **kwargs)
        self.units = arguments.integer("units", units, least=1)
        self.num_layers = arguments.integer("num_layers", num_layers, least=1)
        self.attention = arguments.boolean("attention", attention)
        self.dropout = arguments.number("dropout", dropout, least=0, below=1)

    def build(self, inputs_shape: Shape | None = None, targets_shape: Shape | None = None) -> None:
        """Creates all layers; their sizes do not depend on the inputs."""
        settings = {"dtype": self.dtype_policy}
        self.source_embedding = self._embedding("source_embedding", self.source.width)
        self.target_embedding = self._embedding("target_embedding", self.target.width + 1)
        self.encoder, self.decoder = [], []
        for i in range(self.num_layers):
            encoder = layers.LSTM(
                self.units,
                dropout=self.dropout,
                return_sequences=True,
                return_state=True,
                name=f"encoder_{i}",
                **settings,
            )
            encoder.build((None, None, self.units))
            self.encoder.append(encoder)
            cell = layers.LSTMCell(
                self.units, dropout=self.dropout, name=f"decoder_{i}", **settings
            )
            cell.build((None, self._decoder_inputs(i)))
            self.decoder.append(cell)
        if self.attention:
            self.reader = BahdanauAttention(self.units, name="reader", **settings)
            self.reader.build((None, self.units), (None, None, self.units))
        self.build_head(self.units * (2 if self.attention else 1))

    def _embedding(self, name, width):
        layer = layers.Dense(self.units, use_bias=False, name=name, dtype=self.dtype_policy)
        layer.build((None, None, width))
        return layer

    def _decoder_inputs(self, i):
        return self.units * (2 if self.attention and i == 0 else 1)

    def encode(
        self, vectors: Tensor, present: Tensor, steps: Tensor, training: bool
    ) -> tuple[Any, Any]:
        """Runs the encoder; returns the decoder's first state and the last result of attention."""
        hidden = self.source_embedding(vectors)
        cells = []
        for layer in self.encoder:
            hidden, *state = layer(hidden, mask=present, training=training)
            cells.append(state)
        batch_size = ops.shape(vectors)[0]
        # Drawn before the loop, as in Keras's own recurrent layers.
        for i, cell in enumerate(self.decoder):
            cell.reset_dropout_mask()
            cell.get_dropout_mask(ops.ones((batch_size, self._decoder_inputs(i)), hidden.dtype))
        if not self.attention:
            return [cells], ()
        return [cells, ops.zeros_like(hidden[:, 0])], (hidden, self.reader.keys(hidden), present)

    def decode(
        self, vectors: Tensor, state: Any, memory: Any, training: bool
    ) -> tuple[Tensor, Any]:
        """One step of the decoder's LSTMs and one read."""
        cells, *read = state
        hidden = ops.concatenate([self.target_embedding(vectors), *read], axis=-1)
        new = []
        for cell, old in zip(self.decoder, cells):
            hidden, states = cell(hidden, old, training=training)
            new.append(list(states))
        if not self.attention:
            return hidden, [new]
        outputs, keys, present = memory
        read, _ = self.reader(hidden, outputs, keys, mask=present)
        return ops.concatenate([hidden, read], axis=-1), [new, read]

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this model again."""
        return {
            **super().get_config(),
            "units": self.units,
            "num_layers": self.num_layers,
            "attention": self.attention,
            "dropout": self.dropout,
        }
