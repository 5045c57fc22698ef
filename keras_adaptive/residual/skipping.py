"""How time is saved in inference: what has halted is not computed.

Images that have halted are left out of the batch. Of images whose positions halt by themselves, the
running positions are gathered with those around them, and the units go on with these alone.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from keras import ops, tree

from .. import backend
from ..dtypes import at_least_float32
from ..halting.unrolled import Progress, with_all_rows
from ..types import Tensor
from .positions import Positions, dilated

# The largest share of images, or of the positions that run or are beside one that does, for which
# it is faster to compute some alone (benchmarks/residual.py); of positions, it grows with channels.
MOST_IMAGES = 0.9
MOST_POSITIONS = 0.25
MOST_BY_CHANNEL = 1 / 256
# Where those around the running ones were too many, they are counted again when no more than this
# share of the running ones is left.
AGAIN = 0.9
# Of the positions that are computed, the largest share that may still run for the others to be left
# out: to find the neighbours of those that are left takes as long as a unit.
MOST_KEPT = 0.75


def by_image() -> Callable[..., Progress] | None:
    """A function that takes the steps for the running images; `None` if that saves no time."""
    if backend.parts is None or not backend.parts.saves_time():
        return None

    def advance(body, numbers, progress):
        for n in numbers:
            progress = _with_some_images(body, n, progress)
        return progress

    return advance


def _with_some_images(body, n, progress):
    def some(images):
        take, put = backend.parts.take, backend.parts.put
        share, carry, running = body(n, *take((progress.carry, progress.running), images))
        total = backend.parts.add(progress.total, images, share)
        return total, *put((progress.carry, progress.running), images, (carry, running))

    return Progress(
        *backend.parts.some_or_all(
            progress.running,
            MOST_IMAGES,
            some,
            lambda: tuple(with_all_rows(body, n, progress)),
            tuple(progress),
        )
    )


def by_position(
    units: Sequence[Any], features: Tensor, global_logit: bool
) -> Callable[..., Progress] | None:
    """A function that takes the steps for the running positions; `None` if that saves no time.

    Positions that have halted never run again. So all positions are computed until few enough are
    left, and only these from then on.

    Args:
        units: of the block; those after the first must have `halo` and `at_positions`.
        features: `(batch, height, width, channels)`, what the first unit made.
        global_logit: whether halting units read the mean of an image.
    """
    by_positions = all(map(_has_positions, units[1:]))
    if backend.parts is None or not by_positions or not backend.parts.saves_time():
        return None
    size = ops.shape(features)[:3]
    halo = max([1, *(unit.halo for unit in units[1:])])
    most = MOST_POSITIONS + MOST_BY_CHANNEL * min(features.shape[-1], 64)

    def many(running, limit):
        # Those around are looked at once those that run are few, and again when some have halted.
        share = _share(running)
        return ops.cond(
            share > limit,
            lambda: (ops.convert_to_tensor(True), limit),
            lambda: (_share(dilated(ops.reshape(running, size))) > most, AGAIN * share),
        )

    def advance(body, numbers, progress):
        """The steps with all positions, and then those with some."""
        before = ops.convert_to_tensor(1)
        go_on, limit = many(progress.running, ops.convert_to_tensor(most, "float32"))
        for n in numbers:

            def take_all(n=n, progress=progress, limit=limit):
                new = with_all_rows(body, n, progress)
                return tuple(new), *many(new.running, limit), ops.convert_to_tensor(n)

            def skip(progress=progress, limit=limit, before=before):
                return tuple(progress), ops.convert_to_tensor(False), limit, before

            progress, go_on, limit, before = ops.cond(go_on, take_all, skip)
            progress = Progress(*progress)

        def of_some(before, carry, running, size):
            at_first = progress._replace(carry=carry, running=running)
            return _shares_of_some(body, numbers, before, at_first, size, halo, global_logit)

        def with_some():
            # The total of all positions stays outside, where it need not be copied.
            inputs = before, progress.carry, progress.running, size
            return backend.parts.add(progress.total, *backend.parts.apart(of_some, *inputs))

        some = ops.cond(ops.any(progress.running), with_some, lambda: progress.total)
        return progress._replace(total=some)

    return advance


def _shares_of_some(body, numbers, before, progress, size, halo, global_logit):
    """The numbers of the positions that run, and what they add to the total in the other steps.

    Args:
        body: a step of the loop.
        numbers: of the steps.
        before: the number of the last step that all positions have taken.
        progress: of the loop; the first of its states are the features of all positions. Of its
            total only dtypes and shapes are read.
        size: `(batch, height, width)` of the feature maps.
        halo: how far away from a position the values are that a unit reads.
        global_logit: whether halting units read the mean of an image.
    """
    take, add = backend.parts.take, backend.parts.add
    some = SomePositions.of(progress, size, halo, global_logit)
    chosen = some.positions.numbers[: some.positions.counts[0]]
    carry, running = take((progress.carry, progress.running), chosen)

    def zeros(some):
        count = some.positions.counts[0]
        return tree.map_structure(
            lambda share: ops.zeros((count, *share.shape[1:]), share.dtype), progress.total
        )

    def without_halted(state):
        def drop():
            some, places, carry, running, total, whole = state
            fewer, kept = some.among(carry[0], running)
            left = take((places, carry, running), kept)
            return fewer, *left, zeros(fewer), add(whole, places, total)

        return ops.cond(_share(state[3]) > MOST_KEPT, lambda: state, drop)

    # All but the last is of positions that mostly still run. What the others have summed up is in
    # the last, which is of all that ran at first.
    places = ops.arange(some.positions.counts[0], dtype="int32")
    state = (some, places, carry, running, zeros(some), zeros(some))
    for n in numbers:

        def go_on(n=n, state=state):
            some, places, carry, running, total, whole = state
            share, carry, running = body(n, carry, running, some)
            total = tree.map_structure(operator.add, total, share)
            state = (some, places, carry, running, total, whole)
            return state if n == numbers[-1] else without_halted(state)

        takes_it = ops.logical_and(before < n, ops.any(state[3]))
        state = ops.cond(takes_it, go_on, lambda state=state: state)
    _, places, *_, total, whole = state
    are_all = ops.shape(places)[0] == ops.shape(chosen)[0]
    whole = ops.cond(are_all, lambda: total, lambda: add(whole, places, total))
    return chosen, whole


class SomePositions(NamedTuple):
    """The positions that a step is taken with.

    Attributes:
        positions: the `Positions`.
        around: `(rows, channels)`, the features of those around them, which have halted.
        sums: `(batch, channels)`, the sum of the features of each image at all other positions;
            without channels where no halting unit needs it.
        area: the number of the positions of an image.
    """

    positions: Positions
    around: Any
    sums: Any
    area: Any

    @classmethod
    def of(cls, progress: Progress, size: Any, halo: int, global_logit: bool) -> "SomePositions":
        """Those that are running; see `_total_of_some`."""
        positions = Positions.of(ops.reshape(progress.running, size), halo)
        features = progress.carry[0]
        summed = _summable(features if global_logit else features[:, :0])
        area = ops.convert_to_tensor(size[1] * size[2])
        halted = ops.cast(~progress.running, summed.dtype)
        # A product takes a third of the time of a sum of what `where` leaves.
        sums = ops.matmul(
            ops.reshape(halted, (size[0], 1, area)),
            ops.reshape(summed, (size[0], area, summed.shape[-1])),
        )[:, 0]
        around = backend.parts.take(features, positions.numbers[positions.counts[0] :])
        return cls(positions, around, sums, area)

    def among(self, features: Tensor, running: Tensor) -> tuple["SomePositions", Tensor]:
        """Those that are still running, and their numbers among the ones before.

        Args:
            features: `(positions, channels)`.
            running: boolean `(positions,)`.
        """
        positions, before = self.positions.among(running)
        around = backend.parts.take(
            ops.concatenate([features, self.around]), before[positions.counts[0] :]
        )
        halted = _summable(features[:, : self.sums.shape[-1]])
        halted = ops.where(running[:, None], 0, halted)
        sums = self.sums + self._by_image(halted)
        kept = before[: positions.counts[0]]
        return SomePositions(positions, around, sums, self.area), kept

    def step(
        self, unit: Any, halting_unit: Any, rows: Tensor, running: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The features and halting activations of the positions after a unit.

        Args:
            unit: with `at_positions`.
            halting_unit: a `HaltingUnit`; `None`: the activations are 1.
            rows: `(positions, channels)`, the features before.
            running: boolean `(positions,)`; the features of the others stay as they are.
        """
        new = unit.at_positions(ops.concatenate([rows, self.around]), self.positions)
        rows = frozen(running, new, rows)
        if halting_unit is None:
            return rows, ops.ones_like(rows[:, 0])
        nearest = self.positions.counts[1] - self.positions.counts[0]
        known = ops.concatenate([rows, self.around[:nearest]])
        logits = halting_unit.at_positions(known, self.positions)
        if halting_unit.global_logit:
            sums = self.sums + self._by_image(_summable(rows))
            sums = ops.cast(sums, halting_unit.compute_dtype)
            of_images = halting_unit.of_pooled(sums / ops.cast(self.area, sums.dtype))
            logits = logits + backend.parts.take(of_images, self.positions.images)
        return rows, ops.sigmoid(logits)

    def _by_image(self, rows):
        """The sums over the positions of each image."""
        # Without the images after the last one that has a position.
        sums = ops.segment_sum(rows, self.positions.images, sorted=True)
        return ops.pad(sums, [[0, ops.shape(self.sums)[0] - ops.shape(sums)[0]], [0, 0]])


def _has_positions(unit):
    """Whether a unit can be computed at some positions, as its `call` does at all of them."""
    if not hasattr(unit, "halo"):
        return False
    kinds = type(unit).__mro__
    # A subclass with a `call` of its own computes something else than the method of its base.
    at_positions, call = (
        next((depth for depth, kind in enumerate(kinds) if name in vars(kind)), len(kinds))
        for name in ("at_positions", "call")
    )
    return at_positions <= call


def frozen(running: Tensor, new: Tensor, old: Tensor) -> Tensor:
    """`new` where `running` is true, `old` elsewhere."""
    return ops.where(ops.expand_dims(running, -1), new, old)


def frozen_if_any(running: Tensor, new: Tensor, old: Tensor) -> Tensor:
    """As `frozen`; nothing is copied while all are running."""
    return ops.cond(ops.all(running), lambda: new, lambda: frozen(running, new, old))


def _summable(features):
    """In a dtype in which the sum over a large image is finite and exact enough."""
    return ops.cast(features, at_least_float32(features.dtype))


def _share(chosen):
    """The share of those that are true."""
    return ops.mean(ops.cast(chosen, "float32"))
