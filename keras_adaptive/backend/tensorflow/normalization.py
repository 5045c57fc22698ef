"""Batch normalization of maps in one operation of TensorFlow."""

import tensorflow as tf

from ...types import Tensor


def batch_normalized(
    x: Tensor,
    scale: Tensor,
    offset: Tensor,
    epsilon: float,
    statistics: tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Batch normalization in one operation.

    Args:
        x: float32 `(batch, height, width, channels)`.
        scale, offset: float32 `(channels,)`.
        epsilon: float, added to the variance.
        statistics: the mean and the variance of each channel, float32 `(channels,)`; by default
            those of the batch.

    Returns:
        The normalized `x`, and the mean and the variance of each channel.
    """
    mean, variance = statistics or (tf.zeros([0]), tf.zeros([0]))
    y, mean, variance, *_ = tf.raw_ops.FusedBatchNormV3(
        x=x,
        scale=tf.convert_to_tensor(scale),
        offset=tf.convert_to_tensor(offset),
        mean=tf.convert_to_tensor(mean),
        variance=tf.convert_to_tensor(variance),
        epsilon=epsilon,
        is_training=statistics is None,
    )
    if statistics is not None:
        return y, mean, variance
    # The operation gives the unbiased variance, of n - 1 positions instead of n.
    count = tf.cast(tf.reduce_prod(tf.shape(x)[:3]), variance.dtype)
    return y, mean, variance * (count - 1) / count
