"""Evaluation example by example: errors, ponder and latency of a model of one's own."""

import keras
import numpy as np
import pytest

from keras_adaptive import evaluation, metrics, statistics
from keras_adaptive.layers import ACTRNN


def batches(count, size=4, time=3):
    """The target of each vector is the sign of its only number; the last one has none."""
    for number in range(count):
        inputs = np.random.default_rng(number).normal(size=(size, time, 1)).astype("float32")
        weights = np.ones((size, time), "float32")
        weights[:, -1] = 0
        yield {
            "inputs": inputs,
            "targets": (inputs[..., 0] > 0).astype("int32"),
            "weights": weights,
            "difficulty": np.tile(np.arange(1, time + 1, dtype="int32"), (size, 1)),
        }


def sign(wrong=()):
    """A probe that knows the answers, but for those of some examples in the order of its calls."""
    seen = 0

    def probe(inputs):
        nonlocal seen
        right = (inputs[..., 0] > 0).astype(int)
        for row in range(len(inputs)):
            if seen + row in wrong:
                right[row, 0] = 1 - right[row, 0]
        seen += len(inputs)
        return {"outputs": np.eye(2)[right]}

    return probe


def test_errors_of_sequences_and_symbols():
    judge = evaluation.Evaluation()
    results = judge.collect(sign(wrong=(1, 6)), batches(5), examples=10)
    assert results["wrong"].tolist() == [False, True, *[False] * 4, True, *[False] * 3]
    summary = judge.summary(results)
    assert (summary["examples"], summary["errors"], summary["sequence_error"]) == (10, 2, 0.2)
    assert summary["confidence_interval"] == statistics.error_interval(2, 10)
    # Two of ten times two symbols that have a target.
    assert summary["symbol_error"] == 0.1
    (row,) = judge.by_difficulty(results)
    assert (row["difficulty"], row["examples"], row["sequence_error"]) == (3, 10, 0.2)


def test_symbols_are_wrong_as_in_the_metric():
    """Of one bit at a time, which is right from 0.5 on, and of several symbols at a time."""
    rng = np.random.default_rng(0)
    judge, weights = evaluation.Evaluation(), np.ones((4, 3))
    weights[0, 2] = 0.0
    for targets, outputs in (
        (rng.integers(0, 2, (4, 3)), rng.random((4, 3, 1))),
        (rng.integers(0, 2, (4, 3, 1)), rng.random((4, 3, 1))),
        (rng.integers(0, 2, (4, 3, 6)), rng.random((4, 3, 6, 2))),
    ):
        batch = {"inputs": weights, "targets": targets, "weights": weights}
        batch["difficulty"] = np.ones((4, 3))
        found = judge.collect(lambda x, outputs=outputs: {"outputs": outputs}, [batch], 4)
        wrong = metrics.symbol_errors(targets, outputs, weights)
        share = np.sum(wrong) / (11 * np.size(wrong) // 12)
        assert judge.summary(found)["symbol_error"] == round(share, 6)


def test_examples_without_a_target_are_left_out():
    def some():
        for batch in batches(4):
            batch["weights"][1:] = 0
            yield batch

    results = evaluation.Evaluation().collect(sign(), some(), examples=3)
    assert len(results["wrong"]) == 3


def test_no_target_at_all():
    def none():
        for batch in batches(200):
            yield {**batch, "weights": 0 * batch["weights"]}

    with pytest.raises(ValueError, match="no example of the first 100 batches has a target"):
        evaluation.Evaluation().collect(sign(), none(), examples=1)
    with pytest.raises(ValueError, match=r"at least 1\. Received: examples=0"):
        evaluation.Evaluation().collect(sign(), batches(1), examples=0)


def pondering(**arguments):
    inputs = keras.Input((None, 1))
    layer = ACTRNN(
        keras.layers.SimpleRNNCell(3),
        max_ponder=4,
        return_sequences=True,
        return_ponder=True,
        **arguments,
    )
    states, ponder = layer(inputs)
    return keras.Model(inputs, keras.layers.Dense(2, activation="softmax")(states)), layer, ponder


def test_ponder_is_that_of_the_layer():
    model, layer, _ = pondering(halting_bias=-1.0)
    probe = evaluation.PonderProbe(model)
    batch = next(batches(1))
    found = probe(batch["inputs"])
    _, expected = layer(batch["inputs"])
    np.testing.assert_allclose(found["ponder_steps"], expected["steps"])
    np.testing.assert_allclose(
        found["ponder"], np.add(expected["steps"], expected["remainder"]), rtol=1e-6
    )
    np.testing.assert_allclose(found["outputs"], model(batch["inputs"]), rtol=1e-6)
    judge = evaluation.PonderEvaluation()
    results = judge.collect(probe, batches(3), examples=12)
    means = judge.summary(results)
    assert means["ponder_steps"] == pytest.approx(results["ponder_steps"].mean(), abs=1e-4)
    assert [row["difficulty"] for row in judge.by_difficulty(results)] == [3]


def test_a_model_must_have_one_layer_that_ponders():
    inputs = keras.Input((None, 1))
    with pytest.raises(ValueError, match=r"one layer that returns its ponder\. Received: model="):
        evaluation.PonderProbe(keras.Model(inputs, keras.layers.Dense(1)(inputs)))


def test_a_probe_of_a_model_with_two_inputs():
    inputs = [keras.Input((None, 2)), keras.Input((3,))]
    layer = ACTRNN(keras.layers.GRUCell(4), return_ponder=True)
    both = keras.layers.Concatenate()([layer(inputs[0])[0], inputs[1]])
    model = keras.Model(inputs, keras.layers.Dense(1)(both))
    answers = evaluation.PonderProbe(model)([np.ones((5, 6, 2)), np.ones((5, 3))])
    assert answers["outputs"].shape == (5, 1) and answers["ponder"].shape == (5, 6)


def test_the_first_call_of_a_shape_is_not_timed():
    calls = []
    probe = evaluation.TimedProbe(lambda inputs: calls.append(inputs.shape))
    for size in (2, 2, 3):
        probe(np.zeros((size, 1)))
    assert calls == [(2, 1)] * 3 + [(3, 1)] * 2 and len(probe.seconds) == 3


def test_calls_under_a_limit_take_fewer_steps():
    model, _, _ = pondering(halting_bias=-20.0)
    limited = evaluation.LimitedProbe(evaluation.PonderProbe(model), within=1e-6)
    found = limited(next(batches(1))["inputs"])
    assert found["ponder_steps"].max() == 1
    summary = limited.summary()
    assert summary["calls"] == 1 and summary["late"] == 1.0 and summary["within"] == 1e-6


def test_the_median_of_records_that_differ():
    """What is not a number everywhere is that of the first record."""
    records = [{"seed": None, "errors": 4, "more": 1}, {"seed": 1, "errors": 2}, {"seed": 2}]
    assert statistics.median_of_each(records[:2]) == {"seed": None, "errors": 3}
    assert statistics.median_of_each(records[::-1]) == {"seed": 2}
    assert statistics.median_of_each([{"a": [1, 2]}, {"a": [3, 2]}]) == {"a": [2, 2]}
    assert statistics.median_of_each([[0.5, True], [1, False]]) == [0.75, True]


@pytest.mark.parametrize("dtype", ["int64", "int32", "float64", "float32"])
def test_the_median_of_numbers_of_numpy(dtype):
    numbers = np.array([1, 5, 3], dtype)
    median = statistics.median_of_each([{"n": n} for n in numbers])["n"]
    assert median == 3 and type(median) is type(numbers[0].item())
    assert statistics.median_of_each(list(numbers[:2])) == 3
    assert np.isnan(statistics.median_of_each([np.nan, 1.0, 2.0]))


def test_plateaus():
    assert statistics.plateaus([0.5, 0.4, 0.4, 0.4, 0.4, 0.4], 2) == 2
    assert statistics.plateaus([0.5, 0.4, 0.3, 0.3], 2) == 0
    assert statistics.plateaus([0.5, 0.5], None) == statistics.plateaus([], 3) == 0


def test_what_is_no_number_ends_no_plateau_and_begins_none():
    assert statistics.plateaus([np.nan, 0.5, 0.4, 0.3], 2) == 0


def test_a_layer_that_returns_no_ponder_has_none():
    inputs = keras.Input((None, 2))
    layer = ACTRNN(keras.layers.LSTMCell(3), return_state=True, name="states")
    model = keras.Model(inputs, layer(inputs)[0])
    with pytest.raises(ValueError, match="`layer` must be a layer that returns its ponder"):
        evaluation.PonderProbe(model, "states")


def test_batches_without_targets_are_refused():
    batch = next(batches(3))
    empty = [{**batch, "weights": 0 * batch["weights"]}]
    model, *_ = pondering()
    with pytest.raises(ValueError, match="`batches` must have an example with a target"):
        evaluation.PonderEvaluation().collect(evaluation.PonderProbe(model), empty, examples=5)


def test_a_call_ends_when_it_is_computed(monkeypatch):
    """On JAX a call returns before that."""
    waited = []
    convert = keras.ops.convert_to_numpy
    monkeypatch.setattr(keras.ops, "convert_to_numpy", lambda x: waited.append(1) or convert(x))
    evaluation.TimedProbe(lambda x: {"a": keras.ops.ones((2,)), "b": x})(np.ones((1, 2)))
    assert len(waited) == 2


def test_batches_of_several_lengths():
    model, *_ = pondering()
    probe, judge = evaluation.PonderProbe(model), evaluation.PonderEvaluation()
    short, long = (next(batches(1, time=length)) for length in (2, 4))
    found = judge.collect(probe, [short, long], examples=100)
    for part, batch in ((slice(0, 4), short), (slice(4, 8), long)):
        length = batch["inputs"].shape[1]
        expected = judge.collect(probe, [batch], examples=100)
        for name, values in expected.items():
            values = values if values.ndim == 1 else np.pad(values, [(0, 0), (0, 4 - length)])
            np.testing.assert_array_equal(found[name][part], values)


def test_a_summary_of_no_call():
    limited = evaluation.LimitedProbe(lambda inputs: inputs, within=1.0)
    with pytest.raises(ValueError, match="after its first call"):
        limited.summary()


def test_several_inputs_are_timed():
    calls = []
    probe = evaluation.TimedProbe(lambda inputs: calls.append(inputs[1].shape))
    for size in (2, 2, 3):
        probe([np.zeros((2, 1)), np.zeros((size, 1))])
    assert calls == [(2, 1)] * 3 + [(3, 1)] * 2 and len(probe.seconds) == 3


def test_a_ratio_of_lists():
    of_lists = statistics.Ratio([1, 2], [3, 4])
    of_arrays = statistics.Ratio(np.array([1, 2]), np.array([3, 4]))
    assert of_lists.value == 3 / 7 and of_lists.spread == of_arrays.spread
