"""The weights and the output shapes of layers that are parts of others.

A class of layers needs neither `build` nor `compute_output_shape` of its own: where Keras calls
such a layer, it finds out by a call on symbolic inputs.
"""

from typing import Any

import keras
from keras import ops

from .types import Shape, Tensor


def builds_itself(layer: keras.layers.Layer) -> bool:
    """Whether the class of a layer has a `build` of its own."""
    return type(layer).build is not keras.layers.Layer.build


def build(layer: keras.layers.Layer, shape: Shape) -> None:
    """Creates the weights of a layer for inputs of a shape, if it has none yet."""
    if not layer.built and builds_itself(layer):
        layer.build(shape)
    if has_unbuilt_parts(layer):
        layer(symbolic(shape, layer))


def has_unbuilt_parts(layer: keras.layers.Layer) -> bool:
    """Whether a layer inside, or the layer itself, is not built.

    Keras marks a layer without `build` as built when it is loaded, but not the layers inside.
    """
    return any(not part.built for part in layer._flatten_layers())


def output_shape(layer: keras.layers.Layer, shape: Shape) -> Shape:
    """The shape of a layer's output for inputs of a shape."""
    default = keras.layers.Layer.compute_output_shape
    if type(layer).compute_output_shape is default:
        return tuple(layer.compute_output_spec(symbolic(shape, layer)).shape)
    return tuple(layer.compute_output_shape(shape))


def symbolic(shape: Shape, layer: Any) -> keras.KerasTensor:
    """A symbolic input of a layer."""
    return keras.KerasTensor(shape, dtype=layer.compute_dtype)


def with_features(x: Tensor, features: Any) -> Tensor:
    """A tensor with a fixed last axis, also where a `tf.data.Dataset` leaves its size unknown."""
    unknown = len(x.shape) > 0 and x.shape[-1] is None
    return ops.reshape(x, (*ops.shape(x)[:-1], features)) if unknown else x
