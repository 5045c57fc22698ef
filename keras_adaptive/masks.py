"""The masks that Keras attaches to tensors."""

import keras
from keras import ops
from keras.src.backend.common import masking

from . import arguments
from .types import Tensor


def attached_mask(x: Tensor) -> Tensor | None:
    """The mask that `Masking` or `Embedding` attached to a tensor, or None."""
    # On JAX a traced tensor has no attributes: only Keras knows where its mask is.
    return masking.get_keras_mask(x)


def mask_or_attached(mask: Tensor | None, inputs: Tensor) -> Tensor | None:
    """`mask`, or if it is None the mask attached to the inputs, checked; or None.

    Keras fills the argument `mask` of a call only where the inputs are its only tensors: beside
    an `initial_state` it leaves it out.

    Raises:
        ValueError: if the mask has not as many rows and positions as the inputs.
    """
    return arguments.mask_of(attached_mask(inputs) if mask is None else mask, inputs)


def differs(vectors: Tensor, padding: float) -> Tensor:
    """Which vectors `(…, size)` are not all `padding`: boolean `(…,)`.

    >>> [bool(x) for x in differs(np.array([[0, 255], [255, 255]], "uint8"), 255.0)]
    [True, False]
    """
    if not keras.backend.is_float_dtype(vectors.dtype):
        # In another dtype the padding would become a number that vectors have: -1 is True.
        vectors = ops.cast(vectors, "float32")
    return ops.any(ops.not_equal(vectors, ops.cast(padding, vectors.dtype)), axis=-1)


def drop_mask(layer: keras.layers.Layer) -> keras.layers.Layer:
    """Lets a layer that does not know masks take an input with one, without Keras's warning.

    Its outputs have no mask, as before. The configuration of a layer does not keep this.

    Args:
        layer: a Keras layer.

    Returns:
        The layer.

    Example:

    >>> layer = drop_mask(keras.layers.Reshape((-1,)))
    >>> attached_mask(layer(keras.layers.Masking()(np.ones((1, 2, 3))))) is None
    True
    """
    arguments.instance("layer", layer, keras.layers.Layer, "a Keras layer")
    layer.supports_masking = True
    layer.compute_mask = _no_mask
    return layer


def _no_mask(inputs, mask=None):
    return None
