"""An adaptive recurrent layer that reads words and predicts the next one."""

import math

import keras
import numpy as np
from keras import ops

from .... import datasets, evaluation
from ....control import TargetPonder
from ....models import AdaptiveModel
from ..act.network import adaptive_layer

# Words whose probabilities are computed together, in evaluation.
TOGETHER = 64
# In place of the score of a drawn word that is the target itself.
NEVER = -1e9


def predictor(recipe):
    """A model from words (batch, time) to probabilities of the next one (batch, time, words).

    The matrix of the words' vectors is also that of the output. In training, the model returns the
    states that the probabilities would be computed from, which `NextWordLoss` takes; and each row
    of a batch begins with the last states of that row in the batch before.

    Args:
        recipe: a `Recipe`, whose hyperparameters have `units`, of the LSTM and of the words'
            vectors; `dropout`; `samples`, the number of words drawn for the loss of a batch; and
            those of `act.network.adaptive_layer`.
    """
    settings = recipe.hyperparameters
    classes = datasets.task(recipe.dataset).sizes(**recipe.parameters)["classes"]
    units, drop = settings["units"], settings["dropout"]
    words = TiedWords(classes, units, seed=recipe.seed, name="words")
    carried = CarriedStates(recipe.batch_size, (units, units), name="carried")
    inputs = keras.Input((None,), dtype="int32", name="inputs")
    vectors = keras.layers.Dropout(drop, name="vectors")(words(inputs))
    target = None
    if settings["target_ponder"] is not None and settings["halting"] == "act":
        # The loss of a word is a few nats, so the default gains would change τ too fast.
        target = TargetPonder(
            settings["target_ponder"],
            proportional_gain=0.1,
            integral_gain=1e-4,
            minimum=0.0,
            gain_scale=math.inf,
        )
    layer = adaptive_layer(recipe, keras.layers.LSTMCell(units), target, return_state=True)
    outputs, *states, _ = layer(vectors, initial_state=carried(vectors))
    outputs = carried(outputs, states=states)
    outputs = keras.layers.Dropout(drop, name="states")(outputs)
    return AdaptiveModel(inputs, words(outputs, reverse=True), name=recipe.name)


@keras.saving.register_keras_serializable(package="keras_adaptive")
class TiedWords(keras.layers.ReversibleEmbedding):
    """Vectors of words, and in reverse the probabilities of words from states.

    In training, the reverse leaves states as they are, for a `NextWordLoss`.

    Args:
        input_dim: the number of words.
        output_dim: the width of a vector and of a state.
        seed: of the words that `NextWordLoss` draws.
        **kwargs: of `keras.layers.ReversibleEmbedding`.

    Source: Press & Wolf (2017), arXiv:1608.05859.
    """

    def __init__(self, input_dim, output_dim, seed=0, **kwargs):
        super().__init__(input_dim, output_dim, **kwargs)
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)

    def build(self, shape=None):
        super().build(shape)
        self.bias = self.add_weight(shape=(self.input_dim,), initializer="zeros", name="bias")

    def call(self, inputs, reverse=False, training=False):
        """Vectors (…, width) of words (…); in reverse, probabilities (…, words) from states."""
        if not reverse:
            return super().call(inputs)
        if training:
            return inputs
        return ops.softmax(super().call(inputs, reverse=True) + self.bias)

    def compute_output_spec(self, inputs, reverse=False, training=False):
        return super().compute_output_spec(inputs, reverse)

    @property
    def variable_serialization_spec(self):
        """The names of the variables that files have, in their order."""
        known = super().variable_serialization_spec
        return {mode: [*names, "bias"] for mode, names in known.items()}

    def get_config(self):
        return {**super().get_config(), "seed": self.seed}

    def scores(self, states, words):
        """The scores before the softmax of some words (n,) from states (m, width): (m, n)."""
        vectors = ops.take(self.embeddings, words, axis=0)
        return ops.matmul(states, ops.transpose(vectors)) + ops.take(self.bias, words)

    def score(self, states, words):
        """The score before the softmax of one word for each state: (n,)."""
        vectors = ops.take(self.embeddings, words, axis=0)
        return ops.sum(states * vectors, axis=-1) + ops.take(self.bias, words)


@keras.saving.register_keras_serializable(package="keras_adaptive")
class CarriedStates(keras.layers.Layer):
    """States of a recurrent layer that training carries from each batch to the next.

    Called with sequences alone, it returns the states to begin with: in training the ones kept,
    otherwise zeros. Called with the last `states` too, it keeps them in training, and returns the
    sequences. Rows beyond `rows` begin with zeros.

    Args:
        rows: how many rows of a batch are carried on.
        sizes: the width of each state.
        **kwargs: of `keras.layers.Layer`.
    """

    def __init__(self, rows, sizes, **kwargs):
        super().__init__(**kwargs)
        self.rows, self.sizes = rows, tuple(sizes)

    def build(self, sequences_shape, states_shape=None):
        self.kept = [
            self.add_weight(
                shape=(self.rows, size), initializer="zeros", trainable=False, name=f"kept_{n}"
            )
            for n, size in enumerate(self.sizes)
        ]

    def call(self, sequences, states=None, training=False):
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

    def get_config(self):
        return {**super().get_config(), "rows": self.rows, "sizes": self.sizes}


class NextWordLoss:
    """The cross-entropy of the next words, summed over time, with a softmax over a sample.

    In training, the sum over all words is estimated by words drawn with replacement, frequent ones
    more often: word k of those ordered by frequency with a probability proportional to
    log((k + 2) / (k + 1)). Each counts in proportion to how rarely it is drawn. A target among the
    drawn words counts once. Of probabilities of all words, the cross-entropy is exact.

    Args:
        words: the `TiedWords` of the model.
        samples: how many words are drawn for each batch.

    Source: Jean et al. (2015), arXiv:1412.2007.
    """

    __name__ = "next_word_loss"

    def __init__(self, words, samples):
        self.words, self.samples = words, samples

    def __call__(self, targets, outputs):
        """The loss of each row (batch,), for targets (batch, time)."""
        targets = ops.cast(targets, "int32")
        if outputs.shape[-1] == self.words.input_dim:
            losses = ops.sparse_categorical_crossentropy(targets, outputs)
            return ops.sum(losses, axis=-1)
        states = ops.reshape(outputs, (-1, self.words.output_dim))
        losses = self.sampled(ops.reshape(targets, (-1,)), states)
        return ops.sum(ops.reshape(losses, ops.shape(targets)), axis=-1)

    def sampled(self, targets, states):
        """The estimated cross-entropy of each target (n,), from states (n, width)."""
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


class Probe(evaluation.Probe):
    """A model of words with its ponder, and its predictions as `NextWords`.

    Args:
        model: as `predictor` builds it.
    """

    def __init__(self, model):
        steps, remainder = evaluation.ponder_of(model.get_layer("act"))
        outputs = {
            "states": model.get_layer("states").output,
            "ponder": steps + remainder,
            "ponder_steps": steps,
        }
        super().__init__(keras.Model(model.inputs[0], outputs, name=f"{model.name}_with_ponder"))
        self.words = model.get_layer("words")

    def __call__(self, inputs):
        """What the model does at each word.

        Args:
            inputs: words (batch, time).

        Returns:
            A dict: `outputs`, `NextWords`; `ponder` and `ponder_steps`, arrays (batch, time).
        """
        answers = super().__call__(inputs)
        outputs = NextWords(answers.pop("states"), self.words)
        return {"outputs": outputs, **answers}


class NextWords:
    """The probabilities of the next words, which are too many to be kept for a long text.

    Args:
        states: (batch, time, width).
        words: the `TiedWords` of the model.
    """

    def __init__(self, states, words):
        self.shape = states.shape[:2]
        self.states = states.reshape(-1, states.shape[-1])
        self.kernel = ops.convert_to_numpy(words.embeddings).T
        self.bias = ops.convert_to_numpy(words.bias)

    def measured(self, targets):
        """What the predictions say at each place.

        Args:
            targets: the words that follow (batch, time).

        Returns:
            A dict of arrays (batch, time): `bits`, -log2 of the probability of the target;
            `entropy` in bits; `best`, the most probable word, and `confidence`, its probability.
        """
        targets, parts = targets.reshape(-1), []
        for start in range(0, len(targets), TOGETHER):
            some = slice(start, start + TOGETHER)
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
