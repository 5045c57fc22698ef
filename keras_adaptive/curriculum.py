"""Curricula: which lengths a network is trained on, level after level.

A regime says what a level consists of; a `Feed` makes its batches for `fit`, and
`callbacks.AdvanceCurriculum` moves it on. `Batches` are those of any other function. A regime of
your own needs the attributes of `OneByOne`: `lengths`, `parameters_at` and `exam_at`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import keras
import numpy as np

from . import arguments

_REGIME = ("lengths", "parameters_at", "exam_at")


class OneByOne:
    """One length after the other, with a share of batches of all lengths.

    Args:
        parameters: names of the data set's parameters that are the least and the largest length.
        stop: integer, the last length.
        start: integer >= 1, the first length. Defaults to `1`.
        step: integer >= 1, how much longer the next length is. Defaults to `1`.
        share: float in [0, 1], of batches that have a length drawn from all of the curriculum
            instead. Defaults to `0.2`.

    Raises:
        ValueError: if an argument is out of its range, or there is no next length.

    Example:

    >>> regime = OneByOne(("min_bits", "bits"), start=3, stop=20, share=0.2)
    >>> regime.lengths[:4]
    (3, 4, 5, 6)
    >>> regime.exam_at(2)
    {'min_bits': 5, 'bits': 5}

    Source: Kaiser & Sutskever (2016), arXiv:1511.08228, section 3.3 ("Curriculum learning").
    """

    def __init__(
        self,
        parameters: Iterable[str],
        stop: int,
        start: int = 1,
        step: int = 1,
        share: float = 0.2,
    ):
        self.parameters = _names(parameters)
        start = arguments.integer("start", start, least=1)
        step = arguments.integer("step", step, least=1)
        if arguments.integer("stop", stop) <= start:
            raise ValueError(
                "Argument `stop` must be above `start`, or there is no next length. "
                f"Received: start={start!r}, stop={stop!r}"
            )
        self.lengths = (*range(start, stop, step), stop)
        self.share = arguments.number("share", share, least=0, most=1)

    def parameters_at(self, level: int, rng: np.random.Generator) -> dict[str, int]:
        """The data set's parameters of one batch, as a dict.

        Args:
            level: integer, counted from 0.
            rng: a `numpy.random.Generator`, for what is left to chance.
        """
        length = self.lengths[level]
        if rng.random() < self.share:
            length = int(rng.choice(self.lengths))
        return dict.fromkeys(self.parameters, length)

    def exam_at(self, level: int) -> dict[str, int]:
        """The data set's parameters of the level's exam."""
        return dict.fromkeys(self.parameters, self.lengths[level])


class Growing:
    """All lengths at once, up to a largest one that grows in stages.

    Args:
        parameters: names of the data set's parameters that are the least and the largest length.
        lengths: increasing integers, the largest length of each level; with a single one there
            is no growth.
        least: integer >= 1, the least length of all levels. Defaults to `1`.

    Raises:
        ValueError: if an argument is out of its range.

    Example:

    >>> regime = Growing(("min_bits", "bits"), lengths=(10, 20))
    >>> regime.parameters_at(1, np.random.default_rng(0))
    {'min_bits': 1, 'bits': 20}
    >>> regime.exam_at(1)
    {'min_bits': 20, 'bits': 20}

    Source: that all lengths train together: Freivalds & Liepins (2017), arXiv:1702.08727.
    """

    def __init__(self, parameters: Iterable[str], lengths: Iterable[int], least: int = 1):
        self.parameters = _names(parameters)
        self.least = arguments.integer("least", least, least=1)
        if isinstance(lengths, str) or not np.iterable(lengths):
            arguments.refuse("lengths", lengths, "increasing integers")
        self.lengths = lengths = tuple(arguments.integer("lengths", length) for length in lengths)
        if not lengths or not all(a < b for a, b in zip((least - 1, *lengths), lengths)):
            raise ValueError(
                "Argument `lengths` must have a length, and grow from at least `least` on. "
                f"Received: lengths={lengths!r}, least={least!r}"
            )

    def parameters_at(self, level: int, rng: np.random.Generator) -> dict[str, int]:
        """The data set's parameters of one batch, as a dict; nothing is left to chance."""
        return dict(zip(self.parameters, (self.least, self.lengths[level])))

    def exam_at(self, level: int) -> dict[str, int]:
        """The data set's parameters of the level's exam: its largest length."""
        return dict.fromkeys(self.parameters, self.lengths[level])


class Batches(keras.utils.PyDataset):
    """Numbered batches, made in order by a function, so that a training can be resumed.

    Args:
        make: a function of the number of a batch, from 0 in the first epoch on, and the level of
            the curriculum, that returns a tuple of arrays as `fit` takes it.
        batches: integer >= 1, batches in an epoch.
        level: the level of the curriculum, whatever `make` takes for one. Defaults to `0`.

    Attributes:
        level: see above; a callback may change it before an epoch.
        start: number of the epoch's first batch; a callback may change it too.

    Example:

    >>> batches = Batches(lambda number, level: (np.full((1, 2), number), np.ones((1,))), 3)
    >>> batches.start = 6
    >>> len(batches), batches[1][0].tolist()
    (3, [[7, 7]])
    """

    def __init__(
        self, make: Callable[[int, Any], tuple[np.ndarray, ...]], batches: int, level: Any = 0
    ):
        super().__init__()
        self.make = arguments.function("make", make)
        self.batches = arguments.integer("batches", batches, least=1)
        self.level = level
        self.start = 0

    def __len__(self):
        return self.batches

    def __getitem__(self, index):
        return self.make(self.start + index, self.level)

    def for_fit(self) -> Any:
        """This feed as `fit` takes it, with `shuffle=False`, so that the batches keep their order.

        TensorFlow would infer the shapes from the first batches, which may happen to have the same
        length; a signature says that the length is free.
        """
        if keras.backend.backend() != "tensorflow":
            return self
        import tensorflow as tf

        def free(array):
            return tf.TensorSpec((None, None, *array.shape[2:])[: array.ndim], array.dtype)

        signature = keras.tree.map_structure(free, self[0])

        def batches():
            for index in range(len(self)):
                yield self[index]

        data = tf.data.Dataset.from_generator(batches, output_signature=signature)
        return data.apply(tf.data.experimental.assert_cardinality(len(self))).prefetch(8)


class Feed(Batches):
    """Batches of a level of a curriculum, made on the way.

    Batch i depends on the seed, the level and `start` + i alone, so a resumed training sees what
    it would have seen. See `Batches` for `for_fit`.

    Args:
        sample: a function of `(rng, batch_size, **parameters)` that returns a dict of `inputs`,
            `targets` and `weights`, as each task of `keras_adaptive.datasets` has it.
        regime: a `OneByOne`, a `Growing`, or alike.
        batch_size: integer, examples in a batch.
        batches: integer, batches in an epoch.
        seed: integer. Defaults to `0`.
        **parameters: those parameters of `sample` that do not change.

    Attributes:
        level: the level of the curriculum, counted from 0.
        start: number of the epoch's first batch. `callbacks.AdvanceCurriculum` sets both.

    Example:

    >>> sample = keras_adaptive.datasets.task("neural_gpu_copy").sample
    >>> regime = OneByOne(("min_length", "length"), start=5, stop=41, share=0.0)
    >>> feed = Feed(sample, regime, batch_size=32, batches=200)
    >>> inputs, targets, weights = feed[0]
    >>> inputs.shape
    (32, 5)
    """

    def __init__(
        self,
        sample: Callable[..., Mapping[str, Any]],
        regime: Any,
        batch_size: int,
        batches: int,
        seed: int = 0,
        **parameters: Any,
    ):
        super().__init__(self._made, batches)
        self.sample = arguments.function("sample", sample)
        if isinstance(regime, type) or not all(hasattr(regime, name) for name in _REGIME):
            arguments.refuse("regime", regime, "a `OneByOne`, a `Growing`, or alike")
        self.regime = regime
        self.batch_size = arguments.integer("batch_size", batch_size, least=1)
        self.seed = arguments.integer("seed", seed, least=0)
        self.parameters = parameters
        self.is_exam = False

    def _made(self, number, level):
        rng = np.random.default_rng([self.seed, int(self.is_exam), number])
        if self.is_exam:
            drawn = self.regime.exam_at(level)
        else:
            drawn = self.regime.parameters_at(level, rng)
        batch = self.sample(rng, self.batch_size, **{**self.parameters, **drawn})
        return batch["inputs"], batch["targets"], batch["weights"]

    def exam(self, batches: int, start: int) -> "Feed":
        """A feed with `batches` batches of this level's exam, which are not used for training."""
        feed = Feed(
            self.sample, self.regime, self.batch_size, batches, self.seed, **self.parameters
        )
        feed.level, feed.start, feed.is_exam = self.level, start, True
        return feed


def _names(parameters):
    """Names of parameters of a data set."""
    if isinstance(parameters, str) or not np.iterable(parameters):
        arguments.refuse("parameters", parameters, "names of parameters")
    return tuple(arguments.text("parameters", name) for name in parameters)
