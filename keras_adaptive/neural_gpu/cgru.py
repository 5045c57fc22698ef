"""CGRU: the convolutional gated recurrent unit."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import keras
import numpy as np
from keras import ops

from .. import arguments, reporting
from ..dtypes import as_added, at_least_float32
from ..empty_batch import accepts_empty_batch, mean_over_rows
from ..types import Shape, Tensor
from . import activations, convolution

NONLINEARITIES = ("smooth", "hard")


@keras.saving.register_keras_serializable(package="keras_adaptive")
class CGRU(keras.layers.Layer):
    """A convolutional gated recurrent unit, one step on a mental image.

    `CGRU(s) = u ⊙ s + (1 − u) ⊙ tanh(U ∗ (r ⊙ s) + B)` with the gates `u = σ′(U′ ∗ s + B′)` and
    `r = σ′(U″ ∗ s + B″)`. The image keeps its shape, so the layer can be repeated, alone or in any
    convolutional model. Positions outside the mask are zero in the result.

    Args:
        maps: integer >= 1, m, the number of maps (channels) of the image.
        kernel_size: two odd integers, along the length and the width. Defaults to `(3, 3)`.
        gate_cutoff: whether smooth gates are cut off, σ′(x) = max(0, min(1, 1.2 σ(x) − 0.1)), or
            plain sigmoids. Defaults to `True`.
        nonlinearity: `"smooth"` (σ′ and tanh) or `"hard"` (piecewise linear). Defaults to
            `"smooth"`.
        diagonal: whether the update gate lets a third of the maps through from the neighbour on
            each side (with a width: a fifth each, from four sides). Defaults to `False`.
        saturation_cost: float >= 0, weight of the loss that keeps what goes into the
            nonlinearities small, the mean over the batch of Σ max(0, |x| − 0.9) / n². Defaults to
            `0.0`.
        dropout: float in [0, 1), of the candidate in training. Defaults to `0.0`.
        initial_scale: float > 0; the initial kernels are uniform in ± scale · √(3 / inputs of a
            unit). Defaults to `1.0`.
        update_bias, reset_bias: floats, the gates' initial biases. Default to `1.0`.
        gate_sharpness: float > 0; in inference what goes into the gates is multiplied by it. Above
            1, gates that are nearly open or closed after training are quite so, and the image keeps
            what it holds for more steps. Defaults to `1.0`.
        relaxation: integer >= 1, r, the number of parameter sets, which `NeuralGPU` uses in turn.
            Called alone, the layer uses the first. Defaults to `1`.
        seed: of the dropout.
        **kwargs: of `keras.layers.Layer`.

    Call arguments:
        image: `(batch, length, width, maps)`.
        mask: boolean `(batch, length)`; what the image holds outside it does not matter.
        training: boolean.

    Returns:
        The new image, `(batch, length, width, maps)`.

    Raises:
        ValueError: an argument out of its range, or an image of another number of maps.

    Example:

    >>> layer = CGRU(8)
    >>> layer(np.zeros((2, 5, 4, 8), "float32")).shape == (2, 5, 4, 8)
    True

    Differences from Freivalds & Liepins (2017): gates to four neighbours where the image has a
    width; a saturation cost of constant weight; the image begins with the embedding, without a
    convolution; biases of 1 by default (theirs are 0.7 and 0.5); and `gate_sharpness`.

    Source: Kaiser & Sutskever (2016), arXiv:1511.08228, sections 2 and 3.3; hard nonlinearities,
    saturation cost and diagonal gates: Freivalds & Liepins (2017), arXiv:1702.08727.
    """

    def __init__(
        self,
        maps: int,
        kernel_size: Sequence[int] = (3, 3),
        gate_cutoff: bool = True,
        nonlinearity: str = "smooth",
        diagonal: bool = False,
        saturation_cost: float = 0.0,
        dropout: float = 0.0,
        initial_scale: float = 1.0,
        update_bias: float = 1.0,
        reset_bias: float = 1.0,
        gate_sharpness: float = 1.0,
        relaxation: int = 1,
        seed: int | None = None,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.maps = arguments.integer("maps", maps, least=1)
        self.kernel_size = _kernel_size(kernel_size)
        self.gate_cutoff = arguments.boolean("gate_cutoff", gate_cutoff)
        self.nonlinearity = arguments.choice("nonlinearity", nonlinearity, NONLINEARITIES)
        self.diagonal = arguments.boolean("diagonal", diagonal)
        self.saturation_cost = arguments.number("saturation_cost", saturation_cost, least=0)
        self.dropout = arguments.number("dropout", dropout, least=0, below=1)
        self.initial_scale = arguments.number("initial_scale", initial_scale, above=0)
        self.update_bias = arguments.number("update_bias", update_bias)
        self.reset_bias = arguments.number("reset_bias", reset_bias)
        self.gate_sharpness = arguments.number("gate_sharpness", gate_sharpness, above=0)
        self.relaxation = arguments.integer("relaxation", relaxation, least=1)
        self.seed = arguments.seed("seed", seed)
        *self._first_seeds, dropout_seed = different_seeds(self.seed, 3)
        self.seed_generator = keras.random.SeedGenerator(dropout_seed) if self.dropout else None
        self.supports_masking = True
        # XLA takes minutes for the gradient of a convolution in a TensorFlow loop.
        self.supports_jit = keras.config.backend() != "tensorflow"

    def build(self, input_shape: Shape) -> None:
        """Creates the weights; with several parameter sets they lead the weights' shapes."""
        if len(input_shape) != 4 or input_shape[2] is None or input_shape[3] != self.maps:
            raise ValueError(
                f"`image` must have the shape (batch, length, width, maps={self.maps}) with a "
                f"known width. Received: {tuple(input_shape)}"
            )
        sets = () if self.relaxation == 1 else (self.relaxation,)
        maps, limit = self.maps, self.initial_scale * (3 / self._inputs_of_a_unit()) ** 0.5
        of_gates, of_candidate = (
            keras.initializers.RandomUniform(-limit, limit, seed=seed) for seed in self._first_seeds
        )

        def biases(shape, dtype=None):
            gates = [self.update_bias] * maps + [self.reset_bias] * maps
            # Not a broadcast view, which torch cannot update in place.
            return ops.zeros(shape, dtype) + ops.convert_to_tensor(gates, dtype)

        self.gate_kernel = self.add_weight(
            name="gate_kernel",
            shape=(*sets, *self.kernel_size, maps, 2 * maps),
            initializer=of_gates,
        )
        self.gate_bias = self.add_weight(
            name="gate_bias", shape=(*sets, 2 * maps), initializer=biases
        )
        self.candidate_kernel = self.add_weight(
            name="candidate_kernel",
            shape=(*sets, *self.kernel_size, maps, maps),
            initializer=of_candidate,
        )
        self.candidate_bias = self.add_weight(
            name="candidate_bias", shape=(*sets, maps), initializer="zeros"
        )

    def _inputs_of_a_unit(self):
        height, width = self.kernel_size
        return height * width * self.maps

    @property
    def relaxed_variables(self) -> list[keras.Variable]:
        """The variables whose first axis counts parameter sets; none with a single set."""
        if self.relaxation == 1:
            return []
        return [self.gate_kernel, self.gate_bias, self.candidate_kernel, self.candidate_bias]

    def prepared(self, width: int, training: bool = False) -> dict[str, Tensor]:
        """The weights as `advance` takes them for an image of this width, in the compute dtype."""
        sharpness = 1.0 if training else self.gate_sharpness

        def cast(variable):
            return ops.cast(variable, self.compute_dtype)

        return {
            "gate_kernel": convolution.prepare(cast(self.gate_kernel) * sharpness, width, parts=2),
            "gate_bias": convolution.spread(cast(self.gate_bias) * sharpness, width, parts=2),
            "candidate_kernel": convolution.prepare(cast(self.candidate_kernel), width),
            "candidate_bias": convolution.spread(cast(self.candidate_bias), width),
        }

    def advance(
        self,
        image: Tensor,
        weights: dict[str, Tensor],
        width: int,
        keep: Callable[[Tensor], Tensor] | None = None,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """One step on a folded image.

        Args:
            image: as `convolution.fold` gives it.
            weights: what `prepared` gives, of one parameter set.
            width: of the image.
            keep: a function that drops some elements of the candidate, or None.

        Returns:
            The new image, and what went into each nonlinearity.
        """
        gates = convolution.convolve(image, weights["gate_kernel"]) + weights["gate_bias"]
        update, reset = ops.split(self._gate(gates), 2, axis=-1)
        proposal = convolution.convolve(reset * image, weights["candidate_kernel"])
        proposal = proposal + weights["candidate_bias"]
        candidate = self._squash(proposal)
        if keep is not None:
            candidate = keep(candidate)
        carried = convolution.shift(image, width) if self.diagonal else image
        return candidate + update * (carried - candidate), (gates, proposal)

    def _gate(self, x):
        if self.nonlinearity == "hard":
            return activations.hard_sigmoid(x)
        return activations.cutoff_sigmoid(x) if self.gate_cutoff else ops.sigmoid(x)

    def _squash(self, x):
        return activations.hard_tanh(x) if self.nonlinearity == "hard" else ops.tanh(x)

    @accepts_empty_batch
    def call(self, image: Tensor, mask: Tensor | None = None, training: bool = False) -> Tensor:
        """One step on an image."""
        arguments.mask_of(mask, image)
        width = image.shape[2]
        weights = self.prepared(width, training)
        if self.relaxation > 1:
            weights = {name: weight[0] for name, weight in weights.items()}
        keep = None
        if training and self.dropout:

            def keep(x):
                return keras.random.dropout(x, self.dropout, seed=self.seed_generator)

        if mask is None:
            mask = ops.ones(ops.shape(image)[:2], "bool")
        inside = ops.cast(mask, "bool")
        image = ops.where(inside[:, :, None, None], image, ops.zeros_like(image))
        inside = ops.cast(inside, self.compute_dtype)
        new, before = self.advance(convolution.fold(image), weights, width, keep)
        new = convolution.unfold(new, width) * inside[:, :, None, None]
        if self.saturation_cost:
            total = saturation_of(before, inside)
            length = ops.maximum(ops.sum(ops.cast(inside, total.dtype), axis=1), 1.0)
            add_saturation_cost(self, self.saturation_cost * mean_over_rows(total / length**2))
        return new

    def compute_output_shape(self, input_shape: Shape) -> Shape:
        """The shape of the image."""
        return tuple(input_shape)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        return {
            **super().get_config(),
            "maps": self.maps,
            "kernel_size": list(self.kernel_size),  # as JSON gives it back
            "gate_cutoff": self.gate_cutoff,
            "nonlinearity": self.nonlinearity,
            "diagonal": self.diagonal,
            "saturation_cost": self.saturation_cost,
            "dropout": self.dropout,
            "initial_scale": self.initial_scale,
            "update_bias": self.update_bias,
            "reset_bias": self.reset_bias,
            "gate_sharpness": self.gate_sharpness,
            "relaxation": self.relaxation,
            "seed": self.seed,
        }


def _kernel_size(value):
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        arguments.refuse("kernel_size", value, "two odd integers")
    sizes = tuple(arguments.integer("kernel_size", size, least=1) for size in value)
    if not all(size % 2 for size in sizes):
        arguments.refuse("kernel_size", value, "two odd integers")
    return sizes


def different_seeds(seed: int | None, count: int) -> list[int | None]:
    """Seeds that differ, so that nothing that is random repeats; all None for None."""
    if seed is None:
        return [None] * count
    seeds = np.random.SeedSequence(seed).generate_state(count).tolist()
    # The state of a generator is int32 on torch.
    return [each % 2**31 for each in seeds] if keras.config.backend() == "torch" else seeds


def add_saturation_cost(layer: keras.layers.Layer, cost: Tensor) -> None:
    """Adds a scalar to the loss of `layer` and reports it."""
    layer.add_loss(as_added(cost))
    reporting.report("saturation_cost", cost)


def saturation_of(before: Iterable[Tensor], inside: Tensor) -> Tensor:
    """The sum of `activations.saturation` over each example, `(batch,)`, at least float32.

    Args:
        before: what went into the nonlinearities, tensors `(batch, length, …)`.
        inside: `(batch, length)`, 1 inside the mask.
    """
    total = 0.0
    for x in before:
        x = activations.saturation(x)
        x = ops.cast(x, at_least_float32(x.dtype))
        each = ops.sum(x, axis=tuple(range(2, len(x.shape))))
        total = total + ops.sum(each * ops.cast(inside, x.dtype), axis=1)
    return total
