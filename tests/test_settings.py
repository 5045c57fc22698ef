"""What is set on a layer after it was made: checked as its constructor does, and in force."""

import keras
import numpy as np
import pytest

from keras_adaptive.control import TargetPonder
from keras_adaptive.halting import ACT, Converged, Expected, Fixed, Sampled
from keras_adaptive.layers import ACTRNN, PonderNet, Recall, ResidualACT, ResidualUnit
from keras_adaptive.models import AdaptiveResNet, PonderNetModel, RecallModel


def sequences():
    return np.random.default_rng(0).normal(size=(6, 5, 3)).astype("float32")


def images():
    return np.random.default_rng(0).normal(size=(2, 6, 6, 3)).astype("float32")


def of_sequences(**options):
    return ACTRNN(keras.layers.SimpleRNNCell(4), max_ponder=6, **options)


def of_images(**options):
    return ResidualACT([ResidualUnit(4) for _ in range(3)], **options)


WITH_TIME_PENALTY = pytest.mark.parametrize(
    "make, inputs", [(of_sequences, sequences()), (of_images, images())]
)


@WITH_TIME_PENALTY
def test_a_target_of_the_ponder(make, inputs):
    layer = make(target_ponder=2.0)
    layer.target_ponder = 1.5
    layer(inputs)
    layer.target_ponder = 4
    assert layer.target_ponder.steps == 4.0
    before = layer.time_penalty
    layer(inputs, training=True)
    assert layer.time_penalty != before
    layer.target_ponder = own = TargetPonder(1.0, maximum=0.5)
    assert layer.target_ponder is own
    config = layer.get_config()
    assert type(layer).from_config(config).target_ponder.maximum == 0.5
    for bad in (0.5, "3", TargetPonder):
        with pytest.raises(ValueError, match="`target_ponder` must be"):
            layer.target_ponder = bad
    with pytest.raises(ValueError, match=r"was built with a `target_ponder`.*=None"):
        layer.target_ponder = None
    assert layer.target_ponder is own


@WITH_TIME_PENALTY
def test_a_first_target_of_the_ponder(make, inputs):
    layer = make()
    layer.target_ponder = 1.0
    layer.target_ponder = None
    layer(inputs)
    with pytest.raises(ValueError, match=r"was built without `target_ponder`.*=3.0"):
        layer.target_ponder = 3.0
    assert layer.target_ponder is None
    layer(inputs, training=True)


def test_a_target_of_the_blocks_of_a_model():
    model = AdaptiveResNet((8, 8, 1), 2, units=2, filters=(4, 4), target_ponder=2.0)
    for name in ("block_1", "block_2"):
        model.get_layer(name).target_ponder = 1.5
    again = AdaptiveResNet.from_config(model.get_config())
    assert again.get_layer("block_2").target_ponder.steps == 1.5


def test_a_target_without_a_ponder_cost():
    layer = of_sequences(halting="fixed", steps=3)
    with pytest.raises(ValueError, match=r"`target_ponder` needs .*=2.0, halting='fixed'"):
        layer.target_ponder = 2.0


class Own(ACT):
    max_ponder = 5


@pytest.mark.parametrize("bad", [0, 2.5, "3", None, True])
@pytest.mark.parametrize(
    "make",
    [
        of_sequences,
        lambda: of_sequences(halting="fixed", steps=3),
        lambda: of_sequences(halting="sampled"),
        lambda: of_sequences(halting=Converged()),
        lambda: of_sequences(halting=Own()),
        lambda: PonderNet(keras.layers.GRUCell(4)),
        *(ACT, Sampled, Converged, Expected, lambda: Fixed(3)),
    ],
)
def test_the_largest_number_of_steps(make, bad):
    pondering = make()
    pondering.max_ponder = np.int64(4)
    with pytest.raises(ValueError, match="`max_ponder` must be an integer of at least 1"):
        pondering.max_ponder = bad
    assert pondering.max_ponder == 4


def test_epsilon():
    layer = of_sequences(halting=ACT(9, 0.2))
    layer.epsilon = 0.3
    with pytest.raises(ValueError, match="`epsilon` must be a number in"):
        layer.epsilon = 5
    assert layer.epsilon == 0.3
    layer = of_sequences(halting="sampled")
    with pytest.raises(ValueError, match=r"no `epsilon`, as its rule `Sampled` has none.*=0.1"):
        layer.epsilon = 0.1
    assert layer.epsilon is None


def test_a_pondernet_model_has_the_steps_of_its_layer():
    inputs = keras.Input((3,))
    layer = PonderNet(keras.layers.GRUCell(4), keras.layers.Dense(1), max_ponder=5)
    model = PonderNetModel(inputs, layer(inputs))
    layer.max_ponder = 2
    assert model.max_ponder == 2
    model.compile("sgd", "mse")
    history = model.fit(np.ones((4, 3)), np.ones((4, 1)), verbose=0).history
    assert np.isfinite(history["loss"][0]) and history["ponder_steps"][0] <= 2


def test_a_recall_model_has_the_steps_of_its_layer():
    inputs = keras.Input((None, 1))
    layer = Recall(2, 2, steps=1)
    model = RecallModel(inputs, layer(inputs), seed=0)
    with pytest.raises(ValueError, match="`steps` must be an integer of at least 1"):
        layer.steps = 0
    layer.steps = 3
    assert model.max_steps == 3
    assert max(int(sum(model._draw())) for _ in range(40)) == 3
