"""Batch normalization of maps, in one operation where the backend has it."""

from typing import Any

import keras
from keras import ops

from .. import backend
from ..types import Tensor


@keras.saving.register_keras_serializable(package="keras_adaptive")
class BatchNormalization(keras.layers.BatchNormalization):
    """`keras.layers.BatchNormalization` of maps `(batch, height, width, channels)`.

    The same values, gradients and weights. In training on TensorFlow, Keras's own makes a pass over
    the maps for each operation that it consists of; this layer runs TensorFlow's fused one, with
    which a residual network trains up to twice as fast on a CPU. The class has the name of
    Keras's because Keras finds the weights in a `.keras` file by it, so that either reads the
    other's files.

    Args:
        **kwargs: of `keras.layers.BatchNormalization`, but for `axis`, `center`, `scale`, `renorm`
            and `synchronized`, which are its defaults.

    Example:

    >>> layer = BatchNormalization()
    >>> out = layer(np.arange(8, dtype="float32").reshape(2, 2, 2, 1), training=True)
    >>> round(float(out.numpy().std()), 3)
    1.0
    """

    def call(self, inputs: Tensor, training: bool | None = None, mask: Any = None) -> Tensor:
        """Normalizes by the statistics of the batch in training, else by the running ones."""
        dtype = keras.backend.result_type(inputs.dtype, "float32")
        dtypes = {dtype, self.variable_dtype}
        if backend.batch_normalized is None or dtypes != {"float32"} or mask is not None:
            return super().call(inputs, training=training, mask=mask)
        of_batch = training and self.trainable
        running = self.moving_mean, self.moving_variance
        outputs, *found = backend.batch_normalized(
            ops.cast(inputs, dtype),
            self.gamma,
            self.beta,
            self.epsilon,
            statistics=None if of_batch else running,
        )
        if of_batch:
            for old, new in zip(running, found, strict=True):
                old.assign(old * self.momentum + new * (1.0 - self.momentum))
        return ops.cast(outputs, self.compute_dtype)
