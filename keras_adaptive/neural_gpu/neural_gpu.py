"""NeuralGPU: symbols on a mental image that is changed as often as the input is long."""

import inspect
from collections.abc import Sequence
from typing import Any, Self

import keras
import numpy as np
from keras import ops

from .. import arguments, backend, relaxation
from ..configuration import restored
from ..dtypes import as_added, at_least_float32
from ..empty_batch import accepts_empty_batch, mean_over_rows
from ..freezing import KeepsFrozenParts
from ..types import Shape, Tensor
from . import convolution
from .cgru import CGRU, add_saturation_cost, different_seeds, saturation_of
from .dropout import Dropout

# Arguments of `CGRU` that `NeuralGPU` takes too, if it makes its cells itself.
OF_CELLS = inspect.signature(CGRU).parameters.keys() - {"dropout", "seed", "kwargs"}

@keras.saving.register_keras_serializable(package="keras_adaptive")
class NeuralGPU(KeepsFrozenParts):
    """A Neural GPU: reads a sequence of symbols, thinks for as many steps as it is long, answers.

    The symbols are embedded into the first column of a mental image, which is zero elsewhere. Then
    a stack of `CGRU` layers is applied n times, n being the number of symbols, and the first
    column is what comes out, to be read by a `Dense` layer. The weights know nothing of n, so one
    trained layer takes any length.

    Each example is given as many steps as it is long itself, whatever its neighbours in the batch,
    and positions outside its mask are kept zero; so an example's result is the same alone and
    in any padded batch.

    Args:
        symbols: integer >= 1, size of the alphabet: symbols are 0 … `symbols` − 1. The paper's
            blank is one of them.
        cell: a `CGRU`, or a list of them, which each step applies one after the other; or an
            integer, m, the maps of `num_layers` of them. Defaults to `24`.
        width: integer >= 1, w, of the mental image. Defaults to `4`.
        num_layers: integer >= 1, l, CGRU layers in each step, if `cell` is an integer. Defaults to
            `2`.
        dropout: float in [0, 1). Defaults to `0.0`.
        dropout_on: `"state"` (the image before the first and after every step) or
            `"candidate"` (what every CGRU would write). Defaults to `"state"`.
        dropout_schedule: `"constant"` (the paper), `"length"` (8 · dropout / n, its code) or
            `"root"` (3 · dropout / √n, the code of 2017), the last two at most 0.9. Defaults to
            `"constant"`.
        relaxation_pull: float >= 0, the first weight of the loss that pulls the parameter sets of
            a CGRU with `relaxation` together: the set t mod r is used at step t. See
            `keras_adaptive.relaxation`. Defaults to `5e-4`.
        steps_multiplier: integer >= 1; steps per symbol. Defaults to `1`.
        recompute: whether the backward pass computes each step again from the image it began
            with instead of keeping all intermediate results: less memory, and on JAX less time on
            a CPU. By default on JAX alone.
        padding: an integer that is not a symbol and fills positions after the end of an example,
            or `None` if there is a mask or no padding. Defaults to `-1`.
        seed: of initial weights and dropout.
        **kwargs: of `keras.layers.Layer`; if `cell` is an integer, also those of `CGRU`.

    Call arguments:
        symbols: integers `(batch, n)`.
        mask: boolean `(batch, n)`, true inside each example. By default all that is not `padding`.
            The symbols outside do not matter.
        training: boolean.
        return_images: whether to return the mental image after every step too.

    Returns:
        The first column, `(batch, n, maps)`; with `return_images` also the images,
        `(batch, steps + 1, n, width, maps)`, of which the first is the embedded input.

    Raises:
        ValueError: an argument out of its range, an input of another rank or without positions, a
            mask of another shape, or, in eager calls, a symbol out of range.

    Example:

    >>> layer = NeuralGPU(4, CGRU(8, kernel_size=(3, 1), nonlinearity="hard"), width=1)
    >>> layer(np.array([[1, 2, 3, 2, 1], [1, 3, 2, -1, -1]])).shape == (2, 5, 8)
    True

    Differences from the paper: the kernels start uniform in ± `initial_scale` · √(3 / inputs of a
    unit) and gates with a bias of 1, which the paper does not say.

    Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 2; relaxation: section 3.3.2.
    """

    def __init__(
        self,
        symbols: int,
        cell: int | CGRU | Sequence[CGRU] = 24,
        width: int = 4,
        num_layers: int | None = None,
        *,
        dropout: float = 0.0,
        dropout_on: str = "state",
        dropout_schedule: str = "constant",
        relaxation_pull: float = 5e-4,
        steps_multiplier: int = 1,
        recompute: bool | None = None,
        padding: int | None = -1,
        seed: int | None = None,
        **kwargs: Any,
    ):
        of_cells = {name: kwargs.pop(name) for name in OF_CELLS & kwargs.keys()}
        super().__init__(**kwargs)
        self.symbols = arguments.integer("symbols", symbols, least=1)
        self.width = arguments.integer("width", width, least=1)
        self.first_relaxation_pull = arguments.number("relaxation_pull", relaxation_pull, least=0)
        self.steps_multiplier = arguments.integer("steps_multiplier", steps_multiplier, least=1)
        self.recompute = arguments.boolean("recompute", recompute, none=True)
        self.padding = arguments.integer("padding", padding, none=True)
        if padding is not None and 0 <= padding < symbols:
            allowed = f"no symbol, that is none of 0 … {symbols - 1}"
            arguments.refuse("padding", padding, allowed)
        self.seed = arguments.seed("seed", seed)
        self.dropout = Dropout(dropout, dropout_on, dropout_schedule)
        self.makes_cells = not isinstance(cell, (keras.layers.Layer, list, tuple))
        if self.makes_cells:
            cell = arguments.integer("cell", cell, least=1)
            count = arguments.integer("num_layers", num_layers, least=1, none=True) or 2
        else:
            if of_cells or num_layers is not None:
                allowed = "an integer where arguments of its CGRUs or `num_layers` are given"
                arguments.refuse("cell", cell, allowed)
            cells = _checked_cells(cell, self.compute_dtype)
            count = len(cells)
        self._embedding_seed, dropout_seed, *seeds = different_seeds(self.seed, 2 + count)
        self.seed_generator = keras.random.SeedGenerator(dropout_seed) if dropout else None
        if self.makes_cells:
            of_cells = {"maps": cell, **of_cells, "dtype": self.dtype_policy}
            cells = [CGRU(**of_cells, seed=seed, name=f"cgru_{i}") for i, seed in enumerate(seeds)]
        self.cells = cells
        self.autocast = False  # Symbols that are given as floats stay exact.
        self.supports_masking = True
        # XLA takes minutes for the gradient of a convolution in a TensorFlow loop.
        self.supports_jit = keras.config.backend() != "tensorflow"

    def build(self, input_shape: Shape) -> None:
        """Creates the embedding and the cells' weights."""
        _check_shape(input_shape)
        self.embedding = self.add_weight(
            name="embedding",
            shape=(self.symbols, self.maps),
            initializer=keras.initializers.RandomUniform(-1.0, 1.0, seed=self._embedding_seed),
        )
        for cell in self.cells:
            if not cell.built:
                cell.build((input_shape[0], input_shape[1], self.width, self.maps))
        if self.relaxation > 1:
            relaxation.add_variables(self, self.relaxation, self.first_relaxation_pull)
        self.freeze_parts()

    @property
    def maps(self) -> int:
        """The number of maps of the mental image."""
        return self.cells[0].maps

    @property
    def num_layers(self) -> int:
        """The number of CGRUs that each step applies."""
        return len(self.cells)

    @property
    def relaxation(self) -> int:
        """The number of parameter sets."""
        return self.cells[0].relaxation

    @property
    def saturation_cost(self) -> float:
        """The weight of the loss that keeps what goes into the nonlinearities small."""
        return self.cells[0].saturation_cost

    @property
    def relaxed_variables(self) -> list[keras.Variable]:
        """The variables whose first axis counts parameter sets; none with a single set."""
        return [variable for cell in self.cells for variable in cell.relaxed_variables]

    @accepts_empty_batch
    def call(
        self,
        symbols: Tensor,
        mask: Tensor | None = None,
        training: bool = False,
        return_images: bool = False,
    ) -> Any:
        """Thinks about a batch of sequences of symbols."""
        _check_shape(symbols.shape)
        arguments.mask_of(mask, symbols)
        given, symbols = symbols, ops.cast(symbols, "int32")
        if mask is None and self.padding is None:
            mask = ops.ones_like(symbols, dtype="bool")
        elif mask is None:
            mask = ops.not_equal(symbols, self.padding)
        mask = ops.cast(mask, "bool")
        self._check_symbols(given, mask)
        inside = ops.cast(mask, self.compute_dtype)
        length = ops.sum(ops.cast(mask, "int32"), axis=1)
        first = ops.take(self.embedding, ops.where(mask, symbols, 0), axis=0)
        first = ops.cast(first, self.compute_dtype) * inside[:, :, None]
        margin = ((0, 0), (0, 0), (0, self.width - 1), (0, 0))
        image = convolution.fold(ops.pad(first[:, :, None, :], margin))
        images, image, before = self._think(image, inside, length, training, return_images)
        if self.relaxation > 1:
            self.add_loss(as_added(relaxation.cost(self)))
        if self.saturation_cost:
            size = ops.cast(ops.maximum(length, 1), before.dtype) ** 2 * self.steps_multiplier
            add_saturation_cost(self, self.saturation_cost * mean_over_rows(before / size))
        column = convolution.unfold(image, self.width)[:, :, 0, :]
        return (column, images) if return_images else column

    def _think(self, image, inside, length, training, return_images):
        steps = length * self.steps_multiplier
        most = ops.shape(inside)[1] * self.steps_multiplier
        rank = len(image.shape)
        everywhere = ops.reshape(inside, (*ops.shape(inside), *[1] * (rank - 2)))
        drop = self.dropout.drawn(length, self.seed_generator) if training else None
        weights = [cell.prepared(self.width, training) for cell in self.cells]
        costly = bool(self.saturation_cost)
        no_cost = ops.zeros((ops.shape(image)[0],), at_least_float32(self.compute_dtype))

        def change(now, chosen, image, weights):
            """All layers, once, with their parameter sets of that number."""
            before = ops.zeros_like(no_cost)  # its own: a recomputed step may not return another's
            for i, (cell, cell_weights) in enumerate(zip(self.cells, weights)):
                if self.relaxation > 1:
                    cell_weights = {k: ops.take(w, chosen, axis=0) for k, w in cell_weights.items()}
                keep = drop and drop.from_candidate(now * self.num_layers + i)
                image, inputs = cell.advance(image, cell_weights, self.width, keep)
                image = image * everywhere
                if costly:
                    before = before + saturation_of(inputs, inside)
            return image, before

        if convolution.folds() if self.recompute is None else self.recompute:
            change = keras.remat(change)

        def step(carry, time):
            image, total = carry
            now, chosen = time
            new, before = change(now, chosen, image, weights)
            if drop:
                new = drop.from_state(new, now + 1)
            goes_on = now < steps
            image = ops.where(ops.reshape(goes_on, (-1, *[1] * (rank - 1))), new, image)
            total = total + ops.where(goes_on, before, no_cost)
            return (image, total), (image if return_images else ())

        if drop:
            image = drop.from_state(image, 0)
        start, now = image, ops.arange(most, dtype="int32")
        # Not within a step: TensorFlow cannot recompute what reads a variable.
        times = now, relaxation.set_at(self, now) if self.relaxation > 1 else now
        (image, total), images = backend.scan(step, (image, no_cost), times)
        if return_images:
            images = ops.concatenate([start[None], images], axis=0)
            shape = ops.shape(images)
            flat = ops.reshape(images, (shape[0] * shape[1], *shape[2:]))
            flat = convolution.unfold(flat, self.width)
            images = ops.reshape(flat, (shape[0], shape[1], *ops.shape(flat)[1:]))
            images = ops.swapaxes(images, 0, 1)
        return images, image, total

    def _check_symbols(self, symbols, mask):
        symbols, mask = backend.concrete(symbols), backend.concrete(mask)
        if symbols is None or mask is None:  # A graph is being traced.
            return
        allowed = np.isin(symbols, np.arange(self.symbols))
        if not np.all(allowed | ~mask):
            raise ValueError(
                f"`symbols` must be integers in 0 … {self.symbols - 1} where they are neither "
                f"padding ({self.padding}) nor masked. Received: {symbols[mask & ~allowed][0]}"
            )

    def compute_output_spec(
        self,
        symbols: Tensor,
        mask: Tensor | None = None,
        training: bool = False,
        return_images: bool = False,
    ) -> Any:
        """Shape and dtype of the first column."""
        _check_shape(symbols.shape)
        arguments.mask_of(mask, symbols)
        batch, n = symbols.shape
        column = keras.KerasTensor((batch, n, self.maps), self.compute_dtype)
        if not return_images:
            return column
        steps = None if n is None else n * self.steps_multiplier + 1
        images = (batch, steps, n, self.width, self.maps)
        return column, keras.KerasTensor(images, self.compute_dtype)

    def compute_output_shape(self, symbols_shape: Shape) -> Shape:
        """The shape of the first column."""
        return (*symbols_shape, self.maps)

    def compute_mask(self, symbols: Tensor, mask: Tensor | None = None) -> Any:
        """True inside each example."""
        if mask is None and self.padding is not None:
            return ops.not_equal(ops.cast(symbols, "int32"), self.padding)
        return mask

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again."""
        if self.makes_cells:
            config = self.cells[0].get_config()
            of_cells = {name: config[name] for name in sorted(OF_CELLS)}
            of_cells["num_layers"] = self.num_layers
        else:
            of_cells = {"cell": [keras.saving.serialize_keras_object(x) for x in self.cells]}
        return {
            **super().get_config(),
            "symbols": self.symbols,
            "width": self.width,
            **of_cells,
            "relaxation_pull": self.first_relaxation_pull,
            **self.dropout.get_config(),
            "steps_multiplier": self.steps_multiplier,
            "recompute": self.recompute,
            "padding": self.padding,
            "seed": self.seed,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A layer from `get_config`."""
        return super().from_config(restored(config, ["cell"]))


def set_steps_multiplier(model: keras.layers.Layer, steps_multiplier: int) -> None:
    """Sets how many steps the Neural GPUs of a trained model take for each symbol.

    With as many steps as symbols, a carry through all digits of a product may not have the time to
    arrive: a network that was trained with one step for each symbol then answers better with two.
    `fit`, `evaluate` and `predict` of the model are traced anew; a `tf.function` of your own keeps
    the number that it was traced with.

    Args:
        model: a `keras.Model` or layer with a `NeuralGPU`, however deep inside.
        steps_multiplier: integer >= 1.

    Raises:
        TypeError, ValueError: `steps_multiplier` is out of its range, or there is no `NeuralGPU`.

    Example:

    >>> layer = NeuralGPU(4, maps=8)
    >>> model = keras.Sequential([keras.Input((None,), dtype="int32"), layer])
    >>> set_steps_multiplier(model, 2)
    >>> layer.steps_multiplier
    2
    """
    arguments.instance("model", model, keras.layers.Layer, "a Keras model or layer")
    steps_multiplier = arguments.integer("steps_multiplier", steps_multiplier, least=1)
    found = [layer for layer in model._flatten_layers() if isinstance(layer, NeuralGPU)]
    if not found:
        arguments.refuse("model", model, "a model with a `NeuralGPU`")
    for layer in found:
        layer.steps_multiplier = steps_multiplier
    if isinstance(model, keras.Model):
        model.train_function = model.test_function = model.predict_function = None


def _checked_cells(cell, dtype):
    """The CGRUs that were given, which must go together."""
    cells = list(cell) if isinstance(cell, (list, tuple)) else [cell]
    if not cells or not all(isinstance(each, CGRU) for each in cells):
        arguments.refuse("cell", cell, "an integer of at least 1, a `CGRU`, or a list of them")
    if len({id(each) for each in cells}) < len(cells):
        arguments.refuse("cell", cell, "a list of different `CGRU`s, which share no weights")
    for name in ("maps", "relaxation", "saturation_cost"):
        if len({getattr(each, name) for each in cells}) > 1:
            arguments.refuse("cell", cell, f"a list of `CGRU`s with the same `{name}`")
    for each in cells:
        if each.dropout:
            arguments.refuse("cell", cell, "without dropout, which is an argument of `NeuralGPU`")
        if each.compute_dtype != dtype:
            arguments.refuse("cell", cell, f"of the layer's compute dtype, {dtype}")
    return cells


def _check_shape(symbols):
    if len(symbols) != 2 or symbols[1] == 0:
        raise ValueError(
            "`symbols` must have the shape (batch, n) with n of at least 1. "
            f"Received: {tuple(symbols)}"
        )
