"""How long a model takes to answer, with and without a time limit."""

import time
from collections.abc import Callable
from typing import Any

import keras
import numpy as np

from .. import arguments, halting
from ..types import Tensor


class TimedProbe:
    """A model or probe whose calls are timed.

    TensorFlow and JAX trace the model in the first call of each shape, so that call is made twice
    and only the second one is timed.

    Args:
        probe: a function of inputs, such as a model, or a `Probe`.

    Attributes:
        seconds: list of the durations of all calls.
    """

    def __init__(self, probe: Callable[[Tensor], Any]) -> None:
        self.probe = arguments.function("probe", probe)
        self.seconds: list[float] = []
        self._known: set[tuple[tuple[int, ...], ...]] = set()

    def __call__(self, inputs: Tensor) -> Any:
        """The outputs of the probe."""
        shapes = tuple(tuple(np.shape(x)) for x in keras.tree.flatten(inputs))
        if shapes not in self._known:
            self._known.add(shapes)
            _finished(self.probe(inputs))
        began = time.perf_counter()
        outputs = _finished(self.probe(inputs))
        self.seconds.append(time.perf_counter() - began)
        return outputs


def _finished(outputs):
    """The outputs, once they are computed: JAX returns before that."""
    for value in keras.tree.flatten(outputs):
        if keras.ops.is_tensor(value):
            keras.ops.convert_to_numpy(value)
    return outputs


class LimitedProbe(TimedProbe):
    """A model or probe with a time limit for each call, see `halting.limits`.

    Args:
        probe: a function of inputs, such as a model, or a `Probe`.
        within: the limit in seconds.

    Example:

    >>> layer = keras_adaptive.layers.ACTRNN(keras.layers.GRUCell(4), max_ponder=20)
    >>> model = keras.Sequential([keras.Input((None, 3)), layer])
    >>> probe = LimitedProbe(model, within=0.05)
    >>> probe(np.ones((1, 5, 3))).shape[-1], probe.summary()["calls"]
    (4, 1)
    """

    # A call is late if it takes longer than this factor times the limit.
    TOLERANCE = 1.2

    def __init__(self, probe: Callable[[Tensor], Any], within: float) -> None:
        super().__init__(probe)
        self.within = arguments.number("within", within, above=0)

    def __call__(self, inputs: Tensor) -> Any:
        """The outputs of the probe within the time limit."""
        with halting.limits(seconds=self.within):
            return super().__call__(inputs)

    def summary(self) -> dict[str, Any]:
        """How long the calls took.

        Returns:
            A dict: `within`; `calls`; `seconds_of_95_percent`, in which 95 % of the calls ended;
            and `late`, the share of calls that took longer than 1.2 × `within`.

        Raises:
            ValueError: there was no call.
        """
        if not self.seconds:
            raise ValueError("A LimitedProbe has a summary after its first call, and had none.")
        seconds = np.array(self.seconds)
        return {
            "within": self.within,
            "calls": len(seconds),
            "seconds_of_95_percent": round(float(np.quantile(seconds, 0.95)), 5),
            "late": round(float(np.mean(seconds > self.TOLERANCE * self.within)), 4),
        }
