"""Feature maps cut into square tiles; the running tiles are gathered with a margin."""

from typing import Any, NamedTuple

from keras import ops

from ..types import Tensor


class Patches(NamedTuple):
    """Where the positions of some tiles are, with a margin.

    Attributes:
        rows: int `(tiles, side + 2 halo, side + 2 halo)`, the numbers of the positions among all.
        inside: of the same shape and an axis of 1, whether they lie inside the image.
    """

    rows: Any
    inside: Any


class Tiles:
    """The tiles of feature maps, which are padded to a whole number of them.

    Args:
        shape: `(batch, height, width, channels)` of the maps; integers or scalar tensors.
        side: integer >= 1, positions of a tile in each direction.
    """

    def __init__(self, shape: Any, side: int):
        self.batch, self.height, self.width, self.channels = shape
        self.side = side
        self.down, self.across = (-(-size // side) for size in (self.height, self.width))
        self.padded_height, self.padded_width = self.down * side, self.across * side

    @property
    def fits(self) -> bool:
        """Whether it is known that nothing has to be padded."""
        sizes = (self.height, self.width)
        return all(isinstance(size, int) and size % self.side == 0 for size in sizes)

    def rows(self, maps: Tensor) -> Tensor:
        """`(positions, channels)` of maps, padded by zeros."""
        if not self.fits:
            below = self.padded_height - self.height
            right = self.padded_width - self.width
            maps = ops.pad(maps, [[0, 0], [0, below], [0, right], [0, 0]])
        return ops.reshape(maps, (-1, maps.shape[-1]))

    def maps(self, rows: Tensor) -> Tensor:
        """The maps `(batch, height, width, …)` of rows, without the padding."""
        shape = (self.batch, self.padded_height, self.padded_width, *rows.shape[1:])
        maps = ops.reshape(rows, shape)
        return maps if self.fits else maps[:, : self.height, : self.width]

    def inside(self) -> Tensor:
        """Which rows are positions of an image, boolean `(positions,)`."""
        size = (self.batch, self.height, self.width, 1)
        return self.rows(ops.ones(size, "int32"))[:, 0] > 0

    def with_any(self, rows: Tensor) -> Tensor:
        """Which tiles have a position where `rows` is true, boolean `(tiles,)`."""
        parts = (-1, self.side, self.across, self.side)
        return ops.reshape(ops.any(ops.reshape(rows, parts), axis=(1, 3)), (-1,))

    def images_of(self, tiles: Tensor) -> Tensor:
        """The number of the image that each tile is of."""
        return tiles // self._whole(self.down * self.across, tiles)

    def patches(self, tiles: Tensor, halo: int) -> Patches:
        """The positions of tiles, with a margin of `halo` positions to each side."""
        across = self._whole(self.across, tiles)
        down = self._whole(self.down, tiles)
        image, place = self.images_of(tiles), tiles % (down * across)
        offsets = ops.arange(-halo, self.side + halo, dtype=tiles.dtype)
        y = (place // across)[:, None] * self.side + offsets
        x = (place % across)[:, None] * self.side + offsets
        height, width = (self._whole(n, tiles) for n in (self.height, self.width))
        rows, columns = (y >= 0) & (y < height), (x >= 0) & (x < width)
        # What lies outside is read at the edge, and does not count.
        y, x = ops.clip(y, 0, height - 1) if halo else y, ops.clip(x, 0, width - 1) if halo else x
        padded_height = self._whole(self.padded_height, tiles)
        padded_width = self._whole(self.padded_width, tiles)
        first = (image[:, None] * padded_height + y) * padded_width
        inside = rows[:, :, None] & columns[:, None]
        return Patches(first[:, :, None] + x[:, None], inside[..., None])

    @staticmethod
    def _whole(number, like):
        return ops.cast(number, like.dtype)
