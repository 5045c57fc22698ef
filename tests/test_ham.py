"""HAM and DHAM against the equations, in value and gradient; padding, masks, drawn turns."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from keras_adaptive.backend.tensorflow import scan as tensorflow_scan
from keras_adaptive.ham import DHAM, HAM, MLP, Memory, entropy, ham, log_probability, record
from known_ham import (
    FEATURES,
    OUTPUTS,
    UNITS,
    VARIANTS,
    batch_of,
    examples,
    expected,
    expected_loss,
    expected_slopes,
    ham_layer,
    outputs_of,
    random_path,
)

every_variant = pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
# Of two that compare the same, one has these.
FEW = {"two accesses, perceptrons of one layer", "raw HAM"}
few_variants = pytest.mark.parametrize(
    "variant",
    [
        pytest.param(variant, marks=[pytest.mark.slow] * (name not in FEW), id=name)
        for name, variant in VARIANTS.items()
    ],
)


def assert_ham_values(layer, sequences, outputs, found, runs):
    """Outputs, decisions and nodes of each example; a raw HAM's stand where its operations do."""
    for row, (x, run) in enumerate(zip(sequences, runs)):
        accesses, right = len(run.A), outputs_of(layer, x, run.y)
        np.testing.assert_allclose(outputs[row, : len(right)], right, rtol=0, atol=1e-10)
        np.testing.assert_array_equal(outputs[row, len(right) :], 0)
        np.testing.assert_array_equal(found["path"][row, :accesses], run.A)
        np.testing.assert_allclose(
            found["right_probability"][row, :accesses], run.p, rtol=0, atol=1e-10
        )
        np.testing.assert_allclose(
            found["log_probability"][row, :accesses], run.log_p, rtol=1e-8, atol=1e-10
        )
        leaf = [int("".join(map(str, turns)), 2) for turns in run.A]
        np.testing.assert_array_equal(found["leaf"][row, :accesses], leaf)
        np.testing.assert_allclose(
            found["nodes"][row, : accesses + 1, 1:], run.trees, rtol=0, atol=1e-10
        )
        for late in found["nodes"][row, accesses + 1 :]:
            if layer.controller is None:
                np.testing.assert_allclose(late[1:], run.trees[-1], rtol=0, atol=1e-10)


def loss_and_gradients(layer, inputs, path=None, training=False):
    """The loss of `known_ham.expected_loss`; decisions behind an example are left out."""
    with tf.GradientTape() as tape:
        if isinstance(layer, DHAM):
            outputs = layer(inputs, training=training)
            loss = ops.sum(outputs**2)
        else:
            outputs, found = layer(inputs, path=path, training=training, return_path=True)
            log_p = found["log_probability"]
            if layer.controller is None:
                present = np.any(np.asarray(inputs) != -1.0, axis=-1)
                log_p = log_p * np.repeat(present, layer.accesses_per_output, axis=1)
            loss = ops.sum(outputs**2) + ops.sum(log_p)
    gradients = tape.gradient(loss, [v.value for v in layer.trainable_variables])
    return loss, gradients


def assert_gradients(layer, weights, sequences, found, path=None):
    loss, gradients = found
    wanted = expected_loss(layer, weights, sequences, path)
    np.testing.assert_allclose(loss, wanted, rtol=1e-9)
    ways, slopes = expected_slopes(layer, weights, sequences, path)
    given = [np.sum(g * way) for g, way in zip(gradients, ways, strict=True)]
    np.testing.assert_allclose(given, slopes, rtol=1e-7, atol=1e-9 * np.max(np.abs(slopes)))


@every_variant
def test_ham_equals_the_equations(variant):
    layer, weights = ham_layer(HAM, **variant)
    few = layer.num_leaves == 2
    sequences = examples([3, 1, 2] if few else [3, 1, 5])
    inputs = batch_of(sequences)
    path = random_path(layer, inputs)
    arguments = {"return_path": True, "return_nodes": True}
    found = layer(inputs, path=path, **arguments)
    assert_ham_values(layer, sequences, *found, expected(layer, weights, sequences, path))
    assert_gradients(layer, weights, sequences, loss_and_gradients(layer, inputs, path), path)
    # Without decisions that are given, the most probable ones.
    found = layer(inputs, **arguments)
    assert_ham_values(layer, sequences, *found, expected(layer, weights, sequences))


@few_variants
@pytest.mark.parametrize("writer", ["controller", "root"])
def test_dham_equals_the_equations(variant, writer):
    variant = {**variant, "empty": "joined"}
    layer, weights = ham_layer(DHAM, writer=writer, scale=0.7, **variant)
    sequences = examples([3, 1])
    inputs = batch_of(sequences)
    outputs, found = layer(inputs, return_attention=True, return_nodes=True)
    runs = expected(layer, weights, sequences)
    for row, (x, (y, attention, trees)) in enumerate(zip(sequences, runs)):
        right = outputs_of(layer, x, y)
        accesses = len(attention)
        np.testing.assert_allclose(outputs[row, : len(right)], right, rtol=0, atol=1e-10)
        np.testing.assert_array_equal(outputs[row, len(right) :], 0)
        np.testing.assert_allclose(
            found["attention"][row, :accesses], attention, rtol=0, atol=1e-10
        )
        np.testing.assert_allclose(
            found["nodes"][row, : accesses + 1, 1:], trees, rtol=0, atol=1e-10
        )
    np.testing.assert_allclose(ops.sum(found["attention"], axis=-1), 1.0, rtol=1e-10)
    if writer == "controller":
        assert_gradients(layer, weights, sequences, loss_and_gradients(layer, inputs))


@few_variants
def test_dham_with_saturated_search_is_ham(variant):
    """Every turn is then certain, and leaf probabilities are 0 and 1."""
    variant = {**variant, "empty": "joined"}  # DHAM joins all nodes at every access.
    hard, _ = ham_layer(HAM, **variant)
    soft, _ = ham_layer(DHAM, **variant)
    inputs = batch_of(examples([4, 2, 3], seed=5))
    _, found = hard(inputs, path=random_path(hard, inputs), return_path=True)
    p = found["right_probability"].numpy()
    last = hard.memory.search.layers[-1]
    last.kernel.assign(last.kernel * 1e6)
    # Where p was in the upper half, turns go right now.
    logits = np.unique(np.log(p) - np.log1p(-p))
    middle = np.mean(logits[len(logits) // 2 - 1 : len(logits) // 2 + 1])
    last.bias.assign((last.bias - middle) * 1e6)
    soft.set_weights([w for w in hard.get_weights() if w.dtype.kind == "f"])
    outputs, found = hard(inputs, return_path=True, return_nodes=True)
    assert len(np.unique(found["leaf"])) > 1
    soft_outputs, soft_found = soft(inputs, return_attention=True, return_nodes=True)
    np.testing.assert_allclose(soft_outputs, outputs, rtol=0, atol=1e-9)
    np.testing.assert_allclose(soft_found["nodes"], found["nodes"], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(np.argmax(soft_found["attention"], axis=-1), found["leaf"])


def test_levels_in_a_loop(monkeypatch):
    """As in large trees; in a graph of unknown length too, with gradients."""
    monkeypatch.setattr(ham, "_UNROLLED_LEVELS", 0)
    layer, weights = ham_layer(HAM)
    sequences = examples([3, 5])
    inputs = batch_of(sequences)
    path = random_path(layer, inputs)
    signature = [tf.TensorSpec((None, None, FEATURES), "float64"), tf.TensorSpec((None,) * 3)]
    run = tf.function(
        lambda inputs, path: loss_and_gradients(layer, inputs, path), input_signature=signature
    )
    found = run(tf.constant(inputs), tf.constant(path, "float32"))
    assert_gradients(layer, weights, sequences, found, path)


def test_dham_with_an_entropy_bonus():
    layer, _ = ham_layer(DHAM, entropy_bonus=0.5, entropy_decay=0.25)
    x = batch_of(examples([4, 2])).astype("float32")
    _, found = layer(x, return_attention=True)
    assert not layer.losses and layer.entropy_bonus == 0.5
    p, (_, accesses, leaves) = np.array(found["attention"], float), found["attention"].shape
    levels = np.log2(leaves)
    most = np.array(layer.compute_mask(x)).sum(axis=1)
    wanted = np.mean(
        [
            levels / (-np.sum(p[row, t] * np.log(p[row, t])) / levels + 1e-3)
            for row in range(2)
            for t in range(accesses // len(layer.compute_mask(x)[0]) * most[row])
        ]
    )
    layer(x, training=True)
    np.testing.assert_allclose(layer.losses, [0.5 * wanted], rtol=1e-5)
    assert layer.entropy_bonus == 0.125
    with tf.GradientTape() as tape:
        layer(x, training=True)
        loss = sum(layer.losses)
    assert np.any(tape.gradient(loss, layer.memory.search.trainable_variables)[0])
    layer.entropy_bonus = 0.0
    layer(x, training=True)
    assert float(layer.losses[-1]) == 0.0
    again = DHAM.from_config(layer.get_config())
    assert (again.entropy_bonus, again.entropy_decay) == (0.5, 0.25)


def test_dham_without_an_entropy_bonus():
    layer, _ = ham_layer(DHAM)
    assert (layer.entropy_bonus, layer.entropy_decay) == (0.0, 1.0)
    with pytest.raises(ValueError, match="without an entropy bonus"):
        layer.entropy_bonus = 0.1


def test_dham_in_a_graph_of_unknown_length():
    layer, weights = ham_layer(DHAM, scale=0.7)
    signature = [tf.TensorSpec((None, None, FEATURES), "float64")]
    run = tf.function(
        lambda inputs: loss_and_gradients(layer, inputs, training=True), input_signature=signature
    )
    for lengths in ([3, 2], [1]):
        sequences = examples(lengths)
        found = run(tf.constant(batch_of(sequences)))
        assert_gradients(layer, weights, sequences, found)


@few_variants
@pytest.mark.parametrize("writer", ["controller", pytest.param("root", marks=pytest.mark.slow)])
def test_dham_that_xla_compiles_in_training(variant, writer, monkeypatch):
    """In a graph with a known number of leaves; batches and inputs may have any length."""
    found = []
    usual = tensorflow_scan.chunks_forward
    monkeypatch.setattr(
        tensorflow_scan,
        "chunks_forward",
        lambda *arguments: found.append(arguments) or usual(*arguments),
    )
    layer, weights = ham_layer(
        DHAM, **{**variant, "empty": "joined", "writer": writer, "scale": 0.7, "num_leaves": 4}
    )
    signature = [tf.TensorSpec((None, None, FEATURES), "float64")]
    run = tf.function(
        lambda inputs: loss_and_gradients(layer, inputs, training=True), input_signature=signature
    )
    for lengths in ([3, 2], [1]):
        sequences = examples(lengths)
        inputs = tf.constant(batch_of(sequences))
        loss, gradients = run(inputs)
        assert found
        if writer == "controller":
            assert_gradients(layer, weights, sequences, (loss, gradients))
        again, right = loss_and_gradients(layer, inputs)
        np.testing.assert_allclose(loss, again, rtol=1e-10)
        for one, other in zip(gradients, right, strict=True):
            # Eagerly there is none where nothing after a change reads it.
            zero_or_other = 0.0 if other is None else other
            np.testing.assert_allclose(0.0 if one is None else one, zero_or_other, atol=1e-10)


def test_dham_whose_embed_has_a_loss():
    """The loss of a layer that is not in the loop over accesses reaches the model."""
    embed = keras.layers.Dense(UNITS, activity_regularizer=keras.regularizers.L2(100.0))
    inputs = keras.Input((3, FEATURES))
    layer = DHAM(2, keras.layers.GRUCell(2), Memory(UNITS, embed=embed))
    model = keras.Model(inputs, layer(inputs))
    model.compile("sgd", "mse")
    loss = model.fit(np.ones((2, 3, FEATURES)), np.ones((2, 3, 2)), verbose=0).history["loss"]
    assert loss[0] > 2.0


def test_turns_are_drawn_in_training_with_their_probabilities():
    layer, _ = ham_layer(HAM, seed=4, scale=0.5)
    inputs = np.repeat(batch_of(examples([3])), 4000, axis=0)
    _, found = layer(inputs, training=True, return_path=True)
    path, p = found["path"][:, 0].numpy(), found["right_probability"][:, 0].numpy()
    turned = np.mean(path[:, 0])
    assert abs(turned - p[0, 0]) < 4 * np.sqrt(0.25 / 4000)
    for side in (0, 1):
        chosen = path[:, 0] == side
        turned = np.mean(path[chosen, 1])
        assert abs(turned - p[chosen, 1][0]) < 4 * np.sqrt(0.25 / np.sum(chosen))
    _, again = layer(inputs, training=True, return_path=True)
    assert np.any(again["path"].numpy() != found["path"].numpy())
    likely, _ = layer(inputs, return_path=True)
    np.testing.assert_array_equal(likely, np.repeat(likely[:1], 4000, axis=0))


def test_the_seed_says_what_is_drawn():
    inputs = batch_of(examples([5]))
    paths = []
    for seed in (7, 7, 8):
        layer = HAM(2, keras.layers.LSTMCell(4), seed=seed)
        layer.build(inputs.shape)
        for variable in layer.trainable_variables:
            variable.assign(ops.zeros_like(variable))
        paths.append(layer(inputs, training=True, return_path=True)[1]["path"].numpy())
    np.testing.assert_array_equal(paths[0], paths[1])
    assert np.any(paths[0] != paths[2])


@pytest.mark.parametrize("kind", [HAM, DHAM])
@pytest.mark.parametrize("controller", ["LSTMCell", pytest.param(None, marks=pytest.mark.slow)])
def test_padding_does_not_matter(kind, controller):
    layer, _ = ham_layer(kind, controller=controller, num_leaves=8)
    sequences = examples([2, 5, 3])
    inputs = batch_of(sequences)
    together = layer(inputs)
    mask = np.any(inputs != -1.0, axis=-1)
    np.testing.assert_array_equal(together._keras_mask, mask)
    np.testing.assert_array_equal(together.numpy()[~mask], 0)
    for row, sequence in enumerate(sequences):
        alone = layer(sequence[None])
        np.testing.assert_allclose(together[row, : len(sequence)], alone[0], rtol=0, atol=1e-12)
    garbage = np.where(mask[..., None], inputs, np.nan)
    np.testing.assert_array_equal(layer(garbage, mask=mask), together)


@pytest.mark.parametrize("kind", [HAM, DHAM])
def test_a_masked_operation_changes_nothing(kind):
    layer, _ = ham_layer(kind, controller=None, num_leaves=4)
    inputs = batch_of(examples([4, 4]))
    mask = np.array([[1, 0, 1, 1], [0, 1, 1, 0]], bool)
    found, more = layer(inputs, mask=mask, return_nodes=True)
    for row, present in enumerate(mask):
        alone, nodes = layer(inputs[row : row + 1, present], return_nodes=True)
        np.testing.assert_allclose(found[row][present], alone[0], rtol=0, atol=1e-12)
        last = more["nodes"][row, -1]
        np.testing.assert_allclose(last, nodes["nodes"][0, -1], rtol=0, atol=1e-12)


def test_any_layers_and_cells():
    """Also cells with dropout, stacked, whose masks stay the same over all accesses."""
    cells = [keras.layers.GRUCell(3, dropout=0.5), keras.layers.LSTMCell(4, recurrent_dropout=0.5)]
    memory = Memory(
        UNITS,
        embed=keras.layers.Dense(UNITS),
        join=keras.Sequential([keras.layers.Dense(5, "tanh"), keras.layers.Dense(UNITS)]),
        search=keras.layers.Dense(1, "sigmoid"),
        write=MLP(UNITS, depth=3),
    )
    layer = HAM(OUTPUTS, cells, memory, num_leaves=4, seed=1)
    inputs = batch_of(examples([3, 2])).astype("float32")
    before = layer(inputs)
    assert before.shape == (2, 3, OUTPUTS)
    assert np.any(layer(inputs, training=True) != before)
    again = HAM.from_config(layer.get_config())
    again.build(inputs.shape)
    again.set_weights(layer.get_weights())
    np.testing.assert_array_equal(again(inputs), before)


def test_the_number_of_leaves_can_be_changed():
    layer, _ = ham_layer(HAM)
    inputs = batch_of(examples([3]))
    few = layer(inputs)
    layer.num_leaves = 16
    _, found = layer(inputs, return_path=True, return_nodes=True)
    assert found["path"].shape == (1, 3, 4) and found["nodes"].shape == (1, 4, 32, UNITS)
    layer.num_leaves = None
    np.testing.assert_array_equal(layer(inputs), few)


def test_what_is_recorded():
    layer, _ = ham_layer(HAM, accesses_per_output=2)
    inputs = batch_of(examples([3, 2]))
    with record() as entries:
        _, found = layer(inputs, return_path=True)
    [entry] = entries
    assert entry.layer is layer and entry.query.shape == (2, 6, 4)
    np.testing.assert_array_equal(entry.query[:, 0], 0)
    np.testing.assert_array_equal(entry.path, found["path"])
    np.testing.assert_array_equal(entry.right_probability, found["right_probability"])


def test_decisions_that_are_certain():
    p = np.array([0.0, 1.0, 0.25, 0.25])
    path = np.array([0, 1, 1, 0])
    np.testing.assert_allclose(
        log_probability(path, p), [0, 0, np.log(0.25), np.log(0.75)], atol=1e-6
    )
    wanted = -0.25 * np.log(0.25) - 0.75 * np.log(0.75)
    np.testing.assert_allclose(entropy(p), [0, 0, wanted, wanted], atol=1e-5)
    p = tf.constant(p)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(p)
        values = log_probability(path, p), entropy(p), 1.0 / (entropy(p) + 1e-3)
    assert all(np.all(np.abs(tape.gradient(value, p)) <= 1e30) for value in values)
