"""Some positions of feature maps and those around them, as the rows of matrices."""

import itertools
from typing import Any, NamedTuple

from keras import ops

from .. import backend
from ..types import Tensor


class Positions(NamedTuple):
    """Some positions of feature maps, and all that are at most a few positions away from them.

    Their values are the rows of a matrix: first those of the positions themselves, then those that
    are one position away (diagonally too), then those that are two away, and so on.

    Attributes:
        numbers: int32 `(rows,)`, the number of each row's position among those of all maps.
        counts: the numbers of rows that are at most 0, 1, … positions away.
        images: int32 `(counts[0],)`, the number of the image that each chosen position is of.
        neighbours: int32 `(counts[-2], 9)`, the rows of the 3×3 positions around each, from 1 on; 0
            is what lies outside of an image.
    """

    numbers: Any
    counts: tuple[Any, ...]
    images: Any
    neighbours: Any

    @classmethod
    def of(cls, chosen: Tensor, distance: int) -> "Positions":
        """Those that are chosen, and those around them.

        Args:
            chosen: boolean `(batch, height, width)`.
            distance: integer >= 1, how far away the positions around them may be.
        """
        rings, before = [], None
        for _ in range(distance + 1):
            rings.append(_numbers(chosen if before is None else chosen & ~before))
            before, chosen = chosen, dilated(chosen)
        numbers, counts = ops.concatenate(rings), _counts(rings)
        batch, height, width = ops.shape(chosen)
        # With a margin of one position around each image, a neighbour is always at the same offset.
        across = width + 2
        image, place = numbers // (height * width), numbers % (height * width)
        places = (image * (height + 2) + place // width + 1) * across + place % width + 1
        size = batch * (height + 2) * across
        rows = ops.scatter(places[:, None], _from_1(counts[-1]), (size,))
        offsets = [line * across + column for line in (-1, 0, 1) for column in (-1, 0, 1)]
        offsets = ops.cast(ops.stack(offsets), "int32")
        neighbours = backend.parts.take(rows, places[: counts[-2], None] + offsets)
        return cls(numbers, counts, image[: counts[0]], neighbours)

    def among(self, running: Tensor) -> tuple["Positions", Tensor]:
        """Those of the chosen positions that are still running, and those around these.

        Args:
            running: boolean `(counts[0],)`.

        Returns:
            The `Positions`, and int32 `(rows,)`, the rows in which they were before.
        """
        rings = [_numbers(running)]
        seen = ops.zeros((self.counts[-1] + 1,), "bool")
        for _ in self.counts[1:]:
            seen = _marked(seen, rings[-1] + 1)
            around = ops.reshape(backend.parts.take(self.neighbours, rings[-1]), (-1,))
            rings.append(_numbers((_marked(seen, around) & ~seen)[1:]))
        before, counts = ops.concatenate(rings), _counts(rings)
        rows = ops.scatter(before[:, None] + 1, _from_1(counts[-1]), (self.counts[-1] + 1,))
        neighbours = backend.parts.take(self.neighbours, before[: counts[-2]])
        still = Positions(
            backend.parts.take(self.numbers, before),
            counts,
            backend.parts.take(self.images, rings[0]),
            backend.parts.take(rows, neighbours),
        )
        return still, before

    def convolve(self, values: Tensor, kernel: Tensor, distance: int) -> Tensor:
        """A convolution of 3×3, whose padding is zero.

        Args:
            values: `(counts[distance + 1], channels)`.
            kernel: `(3, 3, channels, filters)`.
            distance: of the farthest positions at which it is computed.

        Returns:
            `(counts[distance], filters)`.
        """
        around = backend.parts.take(_with_zero(values), self.neighbours[: self.counts[distance]])
        size = 9 * values.shape[-1]
        kernel = ops.reshape(ops.cast(kernel, values.dtype), (size, -1))
        return ops.matmul(ops.reshape(around, (-1, size)), kernel)

    def sum_of_neighbours(self, scores: Tensor) -> Tensor:
        """What the 3×3 positions around the chosen ones add to them.

        Args:
            scores: `(9, counts[1])`, what each position adds to each of those around it.

        Returns:
            `(counts[0],)`.
        """
        scores = ops.pad(scores, [[0, 0], [1, 0]])
        firsts = ops.shape(scores)[1] * ops.arange(9, dtype="int32")
        places = self.neighbours[: self.counts[0]] + firsts
        return ops.sum(backend.parts.take(ops.reshape(scores, (-1,)), places), axis=1)


def dilated(chosen: Tensor) -> Tensor:
    """`chosen` or one of the 8 positions around it: boolean `(batch, height, width)`."""
    rows = ops.pad(chosen, [[0, 0], [1, 1], [0, 0]])
    chosen = rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]
    columns = ops.pad(chosen, [[0, 0], [0, 0], [1, 1]])
    return columns[:, :, :-2] | columns[:, :, 1:-1] | columns[:, :, 2:]


def _with_zero(rows):
    """Rows behind one of zeros."""
    return ops.pad(rows, [[1, 0], [0, 0]])


def _numbers(chosen):
    """The numbers of those that are true, int32."""
    return ops.cast(ops.nonzero(ops.reshape(chosen, (-1,)))[0], "int32")


def _counts(rings):
    """The number of rows up to each ring."""
    return tuple(itertools.accumulate(ops.shape(ring)[0] for ring in rings))


def _from_1(count):
    return ops.arange(1, count + 1, dtype="int32")


def _marked(marks, places):
    """Marks, and those at some places."""
    return ops.scatter_update(marks, places[:, None], ops.ones_like(places, "bool"))
