"""Optimizers that made Neural GPUs learn: noise on gradients, and AdaMax with relative clipping."""

from collections.abc import Sequence
from numbers import Real
from typing import Any, Self

import keras
from keras import ops

from . import arguments
from .types import Tensor

DISTRIBUTIONS = ("normal", "truncated_normal")


@keras.saving.register_keras_serializable(package="keras_adaptive")
class RelativeClipAdamax(keras.optimizers.Optimizer):
    """AdaMax that clips each coordinate of the gradient to what that coordinate has been like.

    With u the running maximum of a coordinate's gradient g, m its running mean, and the step t
    counted from 0, an update is

        β₂ = 1 - max(1 - beta_2, (1 - beta_2_start) * 0.5 ** (t / beta_2_half_life))
        g = clip(g, -(clip_factor * u + clip_offset), clip_factor * u + clip_offset)
        m = beta_1 * m + (1 - beta_1) * g
        u = max(β₂ * u, |g|)
        w = w - learning_rate * m / (u + epsilon)

    Differences from `keras.optimizers.Adamax`: the clipping, the β₂ that grows, and m is not
    corrected for its start at zero.

    Args:
        learning_rate: float, schedule or callable. Defaults to `0.01` (in the source, 0.01 · 48 /
            maps).
        beta_1: float in [0, 1), decay of m. Defaults to `0.9`.
        beta_2: float in [0, 1], decay of u in the long run. Defaults to `0.9995`.
        beta_2_start: float in [0, 1], decay of u at the first step. Defaults to `0.99`.
        beta_2_half_life: float > 0, steps in which `1 - β₂` halves. Defaults to `2000`.
        epsilon: float >= 0, keeps the division finite. Defaults to `1e-8`.
        clip_factor: float >= 0. A gradient may be this many times as large as u. Defaults to `1.2`.
        clip_offset: float > 0. What may always be added to that. Defaults to `1e-4`.
        name: name of the optimizer. Defaults to `"relative_clip_adamax"`.
        **kwargs: as in `keras.optimizers.Optimizer`.

    Raises:
        ValueError: if an argument is out of its range.

    Example:

    >>> optimizer = RelativeClipAdamax(0.5, epsilon=0.0)
    >>> weight = keras.Variable([1.0])
    >>> optimizer.apply([np.array([3.0], "float32")], [weight])
    >>> [round(float(w), 4) for w in weight.numpy()]  # 1 - 0.5 * 0.1 g / g
    [0.95]

    Source: the optimizer of Freivalds & Liepins (2017), "Improving the Neural GPU Architecture for
    Algorithm Learning", arXiv:1702.08727, and of its code.
    """

    def __init__(
        self,
        learning_rate: Any = 0.01,
        beta_1: float = 0.9,
        beta_2: float = 0.9995,
        beta_2_start: float = 0.99,
        beta_2_half_life: float = 2000.0,
        epsilon: float = 1e-8,
        clip_factor: float = 1.2,
        clip_offset: float = 1e-4,
        name: str | None = "relative_clip_adamax",
        **kwargs: Any,
    ):
        if isinstance(learning_rate, Real):
            learning_rate = arguments.number("learning_rate", learning_rate, least=0)
        name = arguments.text("name", name, none=True)
        super().__init__(learning_rate=learning_rate, name=name, **kwargs)
        self.beta_1 = arguments.number("beta_1", beta_1, least=0, below=1)
        self.beta_2 = arguments.number("beta_2", beta_2, least=0, most=1)
        self.beta_2_start = arguments.number("beta_2_start", beta_2_start, least=0, most=1)
        self.beta_2_half_life = arguments.number("beta_2_half_life", beta_2_half_life, above=0)
        self.epsilon = arguments.number("epsilon", epsilon, least=0)
        self.clip_factor = arguments.number("clip_factor", clip_factor, least=0)
        self.clip_offset = arguments.number("clip_offset", clip_offset, above=0)

    def build(self, variables: list[keras.Variable]) -> None:
        """Creates m and u of each variable."""
        if self.built:
            return
        super().build(variables)
        self._means, self._norms = self.add_optimizer_variables(variables, ["mean", "norm"])

    def update_step(
        self, gradient: Tensor, variable: keras.Variable, learning_rate: Tensor
    ) -> None:
        """Updates one variable."""
        dtype = variable.dtype
        # The sum is dense also where TensorFlow gives the gradient of an `Embedding` by its rows.
        gradient = ops.zeros_like(ops.convert_to_tensor(variable)) + gradient
        mean = self._means[self._get_variable_index(variable)]
        norm = self._norms[self._get_variable_index(variable)]
        bound = self.clip_factor * norm + self.clip_offset
        gradient = ops.clip(ops.cast(gradient, dtype), -bound, bound)
        self.assign(mean, self.beta_1 * mean + (1 - self.beta_1) * gradient)
        decay = ops.cast(self._decay_of_norm(), dtype)
        self.assign(norm, ops.maximum(decay * norm, ops.abs(gradient)))
        change = ops.cast(learning_rate, dtype) * mean / (norm + self.epsilon)
        self.assign_sub(variable, change)

    def _decay_of_norm(self):
        """β₂ of this step."""
        halvings = ops.cast(self.iterations, "float32") / self.beta_2_half_life
        return 1 - ops.maximum(1 - self.beta_2, (1 - self.beta_2_start) * 0.5**halvings)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this optimizer again."""
        names: tuple[str, ...] = ("beta_1", "beta_2", "beta_2_start", "beta_2_half_life", "epsilon")
        names += ("clip_factor", "clip_offset")
        return {**super().get_config(), **{name: getattr(self, name) for name in names}}


@keras.saving.register_keras_serializable(package="keras_adaptive")
class GradientNoise(keras.optimizers.Optimizer):
    """Adds noise to the gradients of any optimizer; it fades with time and with success.

    The noise is normal, with mean 0 and standard deviation

        scale * step ** exponent * wrong_fraction

    where `step` counts updates from 1 and `wrong_fraction` is a variable of this optimizer, 1 at
    first. Let `callbacks.UpdateWrongFraction` set it to the share of sequences with a mistake, "to
    avoid noise in converged models". The noise is added after the gradients have been accumulated
    and clipped as the wrapped optimizer says, so that clipping bounds the gradient, not the noise.
    Learning rate, clipping, weight decay and so on are the wrapped optimizer's.

    Args:
        optimizer: the `keras.optimizers.Optimizer` that gets the noisy gradients.
        scale: float >= 0, the paper's gradient noise scale.
        exponent: float, the power of the step. Defaults to `-0.25`.
        distribution: `"normal"` (the paper), or `"truncated_normal"`, which draws again what is
            more than two standard deviations from 0 (the published code). Defaults to `"normal"`.
        times_learning_rate: whether to multiply the noise by the learning rate too. Defaults to
            `False`. The noise of Freivalds & Liepins (2017) is
            `GradientNoise(optimizer, 1e-4, 0.0, "truncated_normal", times_learning_rate=True)`.
        seed: integer, of the noise.
        name: name of the optimizer. Defaults to `"gradient_noise"`.

    Raises:
        ValueError: if an argument is out of its range.

    Example:

    >>> optimizer = GradientNoise(keras.optimizers.Adam(1e-3, global_clipnorm=1.0), scale=0.01)
    >>> optimizer.learning_rate = 5e-4  # of Adam
    >>> _ = optimizer.wrong_fraction.assign(0.5)  # what UpdateWrongFraction does

    Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.3 ("Gradients noise"), after
    Welling & Teh (2011) and Neelakantan et al. (2015), arXiv:1511.06807.
    """

    def __init__(
        self,
        optimizer: keras.optimizers.Optimizer | str,
        scale: float,
        exponent: float = -0.25,
        distribution: str = "normal",
        times_learning_rate: bool = False,
        seed: int | None = None,
        name: str | None = "gradient_noise",
    ):
        allowed = "a Keras optimizer or the name of one"
        optimizer = arguments.interpreted("optimizer", optimizer, keras.optimizers.get, allowed)
        arguments.instance("optimizer", optimizer, keras.optimizers.Optimizer, allowed)
        if isinstance(optimizer, keras.optimizers.LossScaleOptimizer):
            raise ValueError(
                "Argument `optimizer` must not be a LossScaleOptimizer, whose gradients are "
                "scaled. Write `LossScaleOptimizer(GradientNoise(optimizer, ...))` instead."
            )
        # The base class keeps a learning rate and a step of its own, which nothing here reads.
        super().__init__(learning_rate=0.0, name=arguments.text("name", name, none=True))
        for unused in list(self._variables):
            self._untrack_variable(unused)
        self.optimizer = optimizer
        self.scale = arguments.number("scale", scale, least=0)
        self.exponent = arguments.number("exponent", exponent)
        self.distribution = arguments.choice("distribution", distribution, DISTRIBUTIONS)
        self.times_learning_rate = arguments.boolean("times_learning_rate", times_learning_rate)
        self.seed = arguments.seed("seed", seed)
        self.wrong_fraction = self.add_variable(
            shape=(),
            initializer="ones",
            dtype="float32",
            aggregation="only_first_replica",
            name="wrong_fraction",
        )
        self._seed_generator = keras.random.SeedGenerator(self.seed)
        self._track_variable(self._seed_generator.state)

    def build(self, variables: list[keras.Variable]) -> None:
        """Builds the wrapped optimizer."""
        if self.built:
            return
        self.optimizer.build(variables)
        super().build(variables)

    def exclude_from_weight_decay(
        self,
        var_list: Sequence[keras.Variable] | None = None,
        var_names: Sequence[str] | None = None,
    ) -> None:
        """Excludes variables from the weight decay of the wrapped optimizer."""
        self.optimizer.exclude_from_weight_decay(var_list, var_names)

    @property
    def variables(self) -> list[keras.Variable]:
        """Its own variables and those of the wrapped optimizer."""
        return self._variables + self.optimizer.variables

    @property
    def inner_optimizer(self) -> keras.optimizers.Optimizer:
        """The wrapped optimizer, by the name that Keras's callbacks look for."""
        return self.optimizer

    @property
    def learning_rate(self) -> Any:
        """The wrapped optimizer's."""
        return self.optimizer.learning_rate

    @learning_rate.setter
    def learning_rate(self, learning_rate: Any) -> None:
        self.optimizer.learning_rate = learning_rate

    @property
    def iterations(self) -> keras.Variable:
        """Number of updates so far, the wrapped optimizer's."""
        return self.optimizer.iterations

    def apply(
        self, grads: Sequence[Tensor], trainable_variables: Sequence[keras.Variable] | None = None
    ) -> None:
        """Updates the variables by their gradients and the noise."""
        if not self.built and trainable_variables is not None:
            self.build(list(trainable_variables))
        # Keras clips what it has accumulated, and only when it updates: the place for the noise.
        clip = self.optimizer._clip_gradients
        self.optimizer._clip_gradients = lambda grads: self._add_noise(clip(grads))
        try:
            self.optimizer.apply(grads, trainable_variables)
        finally:
            del self.optimizer._clip_gradients

    def _add_noise(self, gradients):
        if not self.scale:
            return gradients
        draw = getattr(keras.random, self.distribution)
        stddev = self._stddev()
        noisy = []
        for gradient in gradients:
            gradient = ops.convert_to_tensor(gradient, sparse=False)
            noise = draw(ops.shape(gradient), dtype="float32", seed=self._seed_generator)
            noisy.append(gradient + ops.cast(stddev * noise, gradient.dtype))
        return noisy

    def _stddev(self):
        """The standard deviation of the noise in the coming update."""
        step = ops.cast(self.iterations, "float32") + 1.0
        stddev = self.scale * step**self.exponent * self.wrong_fraction
        if self.times_learning_rate:
            stddev = stddev * ops.cast(self.learning_rate, "float32")
        return stddev

    def scale_loss(self, loss: Tensor) -> Tensor:
        """As the wrapped optimizer scales it."""
        return self.optimizer.scale_loss(loss)

    def finalize_variable_values(self, var_list: list[keras.Variable]) -> None:
        """As the wrapped optimizer does it."""
        self.optimizer.finalize_variable_values(var_list)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this optimizer again."""
        names = ("scale", "exponent", "distribution", "times_learning_rate", "seed", "name")
        config = {name: getattr(self, name) for name in names}
        return {"optimizer": keras.saving.serialize_keras_object(self.optimizer), **config}

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Self:
        """An optimizer from `get_config`."""
        optimizer = keras.saving.deserialize_keras_object(
            config["optimizer"], custom_objects=custom_objects
        )
        return cls(**{**config, "optimizer": optimizer})
