"""What layers do with batches of no rows, masks of another shape, other dtypes, and images."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers, ops

from keras_adaptive import baselines, halting
from keras_adaptive.ham import Memory
from keras_adaptive.layers import (
    ACTRNN,
    CGRU,
    DHAM,
    HAM,
    BahdanauAttention,
    NeuralGPU,
    PonderNet,
    Recall,
    ResidualACT,
    ResidualUnit,
    StackRNN,
)
from keras_adaptive.models import AdaptiveResNet
from keras_adaptive.reinforce import ReinforceModel

SYMBOLS = baselines.Symbols(3)
SMALL = Memory(3, hidden_units=3)


def seq2seq():
    return baselines.Seq2SeqLSTM(SYMBOLS, SYMBOLS, units=2, num_layers=1)


def next_symbol():
    cell = baselines.StackRNNCell(2, num_stacks=1, stack_depth=None)
    return baselines.NextSymbolRNN(cell, SYMBOLS, SYMBOLS)


VECTORS, TOKENS, IMAGES = (2, 4, 3), (2, 4), (2, 4, 2, 3)
LAYERS = {
    "ACTRNN of LSTM": (lambda: ACTRNN(layers.LSTMCell(2), halting_bias=-1), VECTORS),
    "ACTRNN of SimpleRNN": (
        lambda: ACTRNN(layers.SimpleRNNCell(2), return_sequences=True, return_ponder=True),
        VECTORS,
    ),
    "ACTRNN of fixed steps": (
        lambda: ACTRNN(layers.GRUCell(2), halting="fixed", steps=2, return_state=True),
        VECTORS,
    ),
    "ACTRNN of drawn steps": (lambda: ACTRNN(layers.GRUCell(2), halting="sampled"), VECTORS),
    "StackRNN": (lambda: StackRNN(2, num_stacks=1), VECTORS),
    "HAM": (lambda: HAM(2, layers.LSTMCell(2), SMALL), VECTORS),
    "raw HAM": (lambda: HAM(2, memory=Memory(3), num_leaves=4), VECTORS),
    "DHAM": (lambda: DHAM(2, layers.GRUCell(2), Memory(3), entropy_bonus=0.1), VECTORS),
    "NeuralGPU": (
        lambda: NeuralGPU(3, 2, width=1, num_layers=1, dropout=0.1, saturation_cost=0.1),
        TOKENS,
    ),
    "CGRU": (lambda: CGRU(3, saturation_cost=0.1), IMAGES),
    "Seq2SeqLSTM": (seq2seq, TOKENS),
    "NextSymbolRNN": (next_symbol, TOKENS),
    "PonderNet": (lambda: PonderNet(layers.GRUCell(2), layers.Dense(1), 3), (2, 3)),
    "Recall": (lambda: Recall(2, 3, 2, halting.Converged(1, 5)), VECTORS),
    "SACT": (lambda: ResidualACT([ResidualUnit(3), ResidualUnit(3)]), IMAGES),
    "ACT on images": (
        lambda: ResidualACT([ResidualUnit(3), ResidualUnit(3)], spatial=False),
        IMAGES,
    ),
}
WITHOUT_MASKS = {"PonderNet", "SACT", "ACT on images"}
every_layer = pytest.mark.parametrize("name", LAYERS)


def inputs_of(shape, rows=None):
    shape = shape if rows is None else (rows, *shape[1:])
    return np.ones(shape, "int32" if shape[1:] == TOKENS[1:] else "float32")


@every_layer
def test_a_batch_of_no_rows(name):
    make, shape = LAYERS[name]
    layer = make()
    some = keras.tree.flatten(layer(inputs_of(shape)))
    for training in (False, True):
        none = keras.tree.flatten(layer(inputs_of(shape, rows=0), training=training))
        assert [x.shape for x in none] == [(0, *x.shape[1:]) for x in some]
        assert all(x.dtype == y.dtype for x, y in zip(none, some))
        assert np.all(np.isfinite([float(loss) for loss in layer.losses]))
        assert all(np.isfinite(weight).all() for weight in layer.get_weights())


@pytest.mark.parametrize("kind", ["sact", "act", None])
def test_a_network_of_no_images(kind):
    model = AdaptiveResNet((None, None, 1), classes=4, units=2, filters=(2, 3), halting=kind)
    images = np.ones((3, 6, 4, 1), "float32")
    for function in (model, model.ponder_map, model.flops):
        assert tuple(function(images[:0]).shape) == (0, *function(images).shape[1:])
    for none, some in zip(model.units_taken(images[:0]), model.units_taken(images)):
        assert none.shape == (0, *some.shape[1:])


@pytest.mark.parametrize("shape", [(2, 0, 3), (2, 0, 4, 3)])
def test_recall_of_nothing(shape):
    logits, ponder = Recall(2, 5, 2, halting.Converged(1, 9), return_ponder=True)(np.ones(shape))
    assert logits.shape == (*shape[:-1], 5)
    np.testing.assert_array_equal(ponder["steps"], 1)


def test_pondering_about_no_rows():
    result = halting.ponder(lambda n, s: (s, s[:, :1], s), np.ones((0, 2)), halting.ACT())
    assert result.output.shape == (0, 2) and result.steps.shape == (0,)


@pytest.mark.parametrize("name", [name for name in LAYERS if name not in WITHOUT_MASKS])
@pytest.mark.parametrize("mask", [(2, 5), (3, 4), (2, 4, 3)])
def test_a_mask_of_another_shape(name, mask):
    make, shape = LAYERS[name]
    with pytest.raises(ValueError, match=r"`mask` must have the shape \(2, 4\).*Received"):
        make()(inputs_of(shape), mask=np.ones(mask, bool))


@pytest.mark.parametrize("mask", [(3,), (2, 1)])
def test_a_mask_of_other_rows(mask):
    with pytest.raises(ValueError, match=r"`mask` must have the shape \(2,\).*Received"):
        halting.ponder(
            lambda n, s: (s, s[:, :1], s), np.ones((2, 2)), halting.ACT(), mask=np.ones(mask)
        )
    with pytest.raises(ValueError, match=r"`mask` must have the shape \(2, 4\)"):
        BahdanauAttention(2)(np.ones((2, 3)), np.ones((2, 4, 3)), mask=np.ones((2, 3)))


@pytest.mark.parametrize(
    "options",
    [
        {"entropy_bonus": 0.1, "entropy_penalty": 0.1, "per_target": True},
        pytest.param({"baseline": "leave_one_out", "samples": 2}, marks=pytest.mark.slow),
    ],
)
@pytest.mark.usefixtures("eager")
def test_reinforce_in_float64(options):
    memory = Memory(3, hidden_units=3, dtype="float64")
    cell = layers.SimpleRNNCell(2, dtype="float64")
    model = ReinforceModel(HAM(2, cell, memory, dtype="float64"), **options)
    model.compile("sgd")
    rng = np.random.default_rng(0)
    history = model.fit(rng.random((4, 2, 2)), rng.integers(0, 2, (4, 2, 2)), verbose=0).history
    assert np.isfinite(history["loss"][0])
    assert {variable.dtype for variable in model.trainable_variables} == {"float64"}


def by_loop(layer, x):
    """What the equations say of a cell on images, one example at a time, by plain loops."""
    outputs, ponders = [], []
    for row in range(len(x)):
        state = [s[:1] for s in layer.cell.get_initial_state(batch_size=1)]
        ponders.append(0.0)
        for time in range(x.shape[1]):
            spent, total, n = 0.0, None, 0
            inner = state
            while True:
                n += 1
                flag = np.full((1, *x.shape[2:-1], 1), float(n == 1), x.dtype)
                here = ops.concatenate([x[row : row + 1, time], flag], axis=-1)
                output, inner = layer.cell(here, inner)
                halting_unit = layer.halting_unit(ops.mean(output, axis=(1, 2)))[0, 0]
                halts = float(spent + halting_unit) >= 0.99 or n == layer.max_ponder
                weight = 1.0 - spent if halts else halting_unit
                part = [weight * s for s in inner]
                total = part if total is None else [a + b for a, b in zip(total, part)]
                if halts:
                    break
                spent = spent + halting_unit
            ponders[-1] = ponders[-1] + n + weight
            state = total
        outputs.append(state[0][0])
    return ops.stack(outputs), layer.time_penalty * sum(ponders) / len(x)


@pytest.mark.parametrize("graph", [False, True])
def test_a_cell_on_images_is_what_a_loop_says(graph):
    """Keras's ConvLSTM, whose states are images: values, gradients, shapes and a saved model."""
    cell = layers.ConvLSTM2D(2, 3, padding="same", dtype="float64").cell
    layer = ACTRNN(cell, halting_bias=-1.0, max_ponder=4, time_penalty=0.25, dtype="float64")
    x = np.random.default_rng(0).normal(size=(2, 3, 4, 4, 2))
    symbols = layer(keras.Input((3, 4, 4, 2)))
    assert symbols.shape == (None, 4, 4, 2)

    def gradients(function):
        with tf.GradientTape() as tape:
            output, cost = function()
            loss = ops.sum(output**2) + ops.cast(cost, "float64")
        found = tape.gradient(loss, [v.value for v in layer.trainable_variables])
        assert all(gradient is not None for gradient in found)
        return output, list(map(tf.convert_to_tensor, found))

    def run():
        return layer(x, training=True), layer.losses[0]

    wanted = gradients(lambda: by_loop(layer, x))
    found = tf.function(gradients, jit_compile=False)(run) if graph else gradients(run)
    for one, other in zip(keras.tree.flatten(found), keras.tree.flatten(wanted), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-10)


def test_a_cell_on_images_trains_and_is_saved(tmp_path):
    layer = ACTRNN(layers.ConvLSTM2D(2, 3, padding="same").cell, max_ponder=3)
    model = keras.Sequential([keras.Input((2, 4, 4, 1)), layer, layers.Flatten()])
    model.compile("sgd", "mse")
    x, before = np.ones((2, 2, 4, 4, 1), "float32"), model.get_weights()
    model.fit(x, np.ones((2, 32)), verbose=0)
    moved = [np.any(old != new) for old, new in zip(before, model.get_weights())]
    assert moved == [weight.trainable for weight in model.weights]
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again(x), model(x))


def test_what_does_not_work_on_images():
    cell = layers.ConvLSTM2D(2, 3).cell
    with pytest.raises(ValueError, match="`cell` must not be a list with cells on images"):
        ACTRNN([cell, cell])
    with pytest.raises(ValueError, match="`cell` must have its channels last"):
        ACTRNN(layers.ConvLSTM2D(2, 3, data_format="channels_first").cell)


@pytest.mark.parametrize("run", ["__call__", "predict", "fit"])
def test_sequences_of_no_elements(run):
    inputs = keras.Input((None, 3))
    model = keras.Model(inputs, ACTRNN(keras.layers.GRUCell(4))(inputs))
    model.compile("sgd", "mse")
    arguments = {"y": np.zeros((2, 4))} if run == "fit" else {}
    with pytest.raises(ValueError, match=r"at least one time step.*\(2, 0, 3\)|.*None, 0, 3"):
        getattr(model, run)(np.zeros((2, 0, 3)), **arguments)


VECTORS = (4, 5)
SEQUENCES = (4, 6, 5)


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda: PonderNet(layers.GRUCell(3), max_ponder=3), VECTORS),
        (lambda: Recall(4, 2, steps=2), SEQUENCES),
        (lambda: ACTRNN(layers.GRUCell(3)), SEQUENCES),
    ],
)
def test_inputs_of_another_shape_than_built(eager, make, shape):
    layer = make()
    layer(np.ones(shape, "float32"))
    with pytest.raises(ValueError, match=r"expected axis -1|expected shape"):
        layer(np.ones((*shape[:-1], 7), "float32"))
    with pytest.raises(ValueError, match="expected ndim"):
        layer(np.ones((4, *shape), "float32"))


def test_vectors_of_a_cell_have_one_axis():
    with pytest.raises(ValueError, match=r"\(batch, time, features\)"):
        ACTRNN(layers.GRUCell(3))(keras.Input((3, 4, 5)))


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda: HAM(3, layers.LSTMCell(4)), (2, 4, 5)),
        (lambda: DHAM(3, layers.LSTMCell(4)), (2, 4, 5)),
        (lambda: NeuralGPU(symbols=3, maps=4), (2, 4)),
    ],
)
def test_over_a_further_axis(eager, make, shape):
    """`TimeDistributed` asks for the shape of the outputs."""
    layer, x = make(), np.zeros(shape, "int32" if len(shape) == 2 else "float32")
    expected = layer(x).shape
    assert tuple(layer.compute_output_shape(shape)) == tuple(expected)
    assert layer.compute_output_shape((None,) * (len(shape) - 1) + shape[-1:])[0] is None
    both = layers.TimeDistributed(layer)(np.stack([x, x], axis=1))
    assert both.shape == (expected[0], 2, *expected[1:])


@pytest.mark.parametrize("name", [name for name in LAYERS if name not in WITHOUT_MASKS])
def test_a_ragged_tensor(name):
    make, shape = LAYERS[name]
    rows = np.ones((7, *shape[2:]), "int32" if shape == TOKENS else "float32")
    ragged = tf.RaggedTensor.from_row_lengths(rows, [4, 3])
    with pytest.raises(ValueError, match=r"must be no ragged tensor: pad it by `to_tensor\(\)`"):
        make()(ragged)


@pytest.mark.parametrize(
    ("cell", "states", "received"),
    [
        (layers.SimpleRNNCell(4), [(6, 4), (6, 4)], r"\(6, 4\), \(6, 4\)"),
        (layers.SimpleRNNCell(4), [(6, 5)], r"\(6, 5\)"),
        (layers.SimpleRNNCell(4), [(1, 4)], r"\(1, 4\)"),
        (layers.SimpleRNNCell(4), [(4,)], r"\(4,\)"),
        (layers.LSTMCell(4), [(6, 4)], r"\(6, 4\)"),
        (layers.StackedRNNCells([layers.GRUCell(4), layers.GRUCell(4)]), [(6, 4)], r"\(6, 4\)"),
    ],
)
def test_states_of_another_number_or_shape(cell, states, received):
    layer = ACTRNN(cell, max_ponder=3)
    states = [np.zeros(shape, "float32") for shape in states]
    wanted = r"`initial_state` must have the shapes \[\(6, 4\).*\n?.*of shapes \["
    for _ in range(2):
        with pytest.raises(ValueError, match=wanted + received):
            layer(np.ones((6, 5, 3), "float32"), initial_state=states)


def test_states_of_more_rows_than_there_are():
    layer = ACTRNN(layers.SimpleRNNCell(4), max_ponder=3)
    with pytest.raises(ValueError, match=r"\[\(1, 4\)\] of the cell's .*of shapes \[\(6, 4\)\]"):
        layer(np.ones((1, 5, 3), "float32"), initial_state=np.zeros((6, 4), "float32"))


def test_states_of_a_batch_of_any_size():
    layer = ACTRNN(layers.LSTMCell(4), max_ponder=3)
    inputs, states = keras.Input((5, 3)), [keras.Input((4,)), keras.Input((4,))]
    model = keras.Model([inputs, *states], layer(inputs, initial_state=states))
    given = [np.ones(shape, "float32") for shape in ((6, 5, 3), (6, 4), (6, 4))]
    np.testing.assert_allclose(
        model.predict(given, verbose=0), layer(given[0], initial_state=given[1:]), rtol=1e-6
    )
