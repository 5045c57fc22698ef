"""A residual network for small images that learns how many units each place of them needs."""

import contextlib
from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from keras import ops

from .. import arguments
from ..configuration import restored
from ..control import controller_of
from ..residual import ResidualACT, ResidualUnit, flops
from ..residual.norm import BatchNormalization
from ..types import Tensor
from .adaptive import AdaptiveModel, answer_dtype

# The layers of `pooling`.
POOLING = {
    "mean": keras.layers.GlobalAveragePooling2D,
    "max": keras.layers.GlobalMaxPooling2D,
}


@keras.saving.register_keras_serializable(package="keras_adaptive")
class AdaptiveResNet(AdaptiveModel):
    """A ResNet of blocks of residual units, each of which halts by ACT or SACT.

    A convolution of 3×3, then a `layers.ResidualACT` of `ResidualUnit`s for each of `filters`, the
    first unit of all but the first block halving the resolution, then batch normalization, a leaky
    ReLU, the mean or the maximum over all positions, and a softmax. With 5 units per block this is
    the "ResNet-32" of the paper, with 18 its "ResNet-110". `keras.models.clone_model` makes a plain
    functional model of it: copy the model by `from_config`.

    Args:
        input_shape: `(height, width, channels)`, of which height and width may be `None`, for
            images of any size. Defaults to `(32, 32, 3)`.
        classes: integer >= 2. Defaults to `10`.
        units: integer >= 1, of each block. Defaults to `5`.
        filters: list of integers, the channels of each block. Defaults to `(16, 32, 64)`.
        halting: `"sact"` (each position halts by itself), `"act"` (each image does), or `None`: the
            plain network. Defaults to `"sact"`.
        time_penalty, epsilon, halting_bias, target_ponder, global_logit: of `layers.ResidualACT`,
            the same for each block. `time_penalty` defaults to `0.005`; `global_logit` only matters
            with `"sact"`.
        negative_slope: float >= 0, of the leaky ReLU. Defaults to `0.1`.
        pooling: `"mean"`, as in the paper, or `"max"`, with which the answer does not depend on how
            much of an image is background. Defaults to `"mean"`.
        **kwargs: of `keras.Model`; `dtype` is the policy of all layers.

    Raises:
        ValueError: if an argument is out of its range, or `target_ponder` is given without halting.

    Example:

    >>> model = AdaptiveResNet((32, 32, 1), units=2, filters=(4, 8))
    >>> images = np.ones((3, 32, 32, 1), "float32")
    >>> model(images).shape == (3, 10), [n.shape for n in model.units_taken(images)]
    (True, [(3, 32, 32), (3, 16, 16)])

    Source: Figurnov et al., "Spatially Adaptive Computation Time for Residual Networks" (2017),
    arXiv:1612.02297, section 4.2.
    """

    def __init__(
        self,
        input_shape: Sequence[int | None] = (32, 32, 3),
        classes: int = 10,
        units: int = 5,
        filters: Sequence[int] = (16, 32, 64),
        halting: str | None = "sact",
        time_penalty: float = 0.005,
        epsilon: float = 0.01,
        halting_bias: float = -3.0,
        target_ponder: Any = None,
        negative_slope: float = 0.1,
        global_logit: bool = True,
        pooling: str = "mean",
        **kwargs: Any,
    ):
        config = {
            "input_shape": _checked_shape(input_shape),
            "classes": arguments.integer("classes", classes, least=2),
            "units": arguments.integer("units", units, least=1),
            "filters": _checked_filters(filters),
            "halting": arguments.choice("halting", halting, ("sact", "act", None)),
            "time_penalty": arguments.number("time_penalty", time_penalty, least=0),
            "epsilon": arguments.number("epsilon", epsilon, least=0, below=1),
            "halting_bias": arguments.number("halting_bias", halting_bias),
            "target_ponder": controller_of(target_ponder),
            "negative_slope": arguments.number("negative_slope", negative_slope, least=0),
            "global_logit": arguments.boolean("global_logit", global_logit),
            "pooling": arguments.choice("pooling", pooling, tuple(POOLING)),
        }
        if halting is None and target_ponder is not None:
            raise ValueError(
                "Argument `target_ponder` is for halting='act' or 'sact'. "
                f"Received: halting=None, target_ponder={target_ponder!r}"
            )
        with _policy(kwargs.pop("dtype", None)):
            inputs, outputs, blocks = _network(config)
            super().__init__(inputs, outputs, **kwargs)
        self._config, self._blocks = config, blocks
        self._predict_steps = None

    def call(self, inputs: Tensor, training: bool | None = None, mask: Any = None) -> Tensor:
        """The probabilities of the classes, `(batch, classes)`."""
        if inputs.shape[0] != 0:
            return super().call(inputs, training=training, mask=mask)
        # Some kernels of TensorFlow fail on a batch without images.
        one = ops.zeros((1, *inputs.shape[1:]), inputs.dtype)
        return super().call(one, training=False)[:0]

    def units_taken(self, images: Tensor) -> list[np.ndarray]:
        """N of each block: `(batch, height, width)` with SACT, else `(batch,)`.

        Args:
            images: `(batch, height, width, channels)`.
        """
        return [np.round(steps).astype(int) for steps, _ in self._ponder(images)]

    def ponder_map(self, images: Tensor) -> np.ndarray:
        """ρ = N + R of all blocks together for each pixel, `(batch, height, width)`.

        Maps of lower resolution are enlarged, as in the paper.
        """
        steps, remainder = zip(*self._ponder(images))
        return self.map_of(steps, remainder, np.shape(images)[1:3])

    @staticmethod
    def map_of(
        steps: Sequence[np.ndarray], remainder: Sequence[np.ndarray], size: Sequence[int]
    ) -> np.ndarray:
        """As `ponder_map`, from N and R of each block for images of a height and a width."""
        total = np.zeros((len(steps[0]), *size))
        for taken, rest in zip(steps, remainder):
            ponder = taken + rest
            ponder = ponder if ponder.ndim == 3 else ponder[:, None, None]
            rows, columns = (np.arange(n) * m // n for n, m in zip(size, ponder.shape[1:]))
            total += ponder[:, rows][:, :, columns]
        return total

    def flops(self, images: Tensor) -> np.ndarray:
        """Floating-point operations for each image, as far as it is computed: float64 `(batch,)`.

        As in the paper, those of convolutions and of the last layer, at running positions; the
        first convolution of a unit is also needed at their neighbours. The halting units count.
        """
        return self.flops_of(self.units_taken(images), np.shape(images)[1:3])

    def flops_of(self, steps: Sequence[np.ndarray], size: Sequence[int]) -> np.ndarray:
        """As `flops`, from what `units_taken` returned for images of a height and a width."""
        return self._flops(steps, size, self._config["halting"])

    def plain_flops(self, size: Sequence[int]) -> float:
        """Those of the network without halting, for an image of this height and width."""
        full = np.full(1, self._config["units"])
        return float(self._flops([full] * len(self._blocks), size, None)[0])

    def _flops(self, steps, size, halting):
        """As `flops_of`, with the halting units of "act", "sact" or None."""
        config = self._config
        *_, before = config["input_shape"]
        total = np.zeros(len(steps[0]))
        wide = config["filters"][0]
        global_logit = config["global_logit"] or halting != "sact"
        total += flops.convolution(size[0] * size[1], 3, before, wide)
        before = wide
        for units, taken in zip(self._blocks, steps):
            size = [-(-n // units[0].strides) for n in size]
            total += flops.block(units, taken, halting, size, before, global_logit)
            before = units[0].filters
        return total + flops.convolution(1, 1, before, config["classes"])

    def _ponder(self, images):
        """N and R of each block as NumPy arrays."""
        if self._config["halting"] is None:
            full = np.full(len(images), float(self._config["units"]))
            return [(full, np.zeros_like(full))] * len(self._blocks)
        if self._predict_steps is None:
            # In the order of the names of the dict: remainder, steps.
            outputs = [self.get_layer(_name(i)).output[1:] for i in range(len(self._blocks))]
            # Of a model as an attribute, Keras would make a part of this one.
            model = keras.Model(self.inputs, keras.tree.flatten(outputs))
            self._predict_steps = model.predict_on_batch
        images = np.asarray(images)
        at_least_one = images if len(images) else np.zeros((1, *images.shape[1:]), images.dtype)
        outputs = [np.asarray(x)[: len(images)] for x in self._predict_steps(at_least_one)]
        return list(zip(outputs[1::2], outputs[::2]))

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this model again."""
        target = self._config["target_ponder"]
        if self._config["halting"] is not None:
            target = self.get_layer(_name(0)).target_ponder  # It may have been set.
        return {
            **self._config,
            "target_ponder": keras.saving.serialize_keras_object(target),
            "name": self.name,
            "dtype": self.dtype_policy.name,
            "trainable": self.trainable,
            "frozen": [n for n, layer in enumerate(_parts(self)) if not layer.trainable],
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> "AdaptiveResNet":
        """A model from `get_config`."""
        config = restored(config, ["target_ponder"])
        frozen, trainable = config.pop("frozen", ()), config.pop("trainable", True)
        model = cls(**config)
        model.trainable = trainable
        # A layer sets those inside of it too, and comes before them.
        for number, part in enumerate(_parts(model)):
            part.trainable = number not in frozen
        return model


def _parts(model):
    """All layers, also those inside of others, in their order."""
    return list(model._flatten_layers(include_self=False))


@contextlib.contextmanager
def _policy(dtype):
    """A context in which layers have a dtype policy, unless it is None."""
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(before if dtype is None else dtype)
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)


def _network(config):
    """Inputs and outputs of the network, and the units of each block."""
    slope = config["negative_slope"]
    inputs = keras.Input(config["input_shape"], name="inputs")
    x = keras.layers.Conv2D(
        config["filters"][0],
        3,
        padding="same",
        data_format="channels_last",
        use_bias=False,
        kernel_initializer="he_normal",
        name="stem",
    )(inputs)
    blocks = []
    for number, filters in enumerate(config["filters"]):
        units = [
            ResidualUnit(
                filters,
                strides=2 if number and not i else 1,
                negative_slope=slope,
                name=f"{_name(number)}_unit_{i + 1}",
            )
            for i in range(config["units"])
        ]
        blocks.append(units)
        x = _halting_block(config, units, _name(number), x)
    x = BatchNormalization(momentum=0.9, name="norm")(x)
    x = keras.layers.LeakyReLU(negative_slope=slope, name="activation")(x)
    x = POOLING[config["pooling"]](data_format="channels_last", name="pool")(x)
    answer = keras.layers.Dense(config["classes"], "softmax", dtype=answer_dtype(), name="answer")
    return inputs, answer(x), blocks


def _halting_block(config, units, name, x):
    """The output of the units on x; without halting, of all of them."""
    if config["halting"] is None:
        for unit in units:
            x = unit(x)
        return x
    # A controller has a state for each layer.
    layer = ResidualACT(
        units,
        spatial=config["halting"] == "sact",
        epsilon=config["epsilon"],
        time_penalty=config["time_penalty"],
        halting_bias=config["halting_bias"],
        target_ponder=config["target_ponder"],
        global_logit=config["global_logit"] or config["halting"] != "sact",
        return_ponder=True,
        name=name,
    )
    return layer(x)[0]


def _name(block):
    return f"block_{block + 1}"


def _checked_shape(shape):
    allowed = (
        "(height, width, channels), with the channels last, of which height and width may be None"
    )
    if not isinstance(shape, (list, tuple)) or len(shape) != 3 or shape[-1] is None:
        arguments.refuse("input_shape", shape, allowed)
    for size in shape:
        if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 1):
            arguments.refuse("input_shape", shape, allowed)
    first, *_, last = shape
    if first in (1, 3) and last > 4:
        arguments.refuse("input_shape", shape, allowed)
    return tuple(shape)


def _checked_filters(filters):
    allowed = "a list of at least one integer of at least 1"
    if not isinstance(filters, (list, tuple)) or not filters:
        arguments.refuse("filters", filters, allowed)
    return tuple(arguments.integer("filters", count, least=1) for count in filters)
