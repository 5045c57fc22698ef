"""PonderNet: probabilities, losses and gradients by enumeration, inference, limits, and files."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import ops

import references_pondernet as references
from keras_adaptive import halting
from keras_adaptive.layers import PonderNet
from keras_adaptive.models import AdaptiveModel, PonderNetModel
from keras_adaptive.models.pondernet import divergence
from references_recall import gradients

FEATURES, UNITS, STEPS = 3, 4, 5


def layer_of(seed=0, **arguments):
    """A float64 layer with random weights, and these."""
    head = keras.layers.Dense(2, dtype="float64")
    layer = PonderNet(
        keras.layers.SimpleRNNCell(UNITS, dtype="float64"),
        **{"head": head, "max_ponder": STEPS, "dtype": "float64", **arguments},
    )
    layer.build((None, FEATURES))
    rng = np.random.default_rng(seed)
    weights = [rng.normal(size=variable.shape) for variable in layer.trainable_variables]
    weights[-1] = weights[-1] - 2.0
    for variable, value in zip(layer.trainable_variables, weights, strict=True):
        variable.assign(value)
    return layer, weights


def data(batch=6, seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(batch, FEATURES)), rng.normal(size=(batch, 2))


def model_of(loss="mse", beta=0.3, prior=0.4, **arguments):
    layer, weights = layer_of(**arguments)
    inputs = keras.Input((FEATURES,), dtype="float64")
    model = PonderNetModel(inputs, layer(inputs), beta=beta, prior=prior)
    # One test of `fit` is about graphs too.
    model.compile(keras.optimizers.SGD(0.5), loss, run_eagerly=True)
    return model, weights


def probabilities(weights, x):
    """p and the answers of one example."""
    activations, answers = zip(*references.think(weights, x, STEPS))
    return references.halting_probabilities(activations), np.array(answers)


def square(y, answer):
    return np.mean((y - answer) ** 2)


def test_training_returns_the_mean_answer():
    layer, weights = layer_of(return_ponder=True)
    x, _ = data()
    with halting.record() as entries:
        answer, ponder = layer(x, training=True)
    for row, one in enumerate(x):
        p, answers = probabilities(weights, one)
        assert p.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(answer[row], p @ answers, rtol=0, atol=1e-12)
        np.testing.assert_allclose(ponder["steps"][row], p @ np.arange(1, STEPS + 1))
        np.testing.assert_allclose(entries[0].probabilities[row], p, rtol=0, atol=1e-12)
        np.testing.assert_allclose(entries[0].answers[row], answers, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("compiled", "weighted"),
    [
        ({"run_eagerly": True}, False),
        ({"run_eagerly": True}, True),
        ({"jit_compile": False}, False),
        ({"jit_compile": True}, True),
    ],
)
def test_fit_is_one_step_down_the_expected_loss(compiled, weighted):
    model, weights = model_of()
    model.compile(keras.optimizers.SGD(0.5), "mse", **compiled)
    x, y = data()
    of_examples = np.linspace(0.0, 2.0, len(x)) if weighted else None

    def loss(weights):
        return references.expected_loss(weights, x, y, STEPS, 0.3, 0.4, square, of_examples)

    history = model.fit(x, y, sample_weight=of_examples, verbose=0).history
    assert history["loss"][0] == pytest.approx(loss(weights), rel=1e-6)
    task = references.expected_loss(weights, x, y, STEPS, 0.0, 0.4, square, of_examples)
    assert history["task_loss"][0] == pytest.approx(task, rel=1e-6)
    divergence = (loss(weights) - task) / 0.3
    assert history["divergence"][0] == pytest.approx(divergence, rel=1e-5)
    found = model.get_weights()
    for after, weight, gradient in zip(found, weights, gradients(loss, weights)):
        np.testing.assert_allclose(after, weight - 0.5 * gradient, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("loss", "scale"),
    [
        (keras.losses.MeanSquaredError(reduction="sum"), 6),
        (keras.losses.MeanSquaredError(reduction="mean_with_sample_weight"), 1),
        (keras.losses.MeanSquaredError(), 1),
        ([keras.losses.MeanSquaredError(reduction="sum")], 6),
    ],
)
def test_reductions_of_the_loss(loss, scale):
    model, weights = model_of(loss)
    x, y = data()
    task = references.expected_loss(weights, x, y, STEPS, 0.0, 0.4, square)
    found = model.fit(x, y, verbose=0).history["task_loss"][0]
    assert found == pytest.approx(scale * task, rel=1e-6)


def test_classes_and_a_loss_of_ones_own():
    x, y = data()
    classes = np.arange(len(x)) % 2

    def of_class(label, logits):
        return np.log(np.exp(logits).sum()) - logits[label]

    def fourth_powers(y, answer):
        return ops.mean((y - answer) ** 4, axis=-1)

    sparse = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    cases = [(sparse, classes, of_class), (fourth_powers, y, lambda y, a: np.mean((y - a) ** 4))]
    for loss, targets, of_example in cases:
        model, weights = model_of(loss)
        wanted = references.expected_loss(weights, x, targets, STEPS, 0.3, 0.4, of_example)
        history = model.fit(x, targets, verbose=0).history
        assert history["loss"][0] == pytest.approx(wanted, rel=1e-5)


def squares(y, answer):
    return ops.mean((y - answer) ** 2, axis=(1, 2))


@pytest.mark.parametrize(
    ("loss", "scale", "weighted"),
    [
        ("mse", 1, False),
        ("mse", 1, True),
        (squares, 1, False),
        (squares, 1, True),
        (keras.losses.MeanSquaredError(reduction="sum"), 18, False),
        (keras.losses.MeanSquaredError(reduction="mean_with_sample_weight"), 1, False),
    ],
)
def test_answers_that_are_sequences(loss, scale, weighted):
    """Each position of three has a value of the loss, or each example has one."""
    head = keras.Sequential(
        [keras.layers.Dense(6, dtype="float64"), keras.layers.Reshape((3, 2), dtype="float64")]
    )
    model, weights = model_of(loss, head=head)
    x, y = data()[0], np.random.default_rng(2).normal(size=(6, 3, 2))
    of_examples = np.linspace(0.0, 2.0, len(x)) if weighted else None
    given = of_examples
    if weighted and loss == "mse":
        given = np.repeat(of_examples[:, None], 3, axis=1)

    def square_of_sequences(y, answer):
        return np.mean((y - answer.reshape(3, 2)) ** 2)

    arguments = weights, x, y, STEPS, 0.0, 0.4, square_of_sequences, of_examples
    history = model.fit(x, y, sample_weight=given, verbose=0).history
    expected = scale * references.expected_loss(*arguments)
    assert history["task_loss"][0] == pytest.approx(expected, rel=1e-5)


def test_a_loss_that_is_a_mean_over_the_batch():
    """Weighed by p afterwards, it would teach the halting unit nothing."""
    model, _ = model_of(lambda y, answer: ops.mean((y - answer) ** 2))
    with pytest.raises(ValueError, match=r"must have a value for each example.*Received: a scalar"):
        model.fit(*data(), verbose=0)


@keras.saving.register_keras_serializable(package="tests")
class OwnStep(keras.layers.Layer):
    """A step with the least that a cell must have."""

    state_size = (2, 3)
    output_size = 2

    def build(self, shape):
        self.kernel = self.add_weight(name="kernel", shape=(shape[-1] + 5, 5))

    def call(self, inputs, states):
        new = ops.tanh(ops.concatenate([inputs, *states], axis=-1) @ self.kernel)
        return new[:, :2], [new[:, :2], new[:, 2:]]


@pytest.mark.parametrize(
    "cell",
    [OwnStep, lambda: [keras.layers.GRUCell(2), keras.layers.LSTMCell(3)]],
    ids=["own step", "list of cells"],
)
def test_a_cell_of_another_kind(cell, tmp_path):
    inputs = keras.Input((FEATURES,))
    layer = PonderNet(cell(), keras.layers.Dense(2), max_ponder=3, halting_bias=-1.0)
    model = PonderNetModel(inputs, layer(inputs))
    model.compile("sgd", "mse", run_eagerly=True)
    before = model.get_weights()
    x, y = data()
    model.fit(x, y, verbose=0)
    after = model.get_weights()
    trained = len(model.trainable_variables)
    assert all(np.any(a != b) for a, b in zip(before[:trained], after[:trained]))
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again(x), model(x))


@pytest.mark.parametrize("shape", [(4, FEATURES), (None,)])
def test_inputs_that_are_no_vectors(shape):
    with pytest.raises(ValueError, match=r"expects inputs of shape \(batch, features\).*GRUCell"):
        PonderNet(keras.layers.GRUCell(2))(keras.Input(shape))


def test_a_head_that_is_no_layer():
    with pytest.raises(ValueError, match=r"`head` must be a layer or None\. Received: head='relu'"):
        PonderNet(keras.layers.GRUCell(2), head="relu")


def test_the_divergence_is_that_of_p_from_the_prior():
    """Of a p that halts for certain it is −log of the prior there; the other way it is infinite."""
    prior = 0.3 * 0.7 ** np.arange(4)
    prior /= prior.sum()
    found = divergence(ops.convert_to_tensor(np.eye(4)), 0.3)
    np.testing.assert_allclose(found, -np.log(prior), rtol=1e-6)
    np.testing.assert_allclose(divergence(ops.convert_to_tensor(prior[None]), 0.3), [0], atol=1e-7)
    p = tf.Variable([[1.0, 0.0, 0.0, 0.0]])
    with tf.GradientTape() as tape:
        found = divergence(tf.convert_to_tensor(p), 0.3)
    assert np.isfinite(tape.gradient(found, p)).all()


def test_inference_halts_at_the_median():
    layer, weights = layer_of(return_ponder=True)
    x, _ = data(batch=30)
    answer, ponder = layer(x)
    steps = []
    for row, one in enumerate(x):
        p, answers = probabilities(weights, one)
        steps.append(references.median_step(p))
        np.testing.assert_allclose(answer[row], answers[steps[-1] - 1], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(ponder["steps"], steps)
    assert len(set(steps)) >= 3
    with halting.compaction():
        np.testing.assert_allclose(tf.function(layer)(tf.constant(x))[0], answer, atol=1e-12)
    with halting.limits(max_ponder=2):
        np.testing.assert_array_equal(layer(x)[1]["steps"], np.minimum(steps, 2))


def test_compaction_takes_the_steps_of_the_examples_alone():
    layer, _ = layer_of(return_ponder=True)
    rows, step = [], layer.cell.call

    def counted(inputs, *arguments, **options):
        tf.numpy_function(lambda x: rows.append(len(x)), [inputs], [])
        return step(inputs, *arguments, **options)

    layer.cell.call = counted
    x, _ = data(batch=30)
    with halting.compaction():
        _, ponder = tf.function(layer)(tf.constant(x))
    assert sum(rows) == np.sum(ponder["steps"]) < len(x) * np.max(ponder["steps"])


def test_what_is_drawn_has_the_mean_of_training():
    layer, weights = layer_of(inference="sample", seed=1, return_ponder=True)
    x, _ = data(batch=1)
    p, answers = probabilities(weights, x[0])
    rows = 4000
    drawn, ponder = layer(np.repeat(x, rows, axis=0))
    frequencies = np.bincount(np.array(ponder["steps"], int), minlength=STEPS + 1)[1:] / rows
    # Four standard deviations of a share.
    np.testing.assert_array_less(np.abs(frequencies - p), 4 * np.sqrt(p * (1 - p) / rows) + 1e-9)
    deviation = np.sqrt(p @ (answers - p @ answers) ** 2 / rows)
    np.testing.assert_array_less(np.abs(np.mean(drawn, axis=0) - p @ answers), 4 * deviation)


def test_evaluate_has_the_loss_of_the_answer():
    model, _ = model_of()
    x, y = data()
    found = model.evaluate(x, y, verbose=0, return_dict=True)
    assert found["loss"] == pytest.approx(np.mean((model.predict(x, verbose=0) - y) ** 2), rel=1e-6)


def test_the_divergence_is_of_training_alone():
    model, _ = model_of()
    history = model.fit(*data(), epochs=2, validation_data=data(), verbose=0).history
    assert min(history["divergence"]) > 0
    assert "val_loss" in history and "val_divergence" not in history


def test_a_file_keeps_it(tmp_path, eager):
    model, _ = model_of(beta=0.7, prior=0.1)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert (loaded.beta, loaded.prior) == (0.7, 0.1)
    x, y = data()
    np.testing.assert_allclose(loaded.predict(x, verbose=0), model.predict(x, verbose=0))
    losses = [one.fit(x, y, verbose=0).history["loss"][0] for one in (model, loaded)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)


@pytest.mark.parametrize("wrapped", [keras.layers.GRUCell, keras.layers.SimpleRNNCell])
def test_dropout_of_the_cell_is_drawn_for_each_batch(wrapped):
    cell = keras.layers.StackedRNNCells([wrapped(4, dropout=0.5, recurrent_dropout=0.5)])
    inputs = keras.Input((FEATURES,))
    layer = PonderNet(cell, keras.layers.Dense(1), max_ponder=3)
    model = PonderNetModel(inputs, layer(inputs))
    model.compile("sgd", "mse")
    x, y = data(batch=6)
    assert np.isfinite(model.fit(x, y, batch_size=4, epochs=2, verbose=0).history["loss"]).all()
    assert np.any(layer(x, training=True) != layer(x, training=True))
    np.testing.assert_array_equal(layer(x[:2]), layer(x[:2]))


def test_a_model_without_a_loss():
    model, _ = model_of(loss=None)
    with pytest.raises(ValueError, match="`loss` must be a loss of the answers"):
        model.fit(*data(), verbose=0)


def test_a_model_without_the_layer_at_its_end():
    inputs = keras.Input((FEATURES,))
    behind = keras.layers.Dense(1, name="behind")(PonderNet(keras.layers.GRUCell(2))(inputs))
    with pytest.raises(ValueError, match=r"must be that of its one `PonderNet` layer.*behind"):
        PonderNetModel(inputs, behind)


def test_without_the_model_the_mean_answer_is_trained():
    inputs = keras.Input((FEATURES,))
    model = AdaptiveModel(inputs, PonderNet(keras.layers.GRUCell(2), max_ponder=3)(inputs))
    model.compile("sgd", "mse", run_eagerly=True)
    before = model.get_weights()
    model.fit(*data(), verbose=0)
    assert all(np.any(a != b) for a, b in zip(before[:-1], model.get_weights()))


@pytest.mark.parametrize("return_ponder", [False, True])
def test_answers_have_the_dtype_of_the_head(return_ponder):
    head = keras.layers.Dense(1, dtype="float32")
    cell = keras.layers.GRUCell(2, dtype="mixed_float16")
    layer = PonderNet(cell, head=head, return_ponder=return_ponder, dtype="mixed_float16")
    answers = [layer(x) for x in (keras.Input((3,)), np.ones((2, 3), "float32"))]
    for answer in answers:
        answer = answer[0] if return_ponder else answer
        assert keras.backend.standardize_dtype(answer.dtype) == "float32"
