"""Halting rules: pure functions that weigh the steps of a loop and say when it stops.

A rule is any object with

* `max_ponder`, the largest number of steps it ever allows (an integer),
* `start(batch_size, dtype)`, the rule's own memory before the first step, a tensor or a nest of
  tensors whose first axis is the batch,
* `__call__(step, halting, memory)`, which returns a `Decision`,
* `has_ponder_cost`, whether the loss has a penalty for its steps,
* `has_limits`, whether `limits` hold for it (not, if it is missing): it asks `is_last(self, step)`,
* `drawn(chance)`, the rule with numbers in [0, 1) that were drawn already, and
  `draw(shape, training, seed)`, which draws them for `ACTRNN` before its loop (neither, if nothing
  is left to chance),
* `supports_tensor_step`, whether `step` may be a tensor from the first step on, and `start` be
  called at every step (not, if it is missing): with such a rule `ACTRNN` trains faster on
  TensorFlow, by one loop over all steps of all time steps,
* `get_config()`, if layers with this rule are saved.

It knows no cell, no layer and no time axis.
"""

from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Self

import keras
from keras import ops

from .. import arguments, backend
from ..types import Rule, Tensor
from .context import current, override, time_is_up
from .max_ponder import HasMaxPonder


class Decision(NamedTuple):
    """What a rule says about one step, for each row of the batch.

    Attributes:
        weight: `(batch,)`, the share p of this step in the weighted result.
        remainder: `(batch,)`, what this step adds to the remainder R.
        halts: boolean `(batch,)`, whether this step is the row's last.
        memory: the rule's memory for the next step.
    """

    weight: Any
    remainder: Any
    halts: Any
    memory: Any


@keras.saving.register_keras_serializable(package="keras_adaptive")
class ACT(HasMaxPonder):
    """The halting rule of Adaptive Computation Time.

    A row halts at the first step `N` at which its halting activations sum up to `1 - epsilon`, or
    at step `max_ponder`. The weight of every step before `N` is its activation; the weight of
    step `N` is the remainder `R = 1 - sum of the activations before N`, also if `max_ponder`
    stopped the row, so the weights always sum to one. `N` is a constant for the gradient, which
    flows through `R`.

    Args:
        max_ponder: integer >= 1, the paper's M, the largest number of steps. Defaults to `100`.
        epsilon: float in [0, 1), what may be missing from 1 when a row halts; it lets a row halt
            after a single step. Defaults to `0.01`.

    Raises:
        ValueError: if `max_ponder` or `epsilon` is out of its range.

    Example:

    >>> rule = ACT(max_ponder=20)
    >>> memory = rule.start(1, "float32")
    >>> rule(1, ops.convert_to_tensor([0.995]), memory).halts.numpy().tolist()
    [True]

    Source: Graves, "Adaptive Computation Time for Recurrent Neural Networks" (2016),
    arXiv:1603.08983, Equations 6-8 and 13; gradient: Equations 14-20.
    """

    has_ponder_cost = True
    has_limits = True
    supports_tensor_step = True

    def __init__(self, max_ponder: int = 100, epsilon: float = 0.01):
        self.max_ponder = max_ponder
        self.epsilon = epsilon

    @property
    def epsilon(self) -> float:
        """How much halting mass may be missing from 1 at the last step."""
        return self._epsilon

    @epsilon.setter
    def epsilon(self, value: float) -> None:
        self._epsilon = arguments.number("epsilon", value, least=0, below=1)

    def start(self, batch_size: Tensor, dtype: str) -> Tensor:
        """The mass of halting activations spent so far, zero at first: `(batch,)`."""
        return ops.zeros((batch_size,), dtype)

    def __call__(self, step: Tensor, halting: Tensor | None, memory: Any) -> Decision:
        """Weighs step number `step` (from 1) with activations `halting`, `(batch,)`."""
        return self._weighed(step, halting, memory)

    def _weighed(self, step, halting, memory, stopped=None):
        """The decision on a step; rows that are `stopped`, `(batch,)`, halt in any case."""
        if halting is None:
            raise ValueError(
                f"Argument `step` must return halting activations for the rule "
                f"`{type(self).__name__}`. Received: halting=None"
            )
        here = current().epsilon
        epsilon = self.epsilon if here is None else here
        spent = memory + halting
        halts = ops.logical_or(
            ops.greater_equal(spent, ops.cast(1.0 - epsilon, spent.dtype)),
            ops.broadcast_to(is_last(self, step), ops.shape(spent)),
        )
        if stopped is not None:
            halts = ops.logical_or(halts, stopped)
        left = 1.0 - memory
        weight = ops.where(halts, left, halting)
        remainder = ops.where(halts, left, ops.zeros_like(left))
        return Decision(weight, remainder, halts, ops.where(halts, memory, spent))

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this rule again."""
        return {"max_ponder": self.max_ponder, "epsilon": self.epsilon}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A rule from `get_config`."""
        return cls(**config)


@keras.saving.register_keras_serializable(package="keras_adaptive")
class Fixed(HasMaxPonder):
    """Every row takes the same number of steps, and the result is that of the last step.

    The baseline of ACT ("Repeat-RNN" in later work): no halting activations are used, there is no
    remainder and no ponder cost.

    Args:
        steps: integer >= 1, the number of steps.

    Raises:
        ValueError: if `steps` is not a positive integer.

    Example:

    >>> Fixed(3).max_ponder
    3
    """

    has_ponder_cost = False
    supports_tensor_step = True

    def __init__(self, steps: int):
        self.max_ponder = arguments.integer("steps", steps, least=1)

    def start(self, batch_size: Tensor, dtype: str) -> Tensor:
        """Nothing to remember but the batch: zeros `(batch,)`."""
        return ops.zeros((batch_size,), dtype)

    def __call__(self, step: Tensor, halting: Tensor | None, memory: Any) -> Decision:
        """Weighs step number `step` (from 1); `halting` is ignored."""
        halts = ops.broadcast_to(ops.greater_equal(step, self.max_ponder), ops.shape(memory))
        return Decision(ops.cast(halts, memory.dtype), ops.zeros_like(memory), halts, memory)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this rule again."""
        return {"steps": self.max_ponder}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A rule from `get_config`."""
        return cls(**config)


@keras.saving.register_keras_serializable(package="keras_adaptive")
class Sampled(HasMaxPonder):
    """Each row halts at a sampled step, and the result is that of this step.

    The halting activation is the probability to halt at this step, if the row has not halted
    before: `p_n = h_n Π (1 - h_i)` over the steps i < n. One number for each row, drawn before the
    first step, decides. In training `ACTRNN` draws one for each input; in inference it draws none,
    and a row halts at the median, the first step by which it has halted with probability 1/2.
    Elsewhere the rule always draws, by itself.

    A draw has no gradient. The gradient of the weights is taken to be that of the probabilities, of
    which the last step has what is left (a "straight-through" estimate, which is biased), and the
    remainder R is 0 with the gradient of the expected number of steps, as far as they were taken.

    Args:
        max_ponder: integer >= 1, the largest number of steps; `limits` can override it. Defaults
            to `100`.
        seed: integer or `None`, of what is drawn. Defaults to `None`.

    Raises:
        ValueError: if `max_ponder` is not a positive integer.

    Example:

    >>> layer = keras_adaptive.layers.ACTRNN(
    ...     keras.layers.SimpleRNNCell(4), halting=Sampled(20, seed=1), return_ponder=True
    ... )
    >>> _, ponder = layer(np.ones((1, 100, 2), "float32"), training=True)
    >>> len(np.unique(ponder["steps"])) > 1
    True

    Source: Graves (2016), arXiv:1603.08983, section 2 (after Equation 8) and footnote 1. The paper
    says neither how to train such a network nor that it did; the gradient is ours.
    """

    has_ponder_cost = True
    has_limits = True
    supports_tensor_step = True

    def __init__(self, max_ponder: int = 100, seed: int | None = None):
        self.max_ponder = max_ponder
        self.seed = arguments.seed("seed", seed)
        self._chance = None

    def draw(self, shape: Tensor, training: bool, seed: Any) -> Tensor:
        """Numbers from [0, 1) in training, 1/2 in inference, of `shape`."""
        return keras.random.uniform(shape, seed=seed) if training else ops.full(shape, 0.5)

    def drawn(self, chance: Tensor) -> "Sampled":
        """This rule with numbers from [0, 1) that were drawn already, `(batch,)`."""
        rule = Sampled(self.max_ponder, self.seed)
        rule._chance = chance
        return rule

    def start(self, batch_size: Tensor, dtype: str) -> dict[str, Tensor]:
        """The number that decides, and the probability of not having halted, each `(batch,)`."""
        chance = self._chance
        if chance is None:
            chance = keras.random.uniform((batch_size,), seed=self.seed)
        return {"chance": ops.cast(chance, dtype), "left": ops.ones((batch_size,), dtype)}

    def __call__(self, step: Tensor, halting: Tensor, memory: Any) -> Decision:
        """Weighs step number `step` (from 1) with activations `halting`, `(batch,)`."""
        left = memory["left"]
        after = left * (1.0 - halting)
        halts = ops.logical_or(
            ops.less_equal(after, memory["chance"]),
            ops.broadcast_to(is_last(self, step), ops.shape(left)),
        )
        share = ops.where(halts, left, left * halting)
        weight = share + ops.stop_gradient(ops.cast(halts, share.dtype) - share)
        remainder = left - ops.stop_gradient(left)
        return Decision(weight, remainder, halts, {"chance": memory["chance"], "left": after})

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this rule again."""
        return {"max_ponder": self.max_ponder, "seed": self.seed}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A rule from `get_config`."""
        return cls(**config)


def rule_named(halting: str | Rule, max_ponder: int, epsilon: float, steps: Any) -> Any:
    """The rule that the arguments of a layer describe.

    Args:
        halting: `"act"`, `"fixed"`, `"sampled"`, or a rule, which has limits of its own.
        max_ponder, epsilon: of `ACT`; `max_ponder` also of `Sampled`.
        steps: of `Fixed`.

    Returns:
        A rule.

    Raises:
        ValueError: an argument has another value, or `steps` is given to another rule than `Fixed`.
    """
    act = ACT(max_ponder, epsilon)  # Checks what the other rules do not read too.
    if halting == "fixed":
        return Fixed(steps)
    if steps is not None:
        arguments.refuse("steps", steps, 'None, as it goes with `halting="fixed"` alone')
    if halting == "act":
        return act
    return Sampled(max_ponder) if halting == "sampled" else checked_rule("halting", halting)


def checked_rule(name: str, rule: Any) -> Rule:
    """The rule, if it is one."""
    parts = ("max_ponder", "has_ponder_cost", "start", "__call__")
    if isinstance(rule, type) or not all(hasattr(rule, part) for part in parts):
        arguments.refuse(
            name,
            rule,
            '"act", "fixed", "sampled" (of a layer), or a rule object with `max_ponder`, '
            "`has_ponder_cost`, `start` and `__call__`",
        )
    return rule


def last_step(rule: Rule) -> Any:
    """The largest number of steps that `rule` allows in this context; a tensor if a limit is."""
    here = current().max_ponder
    return here if here is not None and getattr(rule, "has_limits", False) else rule.max_ponder


def is_last(rule: Rule, step: Tensor) -> Tensor:
    """Whether a step is the last that a rule may take: its own limit, or one of `limits`.

    A rule of your own asks this in `__call__`, and has the attribute `has_limits = True`.

    Args:
        rule: the rule.
        step: the number of the step, from 1: integer or integer tensor.

    Returns:
        A boolean tensor, scalar or `(batch,)`.

    Example:

    >>> bool(is_last(ACT(max_ponder=3), 3))
    True
    """
    last = ops.greater_equal(step, last_step(rule))
    if time_is_up.value is not None and getattr(rule, "has_limits", False):
        last = ops.logical_or(last, time_is_up.value)
    return last


def limits(
    max_ponder: int | Tensor | None = None,
    epsilon: float | Tensor | None = None,
    seconds: float | Tensor | None = None,
) -> AbstractContextManager[None]:
    """Overrides the limits of all rules that are called inside the context.

    Of the rules of this package, `ACT` and `AnytimeACT` have all limits, `Converged` and `Sampled`
    have `max_ponder` and `seconds`.

    This is anytime inference: a trained model answers with less (or more) thought than it was
    trained with. It holds for whatever this thread calls inside: a layer, `predict`, `evaluate`,
    `fit`, a function that TensorFlow or JAX has traced before. Such a function is traced again
    once for each pair of limits, and outside it is what it was. What cannot be traced again keeps
    its limits: a `ConcreteFunction` of TensorFlow, an executable that JAX compiled ahead of time,
    a loaded SavedModel (whose endpoint takes them as inputs, see `export.add_endpoints`).

    Args:
        max_ponder: integer >= 1 or scalar integer tensor, for instance an input of a serving
            signature; `None` keeps each rule's own.
        epsilon: float in [0, 1) or scalar tensor; `None` keeps each rule's own.
        seconds: float above 0 or scalar tensor, the time limit of each call of a layer. Its loop
            checks the clock at every step; the step in which the time ends is the last. Every input
            of a sequence gets an equal share of the remaining time, and at least one step. The time
            of the rest of the model is not limited, and each layer has its own limit. It is an
            error where XLA compiles the model on TensorFlow, and in training on JAX. `None` sets no
            limit.

    Returns:
        A context manager.

    Raises:
        ValueError: a number is out of its range. A model that XLA compiles on TensorFlow raises it
            with `seconds`; compile it with `jit_compile=False`. A gradient on JAX does, too.

    Example:

    >>> inputs = keras.Input((1, 2))
    >>> layer = keras_adaptive.layers.ACTRNN(keras.layers.SimpleRNNCell(4), return_ponder=True)
    >>> model = keras.Model(inputs, layer(inputs)[1]["steps"])
    >>> with limits(max_ponder=1):
    ...     float(model.predict(np.ones((1, 1, 2)), verbose=0)[0, 0])
    1.0
    """
    values = {
        "max_ponder": _checked(max_ponder, lambda x: arguments.integer("max_ponder", x, least=1)),
        "epsilon": _checked(epsilon, lambda x: arguments.number("epsilon", x, least=0, below=1)),
        "seconds": _checked(seconds, lambda x: arguments.number("seconds", x, above=0)),
    }
    return override(**{name: value for name, value in values.items() if value is not None})


def _checked(value, check):
    """The value, checked unless it is known only when a function runs."""
    known = _number(value)
    return value if known is None else check(known)


def _number(value):
    """A scalar as a Python number, or None if it is known only when a function runs."""
    if not ops.is_tensor(value):
        return value
    known = backend.concrete(value)
    return None if known is None else known.item()
