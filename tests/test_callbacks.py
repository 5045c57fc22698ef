"""Callbacks in plain `fit`: the curriculum, the relaxation pull, the fraction of wrong outputs."""

import json

import keras
import numpy as np
import pytest

from keras_adaptive import relaxation
from keras_adaptive.callbacks import AdvanceCurriculum, RaiseRelaxationPull, UpdateWrongFraction
from keras_adaptive.curriculum import Batches, Feed, Growing, OneByOne
from keras_adaptive.losses import SequenceLoss
from keras_adaptive.metrics import SequenceError
from keras_adaptive.optimizers import GradientNoise

LENGTHS = ("least", "largest")


def copied_bits(rng, batch_size, *, least, largest):
    """Bits to be copied; examples differ in length, and the rest is padding."""
    length = rng.integers(least, largest + 1, (batch_size, 1))
    inside = np.arange(largest) < length
    bits = rng.integers(1, 3, (batch_size, largest)) * inside
    return {"inputs": bits.astype("int32"), "targets": bits, "weights": inside.astype("float32")}


@keras.saving.register_keras_serializable(package="tests.callbacks")
class TwoSets(keras.layers.Layer):
    """Multiplies by the first of two relaxed scales."""

    def build(self, shape):
        self.scale = self.add_weight(shape=(2, shape[-1]), initializer="random_normal")
        relaxation.add_variables(self, sets=2, pull=0.01)

    @property
    def relaxed_variables(self):
        return [self.scale]

    def call(self, x):
        self.add_loss(relaxation.cost(self))
        return x * self.scale[0]


def network(optimizer=None, *layers):
    """A model of one symbol at a time, compiled; it can learn to copy in a few steps."""
    model = keras.Sequential(
        [
            keras.Input((None,), dtype="int32"),
            keras.layers.Embedding(3, 8),
            *layers,
            keras.layers.Dense(3, activation="softmax"),
        ]
    )
    model.compile(
        optimizer or keras.optimizers.Adam(0.05),
        SequenceLoss(),
        weighted_metrics=[SequenceError()],
    )
    return model


def feed_of(regime, batches=10, sample=copied_bits):
    return Feed(sample, regime, batch_size=16, batches=batches, seed=3)


def fit(model, feed, callbacks, epochs):
    arguments = {"epochs": epochs, "callbacks": callbacks, "verbose": 0, "shuffle": False}
    return model.fit(feed.for_fit(), **arguments).history


def test_one_by_one_has_a_share_of_all_lengths():
    regime, rng = OneByOne(LENGTHS, start=3, stop=10, share=0.4), np.random.default_rng(0)
    drawn = [regime.parameters_at(2, rng) for _ in range(4000)]
    assert all(each["least"] == each["largest"] for each in drawn)
    lengths, counts = np.unique([each["largest"] for each in drawn], return_counts=True)
    assert lengths.tolist() == [3, 4, 5, 6, 7, 8, 9, 10]
    expected = [0.4 / 8 + 0.6 * (length == 5) for length in lengths]
    np.testing.assert_allclose(counts / 4000, expected, atol=0.015)
    assert regime.exam_at(2) == {"least": 5, "largest": 5}
    assert OneByOne(LENGTHS, stop=8, step=3).lengths == (1, 4, 7, 8)
    only = OneByOne(LENGTHS, stop=8, share=0.0)
    assert {only.parameters_at(3, rng)["largest"] for _ in range(50)} == {4}


def test_feed_depends_on_seed_level_and_number_alone():
    feed, same = feed_of(OneByOne(LENGTHS, stop=9)), feed_of(OneByOne(LENGTHS, stop=9))
    feed.level = same.level = 4
    same.start = 7
    np.testing.assert_array_equal(feed[9][0], same[2][0])
    assert feed[9][0].shape != feed[8][0].shape or np.any(feed[9][0] != feed[8][0])
    exam = feed.exam(5, start=0)
    assert len(exam) == 5
    assert [exam[i][0].shape for i in range(5)] == [(16, 5)] * 5
    of_training = [feed[i][0] for i in range(9) if feed[i][0].shape == (16, 5)]
    assert all(np.any(exam[0][0] != other) for other in (exam[1][0], *of_training))
    feed.level = 8
    assert exam[0][0].shape == (16, 5)


def test_curriculum_advances_when_the_exam_is_passed():
    seen = []

    def sample(rng, batch_size, **parameters):
        seen.append(parameters["largest"])
        return copied_bits(rng, batch_size, **parameters)

    feed = feed_of(OneByOne(LENGTHS, start=2, stop=4, share=0.0), batches=20, sample=sample)
    callback = AdvanceCurriculum(feed, threshold=0.9, exam_batches=2)
    history = fit(network(), feed, [callback], epochs=8)
    lengths, passed = history["curriculum_length"], history["curriculum_passed"]
    assert lengths[0] == 2 and lengths[-1] == 4 and passed[-1] == 1
    for epoch in range(7):
        wanted = min(lengths[epoch] + passed[epoch], 4)
        assert lengths[epoch + 1] == wanted
        assert passed[epoch] == (history["curriculum_error"][epoch] <= 0.1)
        assert history["curriculum_at_end"][epoch] == (wanted == 4)
    assert sorted(set(seen)) == [2, 3, 4]
    assert callback.get_state() == {"level": 2, "step": 160}


def test_exactly_the_threshold_passes():
    """Though 0.1 is a little more in float32, in which metrics are computed."""
    feed = feed_of(OneByOne(LENGTHS, start=2, stop=4, share=0.0), batches=1)
    callback = AdvanceCurriculum(feed, threshold=0.9)
    logs = {}
    callback._error = lambda: float(np.float32(0.1))
    callback.on_epoch_end(0, logs)
    assert logs["curriculum_passed"] == 1.0
    callback._error = lambda: 0.1001
    callback.on_epoch_end(1, logs)
    assert logs["curriculum_passed"] == 0.0


def test_all_lengths_at_once_grow():
    feed = feed_of(Growing(LENGTHS, lengths=(3, 6), least=2), batches=20)
    inputs, _, weights = feed[0]
    assert inputs.shape == (16, 3) and sorted(set(weights.sum(axis=1))) == [2, 3]
    history = fit(network(), feed, [AdvanceCurriculum(feed, threshold=0.5)], epochs=6)
    assert history["curriculum_length"][0] == 3 and history["curriculum_length"][-1] == 6
    lengths = {length for i in range(4) for length in feed[i][2].sum(axis=1)}
    assert feed[0][0].shape == (16, 6) and lengths == {2, 3, 4, 5, 6}


def test_what_is_not_learned_stays():
    feed = feed_of(OneByOne(LENGTHS, start=4, stop=9), batches=2)
    model = network(keras.optimizers.SGD(0.0))
    history = fit(model, feed, [AdvanceCurriculum(feed, 0.9)], epochs=3)
    assert history["curriculum_length"] == [4, 4, 4]
    assert history["curriculum_passed"] == [0, 0, 0] == history["curriculum_at_end"]


def test_a_saved_training_goes_on_as_the_first(tmp_path):
    regime = OneByOne(LENGTHS, start=2, stop=4, share=0.5)
    feed = feed_of(regime)
    callback = AdvanceCurriculum(feed, threshold=0.5)
    model = network()
    fit(model, feed, [callback], epochs=4)
    model.save(tmp_path / "model.keras")
    (tmp_path / "curriculum.json").write_text(json.dumps(callback.get_state()))
    assert callback.level > 0
    expected = fit(model, feed, [callback], epochs=2)

    other, feed = keras.models.load_model(tmp_path / "model.keras"), feed_of(regime)
    callback = AdvanceCurriculum(feed, threshold=0.5)
    callback.set_state(json.loads((tmp_path / "curriculum.json").read_text()))
    found = fit(other, feed, [callback], epochs=2)
    assert found.keys() == expected.keys()
    for name in expected:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-5, err_msg=name)
    for weight, wanted in zip(other.get_weights(), model.get_weights()):
        np.testing.assert_allclose(weight, wanted, rtol=1e-4, atol=1e-6)


def test_pull_rises_with_the_curriculum_and_ends_in_one_set():
    feed = feed_of(OneByOne(LENGTHS, start=1, stop=3, share=0.0), batches=20)
    model = network(None, TwoSets())
    callbacks = [AdvanceCurriculum(feed, threshold=0.5), RaiseRelaxationPull(factor=2.0)]
    history = fit(model, feed, callbacks, epochs=6)
    pull, averaged = 0.01, False
    for epoch in range(6):
        if history["curriculum_passed"][epoch] and not averaged:
            averaged = history["curriculum_length"][epoch] >= 2
            pull = pull if averaged else 2 * pull
        assert history["relaxation_pull"][epoch] == pytest.approx(pull)
        assert history["relaxation_averaged"][epoch] == averaged
    assert averaged and relaxation.is_averaged(model)
    assert pull == pytest.approx(0.02)


def test_pull_may_end_at_a_value():
    feed = feed_of(Growing(LENGTHS, lengths=(1,)), batches=2)
    model = network(keras.optimizers.SGD(0.0), TwoSets())
    callbacks = [AdvanceCurriculum(feed, threshold=0.01), RaiseRelaxationPull(2.0, end=0.03)]
    # Without learning it answers 2 to everything, which some of the sequences of 1 symbol want.
    model.layers[-1].bias.assign([0.0, 0.0, 9.0])
    history = fit(model, feed, callbacks, epochs=4)
    np.testing.assert_allclose(history["relaxation_pull"], [0.02, 0.04, 0.04, 0.04], rtol=1e-6)
    assert history["relaxation_averaged"] == [0, 0, 1, 1]
    np.testing.assert_array_equal(*model.layers[1].scale.numpy())


@pytest.mark.parametrize("scaled", [False, True])
def test_noise_is_told_what_was_wrong(scaled):
    noisy = GradientNoise(keras.optimizers.Adam(0.02), scale=0.01)
    model = network(keras.optimizers.LossScaleOptimizer(noisy) if scaled else noisy)
    feed = feed_of(Growing(LENGTHS, lengths=(4,)), batches=3)
    fractions = []
    watch = keras.callbacks.LambdaCallback(
        on_epoch_begin=lambda epoch, logs: fractions.append(float(noisy.wrong_fraction))
    )
    history = fit(model, feed, [UpdateWrongFraction(), watch], epochs=3)
    np.testing.assert_allclose(fractions, [1.0, *history["sequence_error"][:2]], rtol=1e-6)
    assert float(noisy.wrong_fraction) == pytest.approx(history["sequence_error"][-1])


def ends_epoch(callback, model, logs=None):
    """What `fit` does with a callback, without training."""
    callback.set_model(model)
    callback.on_train_begin()
    callback.on_epoch_begin(0)
    callback.on_epoch_end(0, {"sequence_error": 0.5} if logs is None else logs)


def test_what_callbacks_need():
    plain, noisy = network(), network(GradientNoise("adam", 0.1))
    feed = feed_of(OneByOne(LENGTHS, stop=3), batches=1)
    callback = AdvanceCurriculum(feed, metric="mistakes")
    with pytest.raises(ValueError, match=r"`metric`.*'sequence_error'.*'mistakes'"):
        ends_epoch(callback, plain)
    with pytest.raises(ValueError, match=r"`state`.*level from 0 to 2.*3"):
        callback.set_state({"level": 3, "step": 0})
    with pytest.raises(ValueError, match=r"`metric`.*'sequence_error'.*'mistakes'"):
        ends_epoch(UpdateWrongFraction("mistakes"), noisy)
    with pytest.raises(ValueError, match=r"GradientNoise.*Adam"):
        ends_epoch(UpdateWrongFraction(), plain)
    with pytest.raises(ValueError, match="no layer with relaxed parameters"):
        ends_epoch(RaiseRelaxationPull(), plain)
    with pytest.raises(ValueError, match="needs an AdvanceCurriculum before it"):
        ends_epoch(RaiseRelaxationPull(), network(None, TwoSets()))


def test_batches_of_any_structure_are_fed(eager):
    def make(number, level):
        return {"a": np.ones((2, 3))}, np.ones(2), np.ones(2)

    inputs = keras.Input((3,), name="a")
    model = keras.Model({"a": inputs}, keras.layers.Dense(1)(inputs))
    model.compile("sgd", "mse")
    model.fit(Batches(make, level=1, batches=3).for_fit(), shuffle=False, verbose=0)
    assert int(model.optimizer.iterations) == 3
