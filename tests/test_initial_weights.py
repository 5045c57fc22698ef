"""Initial weights of recurrent cells have the properties that they are named after."""

import keras
import numpy as np
import pytest

from keras_adaptive import initial_weights
from keras_adaptive.layers import ACTRNN, NeuralGPU
from keras_adaptive.models import AdaptiveResNet
from keras_adaptive.neural_gpu import set_steps_multiplier


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def test_each_gate_is_orthogonal(rng):
    kernel = initial_weights.orthogonal_gates(rng, 6)
    assert kernel.shape == (6, 24) and kernel.dtype == np.float32
    for gate in np.split(kernel, 4, axis=1):
        np.testing.assert_allclose(gate.T @ gate, np.eye(6), atol=1e-6)


def test_memories_last_between_two_steps_and_the_longest(rng):
    """A forget gate of σ(b) keeps a memory for about e^b steps; the other gates have no bias."""
    bias = initial_weights.chrono_bias(rng, 500, longest=100)
    times = np.exp(bias[500:1000])
    assert times.min() >= 2 and times.max() <= 100 and times.max() > 90
    assert not bias[:500].any() and not bias[1000:].any()


def test_units_see_few_inputs_and_the_flag(rng):
    kernel = initial_weights.sparse_kernel(rng, 21, 50, gain=3.0, inputs_per_unit=4)
    assert ((kernel[:-1] != 0).sum(axis=0) == 4).all() and kernel[-1].all()
    limit = np.sqrt(6 / 71)
    assert limit < abs(kernel[:-1]).max() <= 3 * limit and abs(kernel[-1]).max() <= limit


def test_every_input_is_seen_equally_often(rng):
    kernel = initial_weights.one_input_each(rng, 5, 20, 2.0)
    assert ((kernel != 0).sum(axis=0) == 1).all() and ((kernel != 0).sum(axis=1) == 4).all()
    assert abs(kernel).max() <= 2


def test_the_same_generator_gives_the_same_weights():
    for function, arguments in (
        (initial_weights.orthogonal_gates, (4,)),
        (initial_weights.chrono_bias, (4, 10)),
        (initial_weights.sparse_kernel, (9, 4, 1.0)),
        (initial_weights.one_input_each, (3, 4, 1.0)),
    ):
        first, again, other = (
            function(np.random.default_rng(seed), *arguments) for seed in (1, 1, 2)
        )
        np.testing.assert_array_equal(first, again)
        assert (first != other).any()


def resnet(halting, units=2, name="resnet"):
    return AdaptiveResNet((8, 8, 1), units=units, filters=(2, 3), halting=halting, name=name)


@pytest.mark.parametrize("halting", ["sact", "act"])
def test_units_that_halt_start_as_those_of_a_plain_network(halting):
    model, plain = resnet(halting), resnet(None, name="plain")
    left = initial_weights.copy_weights(model, plain)
    assert left and all("halting_unit" in path or "time_penalty" in path for path in left)
    # Without halting, both answer alike.
    for block in ("block_1", "block_2"):
        for unit in model.get_layer(block).halting_units:
            unit.pooled_weight.bias.assign([-100.0])
    images = np.random.default_rng(0).normal(size=(3, 8, 8, 1)).astype("float32")
    np.testing.assert_allclose(model(images), plain(images), atol=1e-6)


def test_weights_without_a_counterpart_are_refused():
    with pytest.raises(ValueError, match=r"`source` must have weights .*block_1_unit_2"):
        initial_weights.copy_weights(resnet("act", units=1), resnet(None))
    wide = AdaptiveResNet((8, 8, 2), units=2, filters=(2, 3), halting=None)
    with pytest.raises(ValueError, match=r"stem/kernel of shape \(3, 3, 2, 2\)"):
        initial_weights.copy_weights(resnet("act"), wide)


def test_numbers_of_names_used_before_do_not_count():
    """A cell without a name has one with a number in all networks of a process but the first."""

    def network(halting):
        inputs = keras.Input((None, 3))
        cells = [keras.layers.LSTMCell(4), keras.layers.LSTMCell(2)]
        layer = ACTRNN(cells, halting=halting, steps=1 if halting == "fixed" else None, name="act")
        return keras.Model(inputs, layer(inputs))

    plain, model = network("fixed"), network("act")
    left = initial_weights.copy_weights(model, plain)
    assert left and all("halting_unit" in path or "time_penalty" in path for path in left)
    cells = (network.get_layer("act").cell.get_weights() for network in (plain, model))
    for one, other in zip(*cells, strict=True):
        np.testing.assert_array_equal(one, other)


def recurrent(cell, name):
    """A network with two layers of cells, the second adaptive, and an answer at each time step."""
    inputs = keras.Input((None, 3))
    first = keras.layers.RNN(cell(name="first"), return_sequences=True, name="below")(inputs)
    layer = ACTRNN(cell(name="second"), max_ponder=4, return_sequences=True, name="act")
    return keras.Model(inputs, keras.layers.Dense(2, name="answer")(layer(first)), name=name)


@pytest.mark.parametrize(
    "cell",
    [
        keras.layers.LSTMCell,
        pytest.param(keras.layers.SimpleRNNCell, marks=pytest.mark.slow),
        pytest.param(keras.layers.GRUCell, marks=pytest.mark.slow),
    ],
    ids=lambda cell: cell.__name__,
)
def test_a_wider_network_starts_with_the_answers_of_a_narrow_one(cell, rng):
    narrow = recurrent(lambda name: cell(4, name=name), "narrow")
    for variable in narrow.trainable_variables:
        variable.assign(rng.normal(size=variable.shape) / 2)
    wide = recurrent(lambda name: cell(7, name=name), "wide")
    first = {variable.path: np.array(variable) for variable in wide.variables}
    assert initial_weights.copy_weights(wide, narrow) == []
    for variable in wide.variables:
        if variable.path.endswith(("/recurrent_kernel", "cond/bias", "first/bias")):
            # What goes into the new units is as it was.
            new = np.arange(variable.shape[-1]) % 7 >= 4
            found = np.array(variable)[..., new]
            np.testing.assert_array_equal(found, first[variable.path][..., new])
    inputs = rng.normal(size=(5, 6, 3)).astype("float32")
    np.testing.assert_allclose(wide(inputs), narrow(inputs), atol=1e-6)
    # All of its weights learn, those that read the new units too.
    before = [np.array(variable) for variable in wide.trainable_variables]
    wide.compile(keras.optimizers.SGD(0.1), "mse")
    wide.fit(inputs, rng.normal(size=(5, 6, 2)), epochs=2, verbose=0)
    for variable, old in zip(wide.trainable_variables, before, strict=True):
        moved = np.array(variable) != old
        assert moved.all() or ("halting" not in variable.path and moved.mean() > 0.9), variable.path


def neural_gpu(layers, name, **arguments):
    symbols = keras.Input((None,), dtype="int32")
    cell = {"nonlinearity": "hard", "diagonal": True, "kernel_size": (3, 1)}
    layer = NeuralGPU(4, 6, 1, num_layers=layers, **cell, **arguments, name="neural_gpu")
    return keras.Model(symbols, keras.layers.Dense(3, name="answer")(layer(symbols)), name=name)


@pytest.mark.parametrize(("less", "more"), [(1, 2), (2, 6)])
def test_a_deeper_neural_gpu_starts_with_the_answers_of_more_steps(less, more, rng):
    deep, shallow = neural_gpu(more, "deep"), neural_gpu(less, "shallow")
    assert initial_weights.copy_weights(deep, shallow) == []
    symbols = rng.integers(0, 4, (3, 7))
    set_steps_multiplier(shallow, more // less)
    np.testing.assert_allclose(deep(symbols), shallow(symbols), atol=1e-6)
    # The copies learn by themselves.
    deep.compile(keras.optimizers.SGD(0.1), "mse")
    deep.fit(symbols, rng.normal(size=(3, 7, 3)), verbose=0)
    first, last = deep.get_layer("neural_gpu").cells[0], deep.get_layer("neural_gpu").cells[less]
    for one, other in zip(first.trainable_variables, last.trainable_variables, strict=True):
        assert (np.array(one) != np.array(other)).any(), one.path


def test_a_network_with_fewer_units_is_refused():
    narrow, wide = (
        recurrent(lambda name, units=units: keras.layers.LSTMCell(units, name=name), f"of_{units}")
        for units in (2, 3)
    )
    with pytest.raises(ValueError, match=r"`source` must have .*kernel of shape \(3, 12\)"):
        initial_weights.copy_weights(narrow, wide)


def test_two_weights_for_one_are_refused():
    """Keras numbers layers without a name in each process anew."""

    def network(*names):
        layers = [keras.layers.Dense(3, name=name) for name in names]
        return keras.Sequential([keras.Input((3,)), *layers])

    model = network("dense", "dense_1", "dense_2")
    with pytest.raises(ValueError, match="once, each another"):
        initial_weights.copy_weights(model, network("dense_1", "dense_2", "dense_3"))


def test_both_models_go_on_afterwards():
    """On JAX a step gives away the memory of the variables that it changes."""

    def network():
        layers = [keras.layers.BatchNormalization(name="norm"), keras.layers.Dense(2, name="dense")]
        return keras.Sequential([keras.Input((3,)), *layers])

    one, other = network(), network()
    initial_weights.copy_weights(one, other)
    x = np.ones((4, 3), "float32")
    one.compile("sgd", "mse")
    one.fit(x, np.zeros((4, 2)), verbose=0)
    before = other.predict(x, verbose=0)
    one.predict(x, verbose=0)
    np.testing.assert_array_equal(other.predict(x, verbose=0), before)
