"""What every layer promises. A new layer is one row of `ROWS`."""

import copy
import json
from typing import NamedTuple

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers, ops, tree

import clean_process
from keras_adaptive.halting import AnytimeACT, Converged, Sampled
from keras_adaptive.ham import Memory
from keras_adaptive.layers import (
    ACTRNN,
    CGRU,
    DHAM,
    HAM,
    AttentionCell,
    BahdanauAttention,
    NeuralGPU,
    PonderNet,
    Recall,
    ResidualACT,
    ResidualUnit,
    StackRNN,
)
from keras_adaptive.models import AdaptiveModel
from known_attention import ReadsItself


class Row(NamedTuple):
    """A layer as a function that makes it, and its input without the batch; None is free.

    The input is numbers, or, of so many kinds, symbols. Weights whose path has one of `elsewhere`
    in it are not trained by what the layer returns, but by a model around it. Probabilities are at
    least float32. XLA draws other random numbers than TensorFlow, for a layer that draws.
    """

    make: object
    shape: tuple = (None, 3)
    symbols: int = 0
    elsewhere: tuple = ()
    probabilities: bool = False
    draws: bool = False

    def inputs(self, batch=2, length=4):
        rng = np.random.default_rng(0)
        shape = (batch, *(length if size is None else size for size in self.shape))
        if self.symbols:
            return rng.integers(0, self.symbols, size=shape).astype("int32")
        return rng.normal(size=shape).astype("float32")

    def argument(self, **options):
        return keras.Input(self.shape, dtype="int32" if self.symbols else "float32", **options)

    def model(self):
        inputs = self.argument()
        return AdaptiveModel(inputs, self.make()(inputs))


ROWS = {
    "ACTRNN": Row(lambda: ACTRNN(layers.SimpleRNNCell(4), halting_bias=-1.0)),
    "ACTRNN that returns all": Row(
        lambda: ACTRNN(
            layers.LSTMCell(4),
            halting_bias=-1.0,
            max_ponder=6,
            target_ponder=2.0,
            return_sequences=True,
            return_state=True,
            return_ponder=True,
        )
    ),
    "ACTRNN of fixed steps": Row(
        lambda: ACTRNN(layers.GRUCell(4), halting="fixed", steps=3, return_sequences=True)
    ),
    "ACTRNN of drawn steps": Row(
        lambda: ACTRNN(layers.SimpleRNNCell(4), halting=Sampled(5, seed=1), return_sequences=True),
        draws=True,
    ),
    "ACTRNN with drawn limits": Row(
        lambda: ACTRNN(layers.GRUCell(4), halting=AnytimeACT(5, seed=1), halting_bias=-2.0),
        draws=True,
    ),
    "ACTRNN of stacked cells, in both directions": Row(
        lambda: layers.Bidirectional(
            ACTRNN([layers.SimpleRNNCell(3), layers.SimpleRNNCell(4)], halting_bias=-1.0)
        )
    ),
    "ACTRNN with a cell that reads a memory": Row(
        lambda: ReadsItself(
            AttentionCell(layers.LSTMCell(4), BahdanauAttention(5)),
            halting_bias=-1.0,
            return_sequences=True,
            return_state=True,
            return_ponder=True,
        )
    ),
    "ACTRNN with stacked cells and an attention of Keras": Row(
        lambda: ReadsItself(
            AttentionCell(
                [layers.GRUCell(4), layers.LSTMCell(3)], layers.AdditiveAttention(use_scale=True)
            ),
            halting_bias=-1.0,
        )
    ),
    "StackRNN": Row(lambda: StackRNN(4, num_stacks=2, return_sequences=True, return_state=True)),
    "HAM": Row(
        lambda: HAM(2, layers.LSTMCell(4), Memory(4, hidden_units=8), 2, seed=1),
        elsewhere=("join", "search"),
        probabilities=True,
        draws=True,
    ),
    "HAM without a controller": Row(
        lambda: HAM(2, num_leaves=4, padding=None, seed=1),
        elsewhere=("join", "search"),
        probabilities=True,
        draws=True,
    ),
    "DHAM": Row(
        lambda: DHAM(
            2,
            layers.GRUCell(4),
            Memory(4, depth=1, empty="zeros", join=layers.Dense(4, "tanh")),
            max_outputs=(1, 1),
            writer="root",
        ),
        probabilities=True,
    ),
    "CGRU": Row(lambda: CGRU(3), (None, 2, 3)),
    "CGRU, hard and diagonal, with saturation cost": Row(
        lambda: CGRU(
            5, (1, 3), nonlinearity="hard", diagonal=True, saturation_cost=0.1, initial_scale=2.0
        ),
        (None, 2, 5),
    ),
    "NeuralGPU": Row(lambda: NeuralGPU(4, 3, width=2), (None,), symbols=4),
    "NeuralGPU, relaxed and recomputed": Row(
        lambda: NeuralGPU(4, 3, width=2, num_layers=1, relaxation=2, recompute=True),
        (None,),
        symbols=4,
    ),
    "NeuralGPU, hard and diagonal, with saturation cost": Row(
        lambda: NeuralGPU(
            4,
            6,
            width=1,
            kernel_size=[3, 1],
            nonlinearity="hard",
            diagonal=True,
            saturation_cost=0.1,
            dropout_on="candidate",
            dropout_schedule="root",
            initial_scale=2.0,
            update_bias=0.7,
            reset_bias=0.5,
            gate_sharpness=1.5,
            steps_multiplier=2,
            padding=None,
            seed=3,
        ),
        (None,),
        symbols=4,
    ),
    "PonderNet": Row(
        lambda: PonderNet(layers.GRUCell(4), layers.Dense(2), 4, return_ponder=True), (3,)
    ),
    "Recall": Row(lambda: Recall(4, 2, steps=3, num_blocks=1)),
    "Recall on images, until it has converged": Row(
        lambda: Recall(4, 2, 3, Converged(2, 9), kernel_size=3, return_ponder=True), (None, 3, 2)
    ),
    "ResidualUnit": Row(lambda: ResidualUnit(4, strides=2), (None, 6, 2)),
    "ResidualACT": Row(
        lambda: ResidualACT([ResidualUnit(4) for _ in range(3)], halting_bias=-0.5), (None, 6, 2)
    ),
    "ResidualACT of positions": Row(
        lambda: ResidualACT(
            [ResidualUnit(4, strides=2), ResidualUnit(4), ResidualUnit(4), ResidualUnit(4)],
            spatial=True,
            halting_bias=-0.5,
            target_ponder=2.0,
            return_ponder=True,
        ),
        (None, 6, 2),
    ),
    "ResidualACT of vectors": Row(
        lambda: ResidualACT([layers.Dense(4, "tanh") for _ in range(3)], halting_bias=-0.5), (3,)
    ),
}
every_row = pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)


def assert_close(found, expected, atol=1e-5, rtol=0):
    for got, wanted in zip(tree.flatten(found), tree.flatten(expected), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=rtol, atol=atol)


@every_row
def test_made_again_from_its_config(row):
    """`test_keras_file` compares what they answer."""
    config = json.loads(json.dumps(keras.saving.serialize_keras_object(row.make())))
    again = keras.saving.deserialize_keras_object(config)
    assert keras.saving.serialize_keras_object(again) == config


# A part in each place where there may be stacked cells, of which Keras takes things out.
STACKED = {
    "ACTRNN": lambda: ACTRNN([layers.GRUCell(2), layers.GRUCell(3)]),
    "PonderNet": lambda: PonderNet([layers.GRUCell(2), layers.GRUCell(3)]),
    "HAM": lambda: HAM(2, layers.StackedRNNCells([layers.GRUCell(2), layers.GRUCell(3)])),
    "ResidualACT": lambda: ResidualACT(
        [layers.RNN([layers.GRUCell(3), layers.GRUCell(3)], return_sequences=True)]
    ),
}


@pytest.mark.parametrize("make", [*(row.make for row in ROWS.values()), *STACKED.values()])
def test_a_config_may_be_read_twice(make):
    layer = make()
    config = layer.get_config()
    before = copy.deepcopy(config)
    type(layer).from_config(config)
    assert config == before
    assert type(layer).from_config(config).get_config() == before


@every_row
def test_symbolic_shapes_and_dtypes_are_those_of_arrays(row):
    layer = row.make()
    symbols = layer(row.argument(batch_size=2))
    arrays = layer(row.inputs())
    tree.assert_same_structure(symbols, arrays)
    for symbol, array in zip(tree.flatten(symbols), tree.flatten(arrays)):
        assert len(symbol.shape) == len(array.shape) and symbol.dtype == array.dtype
        assert all(a in (None, b) for a, b in zip(symbol.shape, array.shape))


@every_row
def test_keras_file(row, tmp_path):
    model = row.model()
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert type(again) is AdaptiveModel
    assert_close(again(row.inputs()), model(row.inputs()), atol=0)


# XLA takes seconds, so that the suite has what is computed in one way each. Trees and residual
# networks are compiled on JAX by test_ham_backends.py and test_residual.py.
IN_GRAPHS = (
    *("ACTRNN", "ACTRNN with a cell that reads a memory", "StackRNN", "CGRU"),
    *("NeuralGPU", "PonderNet", "Recall on images, until it has converged"),
)


# The others are exported where entries of the zoo are.
EXPORTED = ("ACTRNN with a cell that reads a memory", "StackRNN", "CGRU")


def saved_models(names, folder):
    """Of each row what the model says, and what its SavedModel says in a clean process."""
    expected = {}
    for name in names:
        row = ROWS[name]
        inputs, arguments = row.inputs(batch=3, length=5), row.argument()
        # What is served has no nests.
        model = AdaptiveModel(arguments, tree.flatten(row.make()(arguments)))
        model.export(folder / name / "model", verbose=False)
        np.savez(folder / name / "inputs.npz", inputs)
        expected[name] = tree.flatten(model(inputs))
    found = clean_process.answers(folder)
    return [(found[name], expected[name]) for name in names]


def test_saved_models_in_a_clean_process(tmp_path):
    for found, expected in saved_models(EXPORTED, tmp_path):
        assert_close(found, expected)


@pytest.mark.slow
def test_all_saved_models_in_a_clean_process(tmp_path):
    for found, expected in saved_models([*ROWS], tmp_path):
        assert_close(found, expected)


def loss_and_gradients(layer, inputs):
    with tf.GradientTape() as tape:
        outputs = layer(inputs, training=True)
        loss = sum(ops.sum(ops.square(x)) for x in tree.flatten(outputs)) + sum(layer.losses)
    gradients = tape.gradient(loss, [v.value for v in layer.trainable_variables])
    return loss, [None if one is None else tf.convert_to_tensor(one) for one in gradients]


def trained(gradients):
    """Those that are not zero; a graph has zeros for some of which eager mode has none."""
    return [one for one in gradients if one is not None and np.any(one)]


@every_row
def test_one_step_moves_every_weight(row):
    layer, inputs = row.make(), row.inputs()
    _, gradients = loss_and_gradients(layer, inputs)
    for variable, gradient in zip(layer.trainable_variables, gradients, strict=True):
        moves = gradient is not None and np.any(gradient)
        assert moves != any(part in variable.path for part in row.elsewhere), variable.path


@pytest.mark.parametrize(
    "name",
    [name if name in IN_GRAPHS else pytest.param(name, marks=pytest.mark.slow) for name in ROWS],
)
def test_a_graph_agrees(name):
    """It is compiled by XLA, unless the layer says that it had better not be."""
    row = ROWS[name]
    layer, inputs = row.make(), row.inputs()
    layer(inputs)
    before = [(variable, variable.numpy()) for variable in layer.variables]
    loss, gradients = loss_and_gradients(layer, inputs)
    jit_compile = layer.supports_jit and not row.draws
    graph = tf.function(lambda x: loss_and_gradients(layer, x), jit_compile=jit_compile)
    for variable, value in before:  # A controller has moved τ.
        variable.assign(value)
    graph_loss, graph_gradients = graph(tf.constant(inputs))
    np.testing.assert_allclose(graph_loss, loss, rtol=1e-5)
    assert_close(trained(graph_gradients), trained(gradients), atol=1e-4, rtol=1e-5)


@every_row
def test_mixed_precision(row):
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        layer = row.make()
    finally:
        keras.config.set_dtype_policy(before)
    outputs = layer(row.inputs(), training=True)
    output = tree.flatten(outputs)[0]
    assert layer.compute_dtype == "bfloat16"
    assert output.dtype == ("float32" if row.probabilities else "bfloat16")
    assert all(variable.dtype == "float32" for variable in layer.trainable_variables)
    assert all(loss.dtype == "float32" for loss in layer.losses)
    assert all(np.all(np.isfinite(ops.cast(x, "float32"))) for x in tree.flatten(outputs))


@every_row
def test_frozen_parts_stay_frozen_when_a_layer_is_made_again(row):
    """As in a file, where Keras keeps `trainable` of the layers of a model alone."""
    first = row.make()
    first.trainable = False
    layer = type(first).from_config(first.get_config())
    layer(row.argument(batch_size=2))
    assert not any(part.trainable for part in layer._flatten_layers())


@every_row
def test_parts_that_are_frozen_one_by_one_stay_so(row):
    first = row.make()
    first(row.argument(batch_size=2))
    parts = first._flatten_layers(include_self=False)
    if not parts:
        pytest.skip("it has no layers inside")
    parts[-1].trainable = False
    config = first.get_config()
    layer = type(first).from_config(config)
    layer(row.argument(batch_size=2))
    expected = [part.trainable for part in first._flatten_layers()]
    assert [part.trainable for part in layer._flatten_layers()] == expected
    assert layer.get_config().keys() == config.keys()
