"""Convolutions of a mental image, in the formulation that is fast on each backend.

On TensorFlow that is its own convolution. XLA on CPU is 10 to 20 times slower with the gradient of
a convolution inside a loop (https://github.com/jax-ml/jax/issues/12868), so on JAX the image's
width is folded into its channels, the kernel becomes one along the length alone, and the
convolution one matrix product.
"""

import itertools

import keras
import numpy as np
from keras import ops

from ..types import Tensor


def folds() -> bool:
    """Whether images are kept with their width folded into the channels."""
    return keras.config.backend() == "jax"


def fold(image: Tensor) -> Tensor:
    """(batch, length, width, maps) as `convolve` wants it."""
    return ops.reshape(image, (*ops.shape(image)[:2], -1)) if folds() else image


def unfold(image: Tensor, width: int) -> Tensor:
    """The inverse of `fold`."""
    if not folds():
        return image
    batch, length, channels = ops.shape(image)
    return ops.reshape(image, (batch, length, width, channels // width))


def spread(bias: Tensor, width: int, parts: int = 1) -> Tensor:
    """A bias (…, maps) as it is added to what `convolve` gives; `parts` as in `prepare`."""
    if not folds():
        return bias
    *sets, maps = bias.shape
    bias = ops.reshape(bias, (*sets, parts, 1, maps // parts))
    return ops.reshape(ops.tile(bias, [1] * (len(sets) + 1) + [width, 1]), (*sets, width * maps))


def prepare(kernel: Tensor, width: int, parts: int = 1) -> Tensor:
    """A kernel (…, height, columns, maps, new maps) as `convolve` wants it for a width.

    Folded it is (…, height · width · maps, width · new maps): position j of the image's width sees
    position i through the kernel's column i − j + half the columns. When the new maps are to be
    split into `parts`, each part has all of the width.
    """
    if not folds():
        return kernel
    *sets, height, columns, maps, new_maps = kernel.shape
    seen = np.zeros((width, width, columns), "float32")
    for i in range(width):
        for j in range(width):
            column = i - j + columns // 2
            if 0 <= column < columns:
                seen[i, j, column] = 1.0
    seen = ops.convert_to_tensor(seen, kernel.dtype)
    kernel = ops.reshape(kernel, (*sets, height, columns, maps, parts, new_maps // parts))
    folded = ops.einsum("ijc,...hcapb->...hiapjb", seen, kernel)
    return ops.reshape(folded, (*sets, height * width * maps, width * new_maps))


def convolve(image: Tensor, kernel: Tensor) -> Tensor:
    """The convolution of an image with a prepared kernel; beyond its edges the image is zero."""
    if not folds():
        return ops.conv(image, kernel, padding="same")
    channels = image.shape[-1]
    half = kernel.shape[0] // channels // 2
    length = ops.shape(image)[1]
    padded = ops.pad(image, ((0, 0), (half, half), (0, 0)))
    views = [padded[:, row : row + length] for row in range(2 * half + 1)]
    return ops.matmul(ops.concatenate(views, axis=-1), kernel)


def shift(image: Tensor, width: int) -> Tensor:
    """The image with some of its maps moved by one position, zeros moving in.

    The maps are cut into 3 groups, or 5 when the image has a width: the first stays, the next two
    move forward and back along the length, the last two along the width.

    Source: Freivalds & Liepins (2017), arXiv:1702.08727, diagonal gates (in one dimension).
    """
    groups = 3 if width == 1 else 5
    move = _move_by_choice if folds() else _move_by_slices
    return fold(move(unfold(image, width), groups))


def _starts(maps, groups):
    """Where each group of maps begins, and the last one ends."""
    moved = maps // groups
    return [0, *(maps - moved * (groups - 1 - i) for i in range(groups - 1)), maps]


def _move_by_slices(image, groups):
    starts = _starts(image.shape[-1], groups)
    parts = [image[..., a:b] for a, b in itertools.pairwise(starts)]
    parts[1:] = [_moved(part, 1 + i // 2)[i % 2] for i, part in enumerate(parts[1:])]
    return ops.concatenate(parts, axis=-1)


def _move_by_choice(image, groups):
    """XLA compiles this, and its gradient, to one loop over vectors. Slices, and the gradient of
    padding, would test at each element which part it belongs to."""

    @ops.custom_gradient
    def move(image):
        return _chosen(image, groups, 0), lambda gradient: _chosen(gradient, groups, 1)

    return move(image)


def _chosen(image, groups, back):
    """The groups of maps moved, each as `shift` says, or (`back` = 1) all the other way."""
    number, starts = np.arange(image.shape[-1]), _starts(image.shape[-1], groups)
    moved = [x for axis in range(1, 1 + groups // 2) for x in _moved(image, axis)]
    chosen = image
    for i, start in enumerate(starts[1:-1]):
        chosen = ops.where(number < start, chosen, moved[i ^ back])
    return chosen


def _moved(image, axis):
    """The image, moved forward and back by one position along an axis."""
    size = ops.shape(image)[axis]
    padded = ops.pad(image, [(1, 1) if i == axis else (0, 0) for i in range(4)])
    first = [slice(None)] * axis
    return padded[*first, :size], padded[*first, 2 : size + 2]
