"""Pointer networks, whose answers are positions of their input, and which think about each."""

from typing import Any, NamedTuple

import keras
import numpy as np
from keras import layers, ops, tree

from .. import arguments, backend, building, cells
from ..act import ACTRNN
from ..attention import AttentionCell, BahdanauAttention
from ..beam_search import IMPOSSIBLE, beam_search
from ..dtypes import at_least_float32
from ..empty_batch import accepts_empty_batch
from ..halting import record
from ..masks import differs, mask_or_attached
from ..types import Rule, Shape, Tensor
from .pointer_answers import ANSWERS, Answer, valid_points
from .pondering import PonderingDecoder

LEAST = 1e-30  # probability of what is valid


@keras.saving.register_keras_serializable(package="keras_adaptive")
class PointerNetwork(PonderingDecoder):
    """A network that reads a set of points and answers with their indices, one after the other.

    An LSTM encodes the points as e_1 … e_n. A second LSTM, the decoder, starts from the last state
    of the first, reads the point that was chosen last, and outputs d_i. The distribution over the
    points is the softmax over j of v · tanh(W_1 e_j + W_2 d_i). With `halting="act"` or `"fixed"`
    the decoder also attends to the encoded points, in each of its steps anew, and takes several
    steps per output; d_i is their mean, weighted by the halting unit.

    Targets, and the last axis of the outputs, count points from 1; 0 follows the end of an
    answer. In training (`fit(points, targets)`) the true points are fed back. `predict`, `evaluate`
    and a call without targets search an answer that is valid: a point is chosen once, until the
    first one is chosen again and ends it.

    Args:
        units: integer >= 1, size of both LSTMs and of the attention. Defaults to `128`.
        answer: `"polygon"`, an answer that may begin anywhere and has three corners or more, or
            `"tour"`, one that begins with the first point and visits all. Defaults to `"polygon"`.
        halting: `"act"`, `"fixed"` (`steps` looks at each output), any rule of `halting`, which has
            a limit of its own, so that `max_ponder` is not read, or `None`, the published pointer
            network, whose decoder takes one step and reads nothing. Defaults to `"act"`.
        steps: integer >= 1, the number of looks for `halting="fixed"`.
        max_ponder: integer >= 1, the largest number of looks. Defaults to `5`.
        time_penalty, target_ponder: as in `layers.ACTRNN`. Defaults to `1e-3` and `None`.
        halting_bias: float, the halting unit's bias at first. Defaults to `0.0`.
        beams: integer >= 1, how many answers the search keeps. 1, the default, takes the likeliest
            point each time.
        features: integer >= 1, the numbers of a point. Defaults to `2`.
        padding_value: float. A row in which all numbers are this one is not a point. Defaults
            to `-1.0`.
        **kwargs: arguments of `keras.Model`: `name`, `dtype`.

    Call arguments:
        points: `(batch, n, features)`.
        targets: integers `(batch, m)`, indices to feed back; optional.
        mask: boolean `(batch, n)`, false where there is no point.
        training: boolean.

    Returns:
        Probabilities: of each target, `(batch, m, n + 1)`, if they are given; else along the answer
        that was searched, `(batch, n + 1, n + 1)`, among what was valid there (with several beams 1
        for what was chosen). After the end, 0 has probability 1.

    Raises:
        ValueError: an argument is out of its range, the points have another shape, or targets that
            are known before the call of a graph, such as NumPy arrays in `fit`, are above n.

    Example:

    >>> model = PointerNetwork(units=8, max_ponder=3)
    >>> model.compile("adam", keras_adaptive.losses.SequenceLoss(per_target=True))
    >>> points = np.random.default_rng(0).random((2, 5, 2)).astype("float32")
    >>> corners = np.array([[1, 2, 4, 1, 0], [2, 3, 4, 5, 2]])
    >>> sorted(model.fit(points, corners, verbose=0).history)
    ['loss', 'ponder_cost', 'ponder_steps']
    >>> answers = model.predict(points, verbose=0).argmax(-1)
    >>> answers.shape, bool((answers[:, 0] == answers.max(1, where=answers > 0, initial=0)).any())
    ((2, 6), False)

    Differences from the paper: the answer ends where its first index returns, as in the authors'
    files, and there is no end symbol; the search is restricted to valid answers of hulls too. The
    slides do not say how ACT was put around the pointer network.

    Source: Vinyals, Fortunato & Jaitly (2015), "Pointer Networks", arXiv:1506.03134, section 2.3;
    with ACT: Graves, Vinyals, Figurnov & Jozefowicz, "Learning When to Halt With Adaptive
    Computation Time" (slides, about 2016).
    """

    serialized = ("halting", "target_ponder")

    def __init__(
        self,
        units: int = 128,
        answer: str = "polygon",
        halting: str | Rule | None = "act",
        steps: int | None = None,
        max_ponder: int = 5,
        time_penalty: float = 1e-3,
        target_ponder: Any = None,
        halting_bias: float = 0.0,
        beams: int = 1,
        features: int = 2,
        padding_value: float = -1.0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.units = arguments.integer("units", units, least=1)
        self.answer = arguments.choice("answer", answer, ANSWERS)
        self.beams = arguments.integer("beams", beams, least=1)
        self.features = arguments.integer("features", features, least=1)
        self.padding_value = arguments.number("padding_value", padding_value)
        self.encoder = layers.LSTM(
            self.units, return_sequences=True, return_state=True, dtype=self.dtype_policy
        )
        cell = layers.LSTMCell(self.units, dtype=self.dtype_policy)
        ponders = halting is not None
        if ponders:
            attention = BahdanauAttention(self.units, dtype=self.dtype_policy)
            cell = AttentionCell(cell, attention, dtype=self.dtype_policy)
        elif steps is not None:
            raise ValueError(
                f"Argument `steps` is for halting='fixed'. Received: halting=None, steps={steps!r}"
            )
        self.decoder = ACTRNN(
            cell,
            max_ponder=max_ponder,
            time_penalty=time_penalty,
            halting_bias=halting_bias,
            halting="fixed" if halting is None else halting,
            steps=steps if ponders else 1,
            target_ponder=target_ponder,
            return_sequences=True,
            dtype=self.dtype_policy,
            name="decoder",
        )
        self.set_pondering(self.decoder, ponders)
        float_dtype = at_least_float32(self.compute_dtype)
        self.keys = layers.Dense(self.units, use_bias=False, dtype=float_dtype, name="keys")
        self.query = layers.Dense(self.units, use_bias=False, dtype=float_dtype, name="query")
        self.pointer = layers.AdditiveAttention(dtype=float_dtype, name="pointer")

    def build(self, points_shape: Shape | None = None, targets_shape: Shape | None = None) -> None:
        """Creates all weights, which are the same for any number of points."""
        if points_shape is not None:
            self._check(points_shape)
        memory_shape = (None, None, self.units)
        fed_back = (None, None, self.features + 1)
        self.encoder.build((None, None, self.features))
        self.decoder.build(fed_back, memory_shape=memory_shape if self.ponders else None)
        self.keys.build(memory_shape)
        self.query.build(memory_shape)
        self.pointer.build([memory_shape, memory_shape])
        self.freeze_parts()

    def _check(self, shape):
        if len(shape) != 3 or shape[-1] not in (None, self.features) or shape[1] == 0:
            raise ValueError(
                f"Model '{self.name}' expects points of shape (batch, n, {self.features}) with at "
                f"least one point. Received: shape={tuple(shape)}"
            )

    @accepts_empty_batch
    def call(
        self,
        points: Tensor,
        targets: Tensor | None = None,
        mask: Tensor | None = None,
        training: bool = False,
    ) -> Tensor:
        """Probabilities of the targets, or of an answer; see the class."""
        self._check(points.shape)
        mask = mask_or_attached(mask, points)
        points = building.with_features(points, self.features)
        targets = self.given_targets(targets)
        if targets is not None:
            targets = arguments.targets_of(targets, 2)
            self._check_targets(points, backend.concrete(targets), "targets")
        encoded = self._encode(points, mask, training)
        if targets is None:
            answer = self._search(encoded, self.beams)
            if self.beams == 1:
                return answer.outputs
            return ops.one_hot(answer.indices, ops.shape(points)[1] + 1, dtype=answer.outputs.dtype)
        with record() as entries:
            outputs = self._follow(encoded, targets, training)
        self.entries.value = entries
        return outputs

    def fit(self, x: Any = None, y: Any = None, *args: Any, **kwargs: Any) -> Any:
        """As `keras.Model.fit`; NumPy targets are checked before."""
        self._check_targets(x, y, "y")
        return super().fit(x, y, *args, **kwargs)

    def evaluate(self, x: Any = None, y: Any = None, *args: Any, **kwargs: Any) -> Any:
        """As `keras.Model.evaluate`; NumPy targets are checked before."""
        self._check_targets(x, y, "y")
        return super().evaluate(x, y, *args, **kwargs)

    def _check_targets(self, points, targets, name):
        """Refuses targets that are known, and no points."""
        for n in getattr(points, "shape", ())[1:2]:
            if isinstance(targets, np.ndarray) and n is not None:
                # Where there is no target, a number below 0 may stand, see `SequenceLoss`.
                arguments.whole_numbers(name, np.maximum(targets, 0), 0, n)

    def _encode(self, points, mask=None, training=False):
        real = differs(points, self.padding_value)
        if mask is not None:
            real = ops.logical_and(real, ops.cast(mask, "bool"))
        points = ops.cast(points, self.compute_dtype)
        points = ops.where(real[..., None], points, ops.zeros_like(points))
        memory, *states = self.encoder(points, mask=real, training=training)
        return _Encoded(points, real, memory, states)

    def _follow(self, encoded, targets, training):
        """Probabilities of each target, given those before it."""
        targets = ops.cast(targets, "int32")
        # In front of the points, the element 0: what is fed back at first.
        points = ops.pad(encoded.points, [(0, 0), (1, 0), (0, 0)])
        before = ops.pad(targets[:, :-1], [(0, 0), (1, 0)])
        chosen = ops.take_along_axis(points, before[..., None], axis=1)
        numbers = ops.arange(ops.shape(targets)[1], dtype="int32")
        is_first = ops.broadcast_to(ops.equal(numbers, 0)[:, None], (*ops.shape(before), 1))
        hidden = self.decoder(
            ops.concatenate([chosen, ops.cast(is_first, chosen.dtype)], axis=-1),
            initial_state=encoded.states,
            mask=self.present(targets),
            memory=encoded.memory if self.ponders else None,
            memory_mask=encoded.real if self.ponders else None,
            training=training,
        )
        scores = self._pointed(hidden, self.keys(encoded.memory), encoded.real)
        return ops.pad(scores, [(0, 0), (0, 0), (1, 0)])

    def _pointed(self, hidden, keys, real):
        """The distribution over the points, `(batch, steps, n)`, for hidden `(batch, steps, …)`."""
        _, weights = self.pointer(
            [self.query(hidden), keys], mask=[None, real], return_attention_scores=True
        )
        return weights

    def search(self, points: Tensor, beams: int = 1) -> Answer:
        """Searches answers that are valid, by beam search; one beam is a greedy search.

        Args:
            points: `(batch, n, features)`.
            beams: integer >= 1, how many answers are kept.

        Returns:
            An `Answer`.
        """
        points = ops.convert_to_tensor(points)
        if not self.built:
            self.build()
        self._check(points.shape)
        return self._search(self._encode(points), arguments.integer("beams", beams, least=1))

    def _search(self, encoded, beams):
        n = ops.shape(encoded.points)[1]
        repeated = [ops.repeat(x, beams, axis=0) for x in tree.flatten(tuple(encoded))]
        points, real, memory, *states = repeated
        keys, read = self.keys(memory), None
        if self.ponders:
            read = cells.prepared_memory(self.decoder, memory, real, None)

        # Rows without points take no steps. Without this mask, the constant folding of TensorFlow
        # 2.21 loses the results of fixed steps on a batch that is known to be of one row.
        anything = ops.any(real, axis=1, keepdims=True)

        def step(t, carry):
            fed, states, chosen, first = carry
            hidden, states, looks, ponder = self.look(self.decoder, fed, states, anything, read)
            weights = self._pointed(hidden[:, None], keys, real)[:, 0]
            valid = valid_points(self.answer, t, real, chosen, first)
            # What the softmax has rounded to zero may be the only point that is left.
            weights = ops.where(valid, ops.maximum(weights, LEAST), ops.zeros_like(weights))
            shares = weights / ops.maximum(ops.sum(weights, axis=-1, keepdims=True), LEAST)
            log_p = ops.where(valid, ops.log(ops.maximum(weights, LEAST)), IMPOSSIBLE)
            outputs = ops.pad(shares, [(0, 0), (1, 0)])
            values = {"outputs": outputs, "steps": looks, "ponder": ponder}
            return log_p, values, (fed, states, chosen, first)

        def advance(t, carry, point):
            _, states, chosen, first = carry
            is_point = ops.equal(ops.arange(n, dtype="int32"), point[:, None])
            closes = ops.logical_and(t > 0, ops.equal(point, first))
            at_point = ops.cast(is_point, points.dtype)[..., None]
            fed = _fed_back(ops.sum(points * at_point, axis=1), is_first=False)
            chosen = ops.logical_or(chosen, is_point)
            return (fed, states, chosen, ops.where(t > 0, first, point)), closes

        nobody = ops.zeros_like(real)
        begin = _fed_back(ops.zeros_like(points[:, 0]), is_first=True)
        carry = begin, states, nobody, ops.zeros_like(ops.cast(nobody[:, 0], "int32"))
        beam = beam_search(step, advance, carry, n + 1, beams)
        # The answer to no points is none of them.
        some = ops.any(encoded.real, axis=1)
        beam = beam._replace(
            choices=ops.where(some[:, None], beam.choices, -1),
            log_probability=ops.where(some, beam.log_probability, 0.0),
        )
        is_behind = ops.cast(beam.choices < 0, keys.dtype)[..., None]
        none = ops.cast(ops.equal(ops.arange(n + 1, dtype="int32"), 0), keys.dtype)
        outputs = (1 - is_behind) * beam.values["outputs"] + is_behind * none
        indices, values = beam.choices + 1, beam.values
        return Answer(indices, outputs, values["steps"], beam.log_probability, values["ponder"])

    def present(self, targets: Tensor) -> Tensor:
        """Which targets count: those that are points."""
        return targets > 0

    def padding(self, outputs: Tensor, steps: Any) -> Tensor:
        """No point, with probability 1."""
        rows, _, classes = ops.shape(outputs)
        none = ops.cast(ops.equal(ops.arange(classes, dtype="int32"), 0), outputs.dtype)
        return ops.broadcast_to(none, (rows, steps, classes))

    def compute_output_shape(
        self, points_shape: Shape, targets_shape: Shape | None = None
    ) -> Shape:
        """The shape of the probabilities."""
        batch_size, n = points_shape[:2]
        classes = None if n is None else n + 1
        return batch_size, classes if targets_shape is None else targets_shape[1], classes

    def signature(self) -> keras.InputSpec:
        """Any number of points."""
        return keras.InputSpec(dtype="float32", shape=(None, None, self.features))

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this model again."""
        return {
            **super().get_config(),
            **self.pondering_config(),
            "units": self.units,
            "answer": self.answer,
            "beams": self.beams,
            "features": self.features,
            "padding_value": self.padding_value,
        }


class _Encoded(NamedTuple):
    """Points `(batch, n, features)`, which are real, their encodings, and the last state."""

    points: Any
    real: Any
    memory: Any
    states: Any


def _fed_back(points, is_first):
    """Points `(rows, features)` with the flag of the first output."""
    flag = ops.full((ops.shape(points)[0], 1), float(is_first), points.dtype)
    return ops.concatenate([points, flag], axis=-1)
