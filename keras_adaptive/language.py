"""Parts of language models on words: tied vectors, carried states, a softmax over drawn words."""

import math
from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from keras import ops

from . import arguments
from .summed_loss import SummedLoss, sparse_cross_entropy
from .types import Tensor

# Words whose probabilities are computed together, in evaluation.
CHUNK = 64
# In place of the score of a drawn word that is the target itself.
NEVER = -1e9


@keras.saving.register_keras_serializable(package="keras_adaptive")
class TiedEmbedding(keras.layers.ReversibleEmbedding):
    """Vectors of words, and in reverse the probabilities of words from states.

    In training, the reverse leaves states as they are, for a `SampledWordLoss`.

    Args:
        input_dim: integer >= 1, the number of words, the most frequent first.
        output_dim: integer >= 1, the width of a vector and of a state.
        seed: integer, of the words that `SampledWordLoss` draws. Defaults to `0`.
        **kwargs: arguments of `keras.layers.ReversibleEmbedding`, without `tie_weights=False` and
            `logit_soft_cap`, which `SampledWordLoss` does not know.

    Call arguments:
        inputs: integers `(batch, time)`; in reverse, states `(batch, time, output_dim)`.
        reverse: boolean. Defaults to `False`.
        training: boolean.

    Returns:
        Vectors `(batch, time, output_dim)`; in reverse, probabilities `(batch, time, input_dim)`,
        and in training the states.

    Raises:
        ValueError: an argument is out of its range, or both widths are equal, by which
            `SampledWordLoss` tells states from probabilities.

    Example:

    >>> words = TiedEmbedding(100, 8)
    >>> vectors = words(np.zeros((2, 5), "int32"))
    >>> vectors.shape == (2, 5, 8), words(vectors, reverse=True).shape == (2, 5, 100)
    (True, True)

    Source: Press & Wolf (2017), arXiv:1608.05859.
    """

    def __init__(self, input_dim: int, output_dim: int, seed: int | None = 0, **kwargs: Any):
        arguments.integer("input_dim", input_dim, least=1)
        if arguments.integer("output_dim", output_dim, least=1) == input_dim:
            arguments.refuse("output_dim", output_dim, "another integer than `input_dim`")
        for name, only in (("tie_weights", True), ("logit_soft_cap", None)):
            if kwargs.get(name, only) is not only:
                arguments.refuse(name, kwargs[name], f"{only}, as the vectors are tied")
        super().__init__(input_dim, output_dim, **kwargs)
        self.seed = arguments.seed("seed", seed)
        self.seed_generator = keras.random.SeedGenerator(self.seed)
        self.supports_masking = True

    def build(self, inputs_shape: Any = None) -> None:
        """Creates the vectors and the biases."""
        super().build(inputs_shape)
        self.bias = self.add_weight(shape=(self.input_dim,), initializer="zeros", name="bias")

    def call(self, inputs: Tensor, reverse: bool = False, training: bool = False) -> Tensor:
        """Vectors of words, or probabilities from states; see the class."""
        if not reverse:
            return super().call(inputs)
        if training:
            return inputs
        return ops.softmax(super().call(inputs, reverse=True) + self.bias)

    def compute_output_spec(
        self, inputs: Any, reverse: bool = False, training: bool = False
    ) -> Any:
        """Shape and dtype of what `call` returns outside of training."""
        return super().compute_output_spec(inputs, reverse)

    def compute_mask(self, inputs: Any, mask: Tensor | None = None) -> Any:
        """The mask of the inputs; that of vectors with `mask_zero` is attached to them."""
        return mask

    @property
    def variable_serialization_spec(self) -> dict[str | None, list[str]]:
        """The names of the variables that files have, in their order."""
        known = super().variable_serialization_spec
        return {mode: [*names, "bias"] for mode, names in known.items()}

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {**super().get_config(), "seed": self.seed}

    def scores(self, states: Tensor, words: Tensor) -> Tensor:
        """The scores before the softmax of some words `(n,)` from states `(m, width)`: `(m, n)`."""
        vectors = ops.take(self.embeddings, words, axis=0)
        return ops.matmul(states, ops.transpose(vectors)) + ops.take(self.bias, words)

    def score(self, states: Tensor, words: Tensor) -> Tensor:
        """The score before the softmax of one word for each state: `(n,)`."""
        vectors = ops.take(self.embeddings, words, axis=0)
        return ops.sum(states * vectors, axis=-1) + ops.take(self.bias, words)


@keras.saving.register_keras_serializable(package="keras_adaptive")
class CarriedStates(keras.layers.Layer):
    """States of a recurrent layer that training carries from each batch to the next.

    Keras's `stateful=True` carries them in inference as well, and needs batches of one size. This
    layer is called twice: with the sequences alone it returns the states to begin with, in training
    those kept, otherwise zeros; with the last `states` too, it keeps them in training, and returns
    the sequences. Rows beyond `rows` begin with zeros.

    Args:
        rows: integer >= 1, how many rows of a batch are carried on.
        sizes: the width of each state, integers >= 1.
        **kwargs: arguments of `keras.layers.Layer`.

    Call arguments:
        sequences: `(batch, time, features)`.
        states: list of the last states `(batch, size)`. Defaults to `None`.
        training: boolean.

    Returns:
        A list of states, or the sequences.

    Example:

    >>> carried = CarriedStates(rows=2, sizes=[4])
    >>> layer = keras.layers.SimpleRNN(4, return_sequences=True, return_state=True)
    >>> sequences = np.ones((2, 3, 4), "float32")
    >>> outputs, state = layer(sequences, initial_state=carried(sequences, training=True))
    >>> outputs = carried(outputs, states=[state], training=True)
    >>> bool(np.all(carried(sequences, training=True)[0] == state))
    True
    """

    def __init__(self, rows: int, sizes: Sequence[int], **kwargs: Any):
        super().__init__(**kwargs)
        self.rows = arguments.integer("rows", rows, least=1)
        if isinstance(sizes, str) or not np.iterable(sizes):
            arguments.refuse("sizes", sizes, "integers of at least 1")
        self.sizes = [arguments.integer("sizes", size, least=1) for size in sizes]

    def build(self, sequences_shape: Any, states_shape: Any = None) -> None:
        """Creates the states that are kept."""
        self.kept = [
            self.add_weight(
                shape=(self.rows, size), initializer="zeros", trainable=False, name=f"kept_{n}"
            )
            for n, size in enumerate(self.sizes)
        ]

    def call(self, sequences: Tensor, states: Any = None, training: bool = False) -> Any:
        """The states to begin with; or the sequences, whose last states are kept."""
        if states is None:
            rows = ops.shape(sequences)[0]
            zeros = [ops.zeros((rows, size), dtype=self.compute_dtype) for size in self.sizes]
            if not training:
                return zeros
            return [
                ops.concatenate([ops.cast(kept, self.compute_dtype), more])[:rows]
                for kept, more in zip(self.kept, zeros)
            ]
        if training:
            for kept, state in zip(self.kept, states):
                state = ops.cast(ops.stop_gradient(state), kept.dtype)
                kept.assign(ops.concatenate([state, kept])[: self.rows])
        return sequences

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {**super().get_config(), "rows": self.rows, "sizes": self.sizes}


@keras.saving.register_keras_serializable(package="keras_adaptive")
class SampledWordLoss(SummedLoss):
    """The cross-entropy of the next words, summed over time, with a softmax over a sample.

    It is averaged over the batch. Words that are masked, or have a `sample_weight` of 0, do not
    count.

    In training, the sum over all words is estimated by words drawn with replacement, frequent ones
    more often: word k of those ordered by frequency with a probability proportional to
    log((k + 2) / (k + 1)). Each counts in proportion to how rarely it is drawn. A target among the
    drawn words counts once. Of probabilities of all words, the cross-entropy is exact.

    A file cannot say whose words these are: load the model with `compile=False`, and compile it.

    Args:
        words: the `TiedEmbedding` of the model, which is also its last layer.
        samples: integer >= 1, how many words are drawn for each batch.

    Call arguments:
        y_true: integers, `(batch, time)`; a last axis of 1 may follow.
        y_pred: states `(batch, time, width)`, or probabilities `(batch, time, words)`.
        sample_weight: `(batch, time)`, `(batch,)` or a scalar.

    Returns:
        A scalar.

    Example:

    >>> words = TiedEmbedding(100, 8)
    >>> states = words(np.zeros((2, 5), "int32"))
    >>> 0 < float(SampledWordLoss(words, samples=20)(np.ones((2, 5)), states)) < 40
    True

    Source: Jean et al. (2015), arXiv:1412.2007; the distribution is that of TensorFlow's
    `log_uniform_candidate_sampler`.
    """

    def __init__(self, words: TiedEmbedding, samples: int):
        super().__init__(name="sampled_word_loss")
        self.words = arguments.instance("words", words, TiedEmbedding, "a `TiedEmbedding`")
        self.samples = arguments.integer("samples", samples, least=1)

    def call(self, y_true: Tensor, y_pred: Tensor) -> Tensor:
        """The loss of each word, `(batch, time)`."""
        targets = ops.cast(arguments.targets_of(y_true, 2), "int32")
        if y_pred.shape[-1] == self.words.input_dim:
            return sparse_cross_entropy(targets, y_pred)
        states = ops.reshape(y_pred, (-1, self.words.output_dim))
        losses = self.sampled(ops.reshape(targets, (-1,)), states)
        return ops.reshape(losses, ops.shape(targets))

    def get_config(self) -> dict[str, Any]:
        """What a file has of this loss."""
        return {"samples": self.samples}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "SampledWordLoss":
        """Raises a `ValueError`, as the words are those of a model."""
        raise ValueError(
            "A SampledWordLoss cannot be loaded, as it shares the words of a model. Call "
            "`keras.models.load_model(path, compile=False)`, and compile the model with "
            f"`SampledWordLoss(words, samples={config.get('samples')})`."
        )

    def sampled(self, targets: Tensor, states: Tensor) -> Tensor:
        """The estimated cross-entropy of each target `(n,)`, from states `(n, width)`."""
        classes = self.words.input_dim
        places = keras.random.uniform((self.samples,), seed=self.words.seed_generator)
        drawn = ops.cast(ops.exp(places * math.log(classes + 1)), "int32") - 1
        drawn = ops.clip(drawn, 0, classes - 1)
        rank = ops.cast(drawn, states.dtype)
        expected = self.samples * ops.log((rank + 2) / (rank + 1)) / math.log(classes + 1)
        others = self.words.scores(states, drawn) - ops.log(expected)
        others = ops.where(ops.equal(targets[:, None], drawn[None]), NEVER, others)
        score = self.words.score(states, targets)
        scores = ops.concatenate([score[:, None], others], axis=1)
        return ops.logsumexp(scores, axis=1) - score


class NextWords:
    """The probabilities of the next words, which are too many to be kept for a long text.

    Args:
        states: `(batch, time, width)`, NumPy.
        words: the `TiedEmbedding` of the model.

    Example:

    >>> words = TiedEmbedding(100, 8)
    >>> words.build()
    >>> found = NextWords(np.zeros((1, 5, 8), "float32"), words).measured(np.ones((1, 5), int))
    >>> round(float(found["entropy"][0, 0]), 3)
    6.644
    """

    def __init__(self, states: np.ndarray, words: TiedEmbedding):
        self.shape = states.shape[:2]
        self.states = states.reshape(-1, states.shape[-1])
        self.kernel = ops.convert_to_numpy(words.embeddings).T
        self.bias = ops.convert_to_numpy(words.bias)

    def measured(self, targets: np.ndarray) -> dict[str, np.ndarray]:
        """What the predictions say at each place.

        Args:
            targets: the words that follow `(batch, time)`.

        Returns:
            A dict of arrays `(batch, time)`: `bits`, -log2 of the probability of the target;
            `entropy` in bits; `best`, the most probable word, and `confidence`, its probability.
        """
        targets = targets.reshape(-1)
        parts: list[dict[str, np.ndarray]] = []
        for start in range(0, len(targets), CHUNK):
            some = slice(start, start + CHUNK)
            scores = self.states[some] @ self.kernel + self.bias
            scores -= scores.max(axis=1, keepdims=True)
            given = np.take_along_axis(scores, targets[some, None], axis=1)[:, 0]
            shares = np.exp(scores)
            total = shares.sum(axis=1)
            mean = np.einsum("nw,nw->n", shares, scores) / total
            log_total = np.log(total)
            parts.append(
                {
                    "bits": (log_total - given) / math.log(2),
                    "entropy": (log_total - mean) / math.log(2),
                    "best": scores.argmax(axis=1),
                    "confidence": 1 / total,
                }
            )
        return {
            name: np.concatenate([part[name] for part in parts]).reshape(self.shape)
            for name in parts[0]
        }
