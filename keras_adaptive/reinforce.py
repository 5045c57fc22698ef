"""Training of networks that take decisions, by REINFORCE."""

from typing import Any, ClassVar

import keras
from keras import ops, tree

from . import arguments, backend
from .distributed import share_of
from .dtypes import at_least_float32
from .empty_batch import mean_over_rows
from .free_sizes import FreeSizes
from .freezing import KeepsFrozenLayers
from .ham import HAM, entropy, log_probability, record
from .ham.entropy_bonus import EntropyBonus, openness_of
from .ham.returns import discounted_returns, leave_one_out
from .reporting import ThreadValue
from .single_trace import SingleTrace
from .types import Tensor

_REWARDS = ("log_probability", "bits", "vector")
_BASELINES = ("learned", "leave_one_out", None)


@keras.saving.register_keras_serializable(package="keras_adaptive")
class ReinforceModel(EntropyBonus, KeepsFrozenLayers, FreeSizes, SingleTrace, keras.Model):
    """Trains a network with a `HAM` layer by REINFORCE, in a plain `fit`.

    In training the network draws its turns A, and the gradient is that of

        log p(y|A) + Σ_t (R_t − b_t) log p(A_t),     R_t = Σ_{i ≥ t} γ^(i − t) r_i

    with returns R and baselines b held constant, over accesses t: r_i is the reward of the output
    that comes after access i, 0 if there is none. With γ = 1, the reward `"log_probability"` and
    without entropy bonus the gradient's mean is that of Σ_A p(A) log p(y|A), a lower bound of
    log p(y).

    Outside of training the most probable turns are taken, and the loss is −log p(y|A).

    The loss takes bits as targets, `(batch, m, outputs)`, and weights `(batch, m)` that are zero
    where there is no target; compile without a loss. Compiled metrics get the probabilities as
    `(batch, m, outputs, 1)`, as those of this package take them; with several samples those of the
    first. The logs have, beside them, `task_loss` (−log p(y|A) of a sequence), `reward` (mean over
    outputs), `baseline_error` (mean square over accesses), `entropy` (of a turn, in nats) and
    `log_probability` (log p(A) of a sequence).

    Args:
        network: a Keras model or layer that has one `HAM` layer, whose outputs are its own.
        reward: `"log_probability"` of the output vector, `"bits"` (share of its bits that are
            right), `"vector"` (1 if all are right), or a dict from these to their weights. Defaults
            to `"log_probability"`.
        discount: γ in [0, 1]. Defaults to `1.0`.
        baseline: `"learned"`, a linear map of what SEARCH was asked with, trained by the mean
            square error, which passes no gradient on; `"leave_one_out"`, the mean return of the
            other samples of the example at the same access; or `None`. Defaults to `"learned"`.
        samples: integer >= 1, runs drawn for each example. Defaults to `1`.
        policy_weight: float >= 0, by which the term of log p(A) is multiplied. Defaults to `1.0`.
        entropy_bonus: float >= 0, α at the start: α / H(p) is added to the loss for each turn.
            Defaults to `0.0`.
        entropy_decay: float in (0, 1], by which α is multiplied after each training step. Defaults
            to `1.0`.
        entropy_penalty: float >= 0, β: β H(p) is added to the loss for each turn, which settles
            those that make no difference. With both, H tends to √(α/β) where nothing else moves
            it. Defaults to `0.0`.
        per_target: whether to divide the loss of each batch by the number of output vectors with a
            target instead of by the number of sequences. Defaults to `False`.
        **kwargs: of `keras.Model`.

    Raises:
        ValueError: an argument out of its range, a network without a `HAM` layer or with several,
            targets of another shape than the outputs, or, in eager calls, that are not bits.

    Example: clipping at 5 and a learning rate that decays are the optimizer's.

    >>> rate = keras.optimizers.schedules.ExponentialDecay(1e-3, 1000, 0.9)
    >>> network = keras_adaptive.layers.HAM(2, keras.layers.LSTMCell(8))
    >>> model = ReinforceModel(network, discount=0.9, reward="bits", entropy_bonus=3e-3)
    >>> model.compile(keras.optimizers.Adam(rate, global_clipnorm=5.0))
    >>> x, y = np.ones((4, 2, 5)), np.ones((4, 2, 2))
    >>> sorted(model.fit(x, y, verbose=0).history)
    ['baseline_error', 'entropy', 'log_probability', 'loss', 'reward', 'task_loss']

    Differences from the paper: α / (H + 0.001) instead of α / H; the share of right bits instead of
    their number (see `policy_weight`); the baseline uses h_LSTM before the access, because a
    baseline that depends on the decision would bias the gradient; accesses after the last output
    with a target have no entropy bonus.

    Source: Andrychowicz & Kurach (2016), arXiv:1602.03218, section 3.3; Williams, "Simple
    statistical gradient-following algorithms for connectionist reinforcement learning" (1992).
    """

    serialized: ClassVar[tuple[str, ...]] = ("network",)

    def __init__(
        self,
        network: keras.layers.Layer,
        reward: str | dict[str, float] = "log_probability",
        discount: float = 1.0,
        baseline: str | None = "learned",
        samples: int = 1,
        policy_weight: float = 1.0,
        entropy_bonus: float = 0.0,
        entropy_decay: float = 1.0,
        entropy_penalty: float = 0.0,
        per_target: bool = False,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.network = network
        self.ham = _the_ham(network)
        self.reward = reward
        self.reward_weights = _reward_weights(reward)
        self.discount = arguments.number("discount", discount, least=0, most=1)
        self.baseline = arguments.choice("baseline", baseline, _BASELINES)
        self.samples = arguments.integer("samples", samples, least=1)
        if baseline == "leave_one_out" and samples < 2:
            raise ValueError(
                'Argument `samples` must be at least 2 for baseline="leave_one_out". '
                f"Received: samples={samples!r}"
            )
        self.policy_weight = arguments.number("policy_weight", policy_weight, least=0)
        self.entropy_penalty = arguments.number("entropy_penalty", entropy_penalty, least=0)
        self.per_target = arguments.boolean("per_target", per_target)
        self.supports_masking = True
        self._check_entropy_bonus(entropy_bonus, entropy_decay)
        self._add_entropy_bonus()
        if baseline == "learned":
            dtype = at_least_float32(self.ham.compute_dtype)
            self.baseline_layer = keras.layers.Dense(1, dtype=dtype, name="baseline")
        names: tuple[str, ...] = ("task_loss", "reward", "entropy", "log_probability")
        names += ("baseline_error",) if baseline else ()
        self._trackers = {name: keras.metrics.Mean(name=name) for name in names}
        # Of the last call, in the same trace: outputs, mask, entries and samples.
        self._last_call = ThreadValue((None, None, (), 1))

    def build(self, inputs_shape: Any = None) -> None:
        """Creates the weights of the network and of the baseline.

        Args:
            inputs_shape: may be None if the network has its weights already.
        """
        if not self.network.built:
            self.network.build(inputs_shape)
        if self.baseline == "learned":
            self.baseline_layer.build((None, None, self.ham.query_width))
        self.freeze_parts()

    def _build_for_any_inputs(self):
        if self.network.built:
            self.build()

    def signature(self) -> Any:
        """What the network leaves free; of a network that is a layer, any number of vectors."""
        if not self.network.built:
            return None
        if not self.built:
            self.build()
        if self.network is self.ham:
            inputs = keras.Input((None, self.ham.input_width), dtype=self.ham.compute_dtype)
        elif isinstance(self.network, keras.Sequential):
            inputs = self.network.inputs[0]
        else:
            # A subclass without symbolic inputs has a signature of its own.
            inputs = getattr(self.network, "input", None)
        return None if inputs is None else tree.map_structure(_any_batch, inputs)

    def call(self, inputs: Any, training: bool = False) -> Any:
        """The network's outputs; in training those of the first sample."""
        samples = self.samples if training else 1
        if samples > 1:
            inputs = tree.map_structure(lambda x: ops.repeat(x, samples, axis=0), inputs)
        with record() as entries:
            outputs = self.network(inputs, training=training)
        mask = entries[0].mask if entries else None
        self._last_call.value = (outputs, mask, entries, samples)
        return outputs[::samples] if samples > 1 else outputs

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Tensor | None = None,
        sample_weight: Tensor | None = None,
        training: bool = True,
    ) -> Tensor:
        """The sum that is minimised; updates the metrics that say what it is made of."""
        outputs, mask, entries, samples = self._last_call.value
        if self.loss is not None:
            arguments.refuse("loss", self.loss, "None, as a ReinforceModel has its own loss")
        y = ops.convert_to_tensor(arguments.targets("y", y))
        _check_shape(y, y_pred)
        weights = _weights(y, sample_weight, None if mask is None else mask[::samples])
        weights = ops.cast(weights, outputs.dtype)
        _check_bits(y, weights)
        y = ops.cast(y, outputs.dtype)
        if samples > 1:
            y, weights = ops.repeat(y, samples, axis=0), ops.repeat(weights, samples, axis=0)
        rows, values = self.row_losses(outputs, entries[0], y, weights, samples)
        for name, tracker in self._trackers.items():
            value, weight = values[name]
            weight = ops.shape(y_pred)[0] if weight is None else ops.stop_gradient(weight)
            tracker.update_state(ops.stop_gradient(value), weight)
        total = rows["task"]
        if training:
            total = total + self.policy_weight * rows["policy"]
            if self.baseline == "learned":
                total = total + rows["baseline"]
            bonus = ops.cast(self._bonus_of_this_step(), total.dtype)
            total = total + bonus * rows["openness"]
            total = total + self.entropy_penalty * rows["entropy"]
        loss = mean_over_rows(total)
        if self.per_target:
            targets = ops.sum(ops.cast(weights > 0, outputs.dtype))
            loss = ops.sum(total) / ops.maximum(targets, 1.0)
        return share_of(loss + sum(ops.cast(x, loss.dtype) for x in self.losses))

    def row_losses(
        self, outputs: Tensor, entry: Any, y: Tensor, weights: Tensor, samples: int = 1
    ) -> tuple[dict[str, Tensor], dict[str, tuple[Tensor, Tensor]]]:
        """The parts of the loss for each row.

        Args:
            outputs: probabilities, `(rows, m, outputs)`, with the `samples` of an example in
                consecutive rows.
            entry: what the `HAM` layer reported, see `ham.record`.
            y: bits, as floats of the shape of `outputs`.
            weights: `(rows, m)`.
            samples: integer >= 1.

        Returns:
            A dict of `(rows,)`: `task` −log p(y|A), `policy` −Σ (R − b) log p(A), `baseline`
            Σ (R − b)², `openness` Σ 1/H, `entropy` Σ H; and a dict for the metrics, of pairs of
            a value and its weight.
        """
        log_p_bits = -ops.binary_crossentropy(y, outputs)
        right = ops.cast(ops.equal(outputs > 0.5, y > 0.5), outputs.dtype)
        log_p = ops.sum(log_p_bits, axis=-1)
        kinds = {
            "log_probability": log_p,
            "bits": ops.mean(right, axis=-1),
            "vector": ops.min(right, axis=-1),
        }
        reward = sum(weight * kinds[kind] for kind, weight in self.reward_weights.items())
        reward = ops.stop_gradient(reward * weights)
        present = ops.cast(weights > 0, outputs.dtype)
        eta = self.ham.accesses_per_output
        returns = discounted_returns(reward, self.discount, eta)
        counts = ops.cast(discounted_returns(present, 1.0, eta) > 0, outputs.dtype)
        log_p_path = ops.sum(log_probability(entry.path, entry.right_probability), axis=-1)
        guess = ops.zeros_like(returns)
        if self.baseline == "learned":
            guess = self.baseline_layer(ops.stop_gradient(entry.query))[..., 0]
        elif samples > 1 and self.baseline == "leave_one_out":
            guess = leave_one_out(returns, samples)
        guess = ops.cast(guess, returns.dtype)
        advantage = ops.stop_gradient(returns - guess) * counts
        error = counts * (guess - returns) ** 2
        h = entropy(entry.right_probability)
        rows = {
            "task": -ops.sum(log_p * weights, axis=1),
            "policy": -ops.sum(advantage * log_p_path, axis=1),
            "baseline": ops.sum(error, axis=1),
            "openness": ops.sum(counts * ops.sum(openness_of(h), axis=-1), axis=1),
            "entropy": ops.sum(counts * ops.sum(h, axis=-1), axis=1),
        }
        targets, accesses = ops.sum(present), ops.sum(counts)
        values = {
            "task_loss": (mean_over_rows(rows["task"]), None),
            "reward": (ops.sum(reward) / ops.maximum(targets, 1.0), targets),
            "entropy": (
                ops.sum(counts * ops.mean(h, axis=-1)) / ops.maximum(accesses, 1.0),
                accesses,
            ),
            "log_probability": (mean_over_rows(ops.sum(counts * log_p_path, axis=1)), None),
            "baseline_error": (ops.sum(error) / ops.maximum(accesses, 1.0), accesses),
        }
        return rows, values

    def compute_metrics(
        self, x: Any, y: Any, y_pred: Tensor, sample_weight: Tensor | None = None
    ) -> dict[str, Any]:
        """The compiled metrics, on probabilities with an axis more."""
        _, mask, _, samples = self._last_call.value
        if mask is not None:
            sample_weight = _weights(y, sample_weight, mask[::samples])
        return super().compute_metrics(x, y, y_pred[..., None], sample_weight)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this model again; α as it was at first."""
        return {
            **super().get_config(),
            "network": keras.saving.serialize_keras_object(self.network),
            "reward": self.reward,
            "discount": self.discount,
            "baseline": self.baseline,
            "samples": self.samples,
            "policy_weight": self.policy_weight,
            "entropy_bonus": self.initial_entropy_bonus,
            "entropy_decay": self.initial_entropy_decay,
            "entropy_penalty": self.entropy_penalty,
            "per_target": self.per_target,
        }


def _weights(y, sample_weight, mask):
    """Weights of all output vectors, `(batch, m)`."""
    weights = ops.ones_like(y[..., 0], dtype="float32")
    for part in (sample_weight, mask):
        if part is not None:
            part = ops.cast(part, "float32")
            weights = weights * (part[:, None] if ops.ndim(part) == 1 else part)
    return weights


def _the_ham(network):
    layers = network._flatten_layers() if isinstance(network, keras.layers.Layer) else ()
    memories = [layer for layer in layers if isinstance(layer, HAM)]
    if len(memories) != 1:
        raise ValueError(
            "Argument `network` must be a Keras model or layer with one HAM layer. "
            f"Received: network={network!r}, with {len(memories)}"
        )
    return memories[0]


def _reward_weights(reward):
    weights = {reward: 1.0} if isinstance(reward, str) else reward
    if not isinstance(weights, dict) or not weights or not set(weights) <= set(_REWARDS):
        arguments.refuse(
            "reward", reward, f"one of {_REWARDS}, or a dict from these to their weights"
        )
    return {kind: arguments.number("reward", weight) for kind, weight in weights.items()}


def _check_shape(y, outputs):
    pairs = zip(y.shape, outputs.shape)
    if len(y.shape) != 3 or any(None not in pair and pair[0] != pair[1] for pair in pairs):
        raise ValueError(
            f"Targets must be bits of the shape of the outputs, {tuple(outputs.shape)}. "
            f"Received: shape={tuple(y.shape)}"
        )


def _check_bits(y, weights):
    values, weights = backend.concrete(y), backend.concrete(weights)
    if values is None or weights is None:  # A graph is being traced.
        return
    wrong = values[(values != 0) & (values != 1) & (weights > 0)[..., None]]
    if wrong.size:
        raise ValueError(f"Targets must be bits, 0 or 1. Received: {wrong[0]}")


def _any_batch(x):
    return keras.InputSpec(dtype=x.dtype, shape=(None, *x.shape[1:]))
