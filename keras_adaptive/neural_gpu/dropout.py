"""Dropout inside a loop: each step draws its own elements from one seed."""

from typing import Any

import keras
from keras import ops

from .. import arguments
from ..types import Tensor

PLACES = ("state", "candidate")
SCHEDULES = ("constant", "length", "root")
LARGEST_RATE = 0.9  # of the schedules, which blow up for very short inputs


class Dropout:
    """How a `NeuralGPU` drops elements in training; its arguments are explained there."""

    def __init__(self, rate: float, place: str, schedule: str):
        self.rate = arguments.number("dropout", rate, least=0, below=1)
        self.place = arguments.choice("dropout_on", place, PLACES)
        self.schedule = arguments.choice("dropout_schedule", schedule, SCHEDULES)

    def rates(self, length: Tensor) -> Tensor:
        """The share that is dropped of each example, `(batch,)`, as its length is."""
        length = ops.cast(ops.maximum(length, 1), "float32")
        if self.schedule == "constant":
            return ops.full_like(length, self.rate)
        if self.schedule == "length":
            rate = 8 * self.rate / length
        else:
            rate = 3 * self.rate / ops.sqrt(length)
        return ops.minimum(rate, LARGEST_RATE)

    def drawn(self, length: Tensor, seed_generator: keras.random.SeedGenerator) -> Any:
        """What drops elements in one call of the layer, or None; `length` is `(batch,)`."""
        if not self.rate:
            return None
        return _Drawn(self.place, 1 - self.rates(length), seed_generator.next())

    def get_config(self) -> dict[str, Any]:
        """The arguments of the layer that say this."""
        return {
            "dropout": self.rate,
            "dropout_on": self.place,
            "dropout_schedule": self.schedule,
        }


class _Drawn:
    """The dropout of one call: the share that is kept `(batch,)`, and a seed."""

    def __init__(self, place, kept, seed):
        self.place = place
        self.kept = kept
        self.seed = seed

    def from_state(self, image, now):
        return self._drop(image, now) if self.place == "state" else image

    def from_candidate(self, now):
        return (lambda x: self._drop(x, now)) if self.place == "candidate" else None

    def _drop(self, x, now):
        kept = ops.reshape(self.kept, (-1, *[1] * (len(x.shape) - 1)))
        chance = keras.random.uniform(ops.shape(x), dtype="float32", seed=_Seed(self.seed, now))
        return ops.where(chance < kept, x / ops.cast(kept, x.dtype), ops.zeros_like(x))


class _Seed(keras.random.SeedGenerator):
    """A seed for one draw: another one for every number `now`, which may be a tensor.

    The generator counts calls in the second number of its seeds. Were `now` added there, the
    second draw of one call would be the first of the next.
    """

    def __init__(self, seed, now):
        self.value = ops.stack([seed[0] + ops.cast(now, seed.dtype), seed[1]])

    def next(self, ordered=True):
        return self.value
