"""How time is saved in inference: what has halted is not computed.

Images that have halted are left out of the batch; of images whose positions halt by themselves,
the running tiles are gathered with a margin, computed, and put back.
"""

from collections.abc import Callable, Sequence
from typing import Any

from keras import ops

from .. import backend
from ..halting.unrolled import Progress, with_all_rows
from ..types import Tensor
from .tiles import Tiles

# Positions of a tile in each direction, and the largest share of tiles, or of images, for which it
# is faster to compute some alone (benchmarks/residual.py).
TILE = 8
MOST_TILES = 0.2
MOST_IMAGES = 0.9


def tile_side(units: Sequence[Any], features: Tensor) -> int | None:
    """The side of the tiles that saves time here; `None` if computing all positions is faster.

    Args:
        units: of the block; those after the first must have `halo` and `on_patches`.
        features: `(batch, height, width, channels)`, what the first unit made.
    """
    by_patches = all(hasattr(unit, "halo") and hasattr(unit, "on_patches") for unit in units[1:])
    if backend.parts is None or not by_patches or not backend.parts.saves_time():
        return None
    return TILE


def by_image() -> Callable[..., Progress] | None:
    """A function that computes a step for the running images; `None` if that saves no time."""
    if backend.parts is None or not backend.parts.saves_time():
        return None

    def advance(body, n, progress):
        def some(images):
            return _with_rows(body, n, progress, images)

        return Progress(
            *backend.parts.some_or_all(
                progress.running,
                MOST_IMAGES,
                some,
                lambda: tuple(with_all_rows(body, n, progress)),
                tuple(progress),
            )
        )

    return advance


def by_tile(tiles: Tiles) -> Callable[..., Progress]:
    """A function that computes a step for the tiles with a running position."""

    def advance(body, n, progress):
        def some(chosen):
            rows = ops.reshape(tiles.patches(chosen, 0).rows, (-1,))
            return _with_rows(body, n, progress, rows, Patched(tiles, chosen, rows, progress))

        return Progress(
            *backend.parts.some_or_all(
                tiles.with_any(progress.running),
                MOST_TILES,
                some,
                lambda: tuple(with_all_rows(body, n, progress)),
                tuple(progress),
            )
        )

    return advance


def _with_rows(body, n, progress, rows, *where):
    """Takes step `n` with some rows, and puts what came out in their places."""
    carry, running = backend.parts.take((progress.carry, progress.running), rows)
    share, carry, running = body(n, carry, running, *where)
    total = backend.parts.add(progress.total, rows, share)
    return total, *backend.parts.put((progress.carry, progress.running), rows, (carry, running))


class Patched:
    """Some tiles of maps, and all positions, which their margins are read from.

    Args:
        tiles: the `Tiles` of the maps.
        chosen: the numbers of those that are computed.
        rows: `(positions,)`, the positions of these.
        progress: of the loop before the step.
    """

    def __init__(self, tiles: Tiles, chosen: Tensor, rows: Tensor, progress: Progress):
        self.tiles = tiles
        self.chosen = chosen
        self.rows = rows
        self.before = progress.carry[0]

    def step(
        self, unit: Any, halting_unit: Any, rows: Tensor, running: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The features and halting activations of the tiles' positions after a unit.

        Args:
            unit: with `halo` and `on_patches`.
            halting_unit: a `HaltingUnit`; `None`: the activations are 1.
            rows: `(positions, channels)`, the features before.
            running: boolean `(positions,)`.
        """
        patches, inside = self._read(self.before, unit.halo)
        new = unit.on_patches(patches, ops.cast(inside, patches.dtype))
        rows = ops.where(running[:, None], ops.reshape(new, ops.shape(rows)), rows)
        if halting_unit is None:
            return rows, ops.ones_like(rows[:, 0])
        now = backend.parts.put(self.before, self.rows, rows)
        patches, inside = self._read(now, 1)
        logits = halting_unit.of_patches(patches, ops.cast(inside, halting_unit.compute_dtype))
        if halting_unit.global_logit:
            logits = logits + self._of_images(halting_unit, now)[:, None, None]
        return rows, ops.reshape(ops.sigmoid(logits), (-1,))

    def _of_images(self, halting_unit, now):
        """The global logit of the image of each tile."""
        tiles = self.tiles
        area = ops.cast(tiles.height * tiles.width, halting_unit.compute_dtype)
        positions = (tiles.batch, tiles.padded_height * tiles.padded_width, tiles.channels)
        # What is padded is zero.
        sums = ops.sum(ops.cast(ops.reshape(now, positions), area.dtype), axis=1)
        logits = halting_unit.of_pooled(sums / area)
        return backend.parts.take(logits, tiles.images_of(self.chosen))

    def _read(self, rows, halo):
        """The patches of the tiles from all rows, and what of them lies inside the images."""
        patches = self.tiles.patches(self.chosen, halo)
        return backend.parts.take(rows, patches.rows), patches.inside
