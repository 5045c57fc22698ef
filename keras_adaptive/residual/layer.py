"""ResidualACT: residual units, after each of which an image or a position may halt."""

from collections.abc import Sequence
from typing import Any, Self

import keras
from keras import ops

from .. import arguments, building, cells
from ..configuration import restored
from ..dtypes import as_added, at_least_float32
from ..freezing import KeepsFrozenParts
from ..halting import ACT, report
from ..halting.loop import symbolic_outputs
from ..halting.unrolled import unrolled
from ..time_penalty import HasTimePenalty
from ..types import Shape, Tensor
from . import skipping
from .halting_unit import HaltingUnit


@keras.saving.register_keras_serializable(package="keras_adaptive")
class ResidualACT(HasTimePenalty, KeepsFrozenParts):
    """A chain of residual units with Adaptive Computation Time, per image or per position.

    The first unit is always applied. After each unit l but the last a halting unit reads its output
    x^l: `h^l = σ(w · BN(GAP(x^l)) + b)`, where GAP is the mean over all positions. An image halts
    as soon as the sum of its h reaches `1 - epsilon`, at the last unit in any case. What comes out
    is `Σ p^l x^l`, the mean of the units' outputs with the weights of ACT.

    With `spatial=True` (SACT) each position of the image halts by itself: `conv3×3(BN(x^l))` is
    added to the logit of each; with `global_logit=False` it replaces the term of the GAP, so that
    what is far away, and the size of the image, do not matter. A position that has halted is
    frozen: its residual is 0, but units and halting units keep reading it as a neighbour of
    others.

    The layer adds `time_penalty * mean(ρ)` to the losses, where ρ = N + R is the ponder of an image
    or a position, so a plain `fit` trains it.

    **Batch normalization** inside the units sees all positions, also those that have halted, with
    the values at which they are frozen: its statistics in training are those of whole feature maps,
    as in the authors' code.

    In inference on TensorFlow without XLA, what has halted is not computed: images that have halted
    leave the batch; with `spatial` only the positions that run are computed, once they are few
    enough. This needs units with an integer attribute `halo` and a method
    `at_positions(features, positions)`, see `ResidualUnit`. The results are the same.

    Args:
        units: a list of layers, in each of which images or features go in and come out. The first
            may change the shape; the others keep it.
        spatial: whether positions halt by themselves (SACT) or images (ACT). Defaults to `False`.
        epsilon: float in [0, 1). See `halting.ACT`. Defaults to `0.01`.
        time_penalty: float >= 0, τ, the price of one unit in units of the loss. A property that can
            be set while training without retracing. Defaults to `1e-3`.
        halting_bias: float, b at first. Defaults to `-3.0`: deep at first.
        target_ponder: float >= 1 or a `control.TargetPonder`; adapts the time penalty in training
            so that the mean number of units settles there. Defaults to `None`.
        global_logit: whether w · BN(GAP(x^l)) is part of the logits; `False` needs `spatial`.
            Defaults to `True`.
        return_ponder: whether to return also a dict of `steps` N and `remainder` R, each
            `(batch,)`, or with `spatial` `(batch, height, width)`. Defaults to `False`.
        **kwargs: of `keras.layers.Layer`.

    Call arguments:
        inputs: `(batch, …, channels)`; with `spatial` `(batch, height, width, channels)`.
        training: boolean.

    Returns:
        The output, of the shape of the units' outputs; with `return_ponder` a tuple of it and the
        dict.

    Raises:
        ValueError: if an argument is out of its range, a unit but the first changes the shape or
            the dtype, or the input has the wrong rank.

    Example:

    >>> units = [ResidualUnit(8) for _ in range(3)]
    >>> layer = ResidualACT(units, spatial=True, return_ponder=True)
    >>> outputs, ponder = layer(np.ones((2, 6, 5, 4), "float32"))
    >>> outputs.shape == (2, 6, 5, 8), ponder["steps"].shape == (2, 6, 5)
    (True, True)

    Differences from the paper: the time is saved, not only counted; the global logit may be left
    out.

    Source: Figurnov et al., "Spatially Adaptive Computation Time for Residual Networks" (2017),
    arXiv:1612.02297, sections 3.1 and 3.2.
    """

    reports_ponder = True

    def __init__(
        self,
        units: Sequence[keras.layers.Layer],
        spatial: bool = False,
        epsilon: float = 0.01,
        time_penalty: float = 1e-3,
        halting_bias: float = -3.0,
        target_ponder: Any = None,
        return_ponder: bool = False,
        global_logit: bool = True,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.units = list(_checked_units(units))
        self.spatial = arguments.boolean("spatial", spatial)
        self.rule = ACT(len(self.units), epsilon)
        self.halting_bias = arguments.number("halting_bias", halting_bias)
        self.return_ponder = arguments.boolean("return_ponder", return_ponder)
        self.global_logit = arguments.boolean("global_logit", global_logit)
        if not (self.spatial or self.global_logit):
            arguments.refuse("global_logit", global_logit, "True where `spatial` is False")
        self.set_time_penalty(time_penalty, target_ponder, True, "act")
        self.halting_units = [
            HaltingUnit(
                self.halting_bias,
                self.spatial,
                self.global_logit,
                dtype=at_least_float32(self.compute_dtype),
                name=f"halting_unit_{number}",
            )
            for number in range(1, len(self.units))
        ]

    @property
    def epsilon(self) -> float:
        """How much halting mass may be missing from 1 at the last unit."""
        return self.rule.epsilon

    @property
    def max_ponder(self) -> int:
        """The number of units."""
        return self.rule.max_ponder

    def build(self, input_shape: Shape) -> None:
        """Creates the weights of the units, the halting units and τ."""
        shape = self._check_rank(input_shape)
        self._channels = shape[-1]
        for number, unit in enumerate(self.units, 1):
            building.build(unit, shape)
            after = building.output_shape(unit, shape)
            if number > 1 and after != shape:
                self._refuse_unit(number, after, shape)
            shape = after
        for halting_unit in self.halting_units:
            halting_unit.build(shape)
        self.build_time_penalty(True)
        self.freeze_parts()

    def _refuse_unit(self, number, after, before):
        raise ValueError(
            "All layers of argument `units` but the first must keep the shape and dtype of their "
            f"input. Received: unit {number}, `{self.units[number - 1].name}`, makes {after} of "
            f"{before}"
        )

    def _apply_unit(self, number, features, training):
        """The features after a unit."""
        new = cells.apply(self.units[number - 1], features, training=training)
        sizes = zip(new.shape, features.shape, strict=False)
        if len(new.shape) != len(features.shape) or any(
            None not in pair and pair[0] != pair[1] for pair in sizes
        ):
            self._refuse_unit(number, tuple(new.shape), tuple(features.shape))
        dtypes = [keras.backend.standardize_dtype(x.dtype) for x in (new, features)]
        if dtypes[0] != dtypes[1]:
            self._refuse_unit(number, *dtypes)
        return new

    def _check_rank(self, shape):
        expected = "images of shape (batch, height, width, channels)"
        fits = len(shape) == 4
        if not self.spatial:
            expected = "features of shape (batch, …, channels)"
            fits = len(shape) >= 2
        if not fits or shape[-1] is None:
            raise ValueError(
                f"Layer '{self.name}' expects {expected} with a fixed number of channels. "
                f"Received: shape={tuple(shape)}"
            )
        return tuple(shape)

    def call(self, inputs: Tensor, training: bool = False) -> Any:
        """Applies the units; see the class."""
        inputs = building.with_features(inputs, self._channels)
        self._check_rank(inputs.shape)
        # A batch without images has no statistics for a normalization to keep.
        training = training and inputs.shape[0] != 0
        features = cells.apply(self.units[0], inputs, training=training)
        ponder = self._spatially if self.spatial else self._per_image
        output, steps, remainder = ponder(features, training)
        means = [_mean_by_image(x) for x in (steps, remainder)]
        entry = report(self, means[0], means[1], self.charged_time_penalty())
        self.add_loss(as_added(entry.cost))
        if training:
            self.adapt_time_penalty(entry.mean_steps)
        if not self.return_ponder:
            return output
        return output, {"steps": steps, "remainder": remainder}

    def _per_image(self, features, training):
        """The loop whose rows are images; returns the output, N and R."""

        def step(n, features, running):
            if n > 1:
                new = self._apply_unit(n, features, training)
                # The normalization of the halting unit sees what images that halted are frozen at.
                features = _where_running(running, new, features) if training else new
            return features, self._halting(n, features, training), features

        advance = None if training else skipping.by_image()
        result = unrolled(step, features, self.rule, advance=advance)
        return result.output, result.steps, result.remainder

    def _spatially(self, features, training):
        """The loop whose rows are positions; returns the output, N and R."""
        size = ops.shape(features)[:3]

        def rows_of(maps):
            return ops.reshape(maps, (-1, *maps.shape[3:]))

        def maps_of(rows):
            return ops.reshape(rows, (*size, *rows.shape[1:]))

        def step(n, rows, running, some=None):
            if some is not None:
                rows, halting = some.step(
                    self.units[n - 1], self._halting_unit(n), rows, running
                )
                return rows, halting, rows
            features = maps_of(rows)
            if n > 1:
                new = self._apply_unit(n, features, training)
                features = freeze(maps_of(running), new, features)
                rows = rows_of(features)
            return rows, rows_of(self._halting(n, features, training)), rows

        advance, freeze = None, skipping.frozen
        if not training:
            advance = skipping.by_position(self.units, features, self.global_logit)
            freeze = skipping.frozen_if_any
        result = unrolled(step, rows_of(features), self.rule, advance=advance, frozen=True)
        return tuple(map(maps_of, (result.output, result.steps, result.remainder)))

    def _halting_unit(self, n):
        """The halting unit after unit n, `None` after the last."""
        return self.halting_units[n - 1] if n < len(self.units) else None

    def _halting(self, n, features, training):
        """h after unit n; that after the last is 1."""
        if (halting_unit := self._halting_unit(n)) is not None:
            return halting_unit(features, training=training)
        rows = ops.shape(features)[:-1] if self.spatial else ops.shape(features)[:1]
        return ops.ones(rows, at_least_float32(features.dtype))

    def compute_output_shape(self, input_shape: Shape) -> Any:
        """The shapes of what `call` returns, in the same structure."""
        shape = building.output_shape(self.units[0], self._check_rank(input_shape))
        if not self.return_ponder:
            return shape
        rows = shape[:-1] if self.spatial else shape[:1]
        return shape, {"steps": rows, "remainder": rows}

    def compute_output_spec(self, inputs: Any, training: bool = False) -> Any:
        """Symbolic outputs; the ponder is at least float32 whatever the compute dtype."""
        return symbolic_outputs(self, self.compute_output_shape(tuple(inputs.shape)))

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        return {
            **super().get_config(),
            "units": [keras.saving.serialize_keras_object(unit) for unit in self.units],
            "spatial": self.spatial,
            "epsilon": self.epsilon,
            "time_penalty": self._initial_time_penalty,
            "halting_bias": self.halting_bias,
            "target_ponder": keras.saving.serialize_keras_object(self.target_ponder),
            "return_ponder": self.return_ponder,
            "global_logit": self.global_logit,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A layer from `get_config`."""
        return super().from_config(restored(config, ("units", "target_ponder")))


def _where_running(running, new, old):
    """`new` of images that are running, `old` of the others."""
    return ops.where(ops.reshape(running, (-1, *[1] * (len(new.shape) - 1))), new, old)


def _mean_by_image(values):
    axes = tuple(range(1, len(values.shape)))
    return ops.mean(values, axis=axes) if axes else values


def _checked_units(units):
    allowed = "a list of at least one Keras layer"
    if not isinstance(units, (list, tuple)) or not units:
        arguments.refuse("units", units, allowed)
    for unit in units:
        if not isinstance(unit, keras.layers.Layer):
            arguments.refuse("units", units, f"{allowed}, and of layers alone")
        if getattr(unit, "data_format", None) == "channels_first":
            arguments.refuse("units", units, "layers with the channels last")
    if len({id(unit) for unit in units}) != len(units):
        arguments.refuse("units", units, "different layers, as their weights are not shared")
    return units
