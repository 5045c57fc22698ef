"""Pointer networks: distributions, answers, training, saving, and what is refused."""

import keras
import numpy as np
import pytest

import graphs
import references_pointer as references
from keras_adaptive import halting, losses, metrics
from keras_adaptive.models import PointerNetwork

UNITS, N = 4, 5
KINDS = {
    "published": {"halting": None},
    "act": {"halting": "act", "max_ponder": 4, "halting_bias": 0.0},
    "fixed": {"halting": "fixed", "steps": 2},
}


def network(kind, seed=0, scale=1.0, **more):
    """A network with large random weights, and these, for `references_pointer`."""
    model = PointerNetwork(UNITS, **{**KINDS[kind], **more})
    model.build((None, None, 2))
    rng = np.random.default_rng(seed)
    for variable in model.trainable_variables:
        # The halting unit has large weights, so that N differs.
        size = 6.0 if "halting_unit/kernel" in variable.path else scale
        if "halting_unit/bias" not in variable.path:
            variable.assign(size * rng.normal(size=variable.shape))
    numbers = {
        "encoder": model.encoder.trainable_variables,
        "decoder": model.decoder.trainable_variables,
        "pointer": [model.keys.kernel, model.query.kernel, model.pointer.scale],
    }
    return model, {
        name: [np.asarray(keras.ops.convert_to_numpy(v), "float64") for v in values]
        for name, values in numbers.items()
    }


def oracle(kind, weights, points):
    """The reference of a kind; a fixed number of steps is a mean of all of them."""
    M = {"published": 1, "act": 4}[kind]
    return references.Network(weights, points.astype("float64"), M)


def draw(rows, n=N, seed=1):
    return np.random.default_rng(seed).random((rows, n, 2)).astype("float32")


@pytest.mark.parametrize("kind", ["published", "act"])
def test_distributions_are_those_of_the_equations(kind):
    model, weights = network(kind)
    # Far from each other, so that N differs.
    points, answers = 8 * draw(3) - 4, np.array([[1, 3, 5, 1, 0], [2, 4, 3, 5, 2], [4, 1, 2, 4, 0]])
    with halting.record() as entries:
        found = np.asarray(model(points, targets=answers))
    for row, (one, answer) in enumerate(zip(points, answers)):
        answer = answer[answer > 0]
        p, steps = oracle(kind, weights, one).follow(answer)
        np.testing.assert_allclose(found[row, : len(answer), 1:], p, atol=2e-6)
        assert np.asarray(entries[0].steps)[row, : len(answer)].tolist() == steps
    assert (found[..., 0] == 0).all()
    if kind == "act":
        assert len(np.unique(np.asarray(entries[0].steps))) >= 3


@pytest.mark.parametrize(
    "kind, answer",
    [
        ("published", "polygon"),
        pytest.param("act", "polygon", marks=pytest.mark.slow),
        ("act", "tour"),
    ],
)
def test_the_answer_takes_the_likeliest_valid_point_each_time(kind, answer):
    model, weights = network(kind, answer=answer)
    points = draw(4)
    found = model.search(points)
    valid = {"polygon": references.valid_of_polygon, "tour": references.valid_of_tour}[answer]
    for row, one in enumerate(points):
        expected = oracle(kind, weights, one).greedy(valid)
        indices = np.asarray(found.indices)[row]
        assert indices[indices > 0].tolist() == expected
        assert (np.asarray(found.steps)[row] > 0).tolist() == (indices > 0).tolist()
        expected = oracle(kind, weights, one).log_probability(expected)
        np.testing.assert_allclose(found.log_probability[row], expected, atol=1e-4)
    outputs = model.predict(points, verbose=0)
    np.testing.assert_allclose(outputs, found.outputs, atol=1e-6)
    np.testing.assert_array_equal(outputs.argmax(-1), found.indices)
    np.testing.assert_allclose(outputs.sum(-1), 1, atol=1e-6)


def test_enough_beams_find_the_likeliest_answer_of_all():
    model, weights = network("published", scale=0.6)
    points = draw(3, n=4)
    found = model.search(points, beams=40)
    for row, one in enumerate(points):
        every = {
            tuple(answer): oracle("published", weights, one).log_probability(answer)
            for answer in references.all_polygons(4)
        }
        best = max(every, key=every.get)
        indices = np.asarray(found.indices)[row]
        assert tuple(indices[indices > 0].tolist()) == best
        np.testing.assert_allclose(found.log_probability[row], every[best], atol=1e-5)


def test_an_example_does_not_depend_on_the_padding_of_its_batch():
    model, _ = network("act")
    points = draw(3, n=7)
    points[0, 4:] = -1
    found = model.search(points)
    alone = model.search(points[:1, :4])
    np.testing.assert_array_equal(np.asarray(found.indices)[0, :5], np.asarray(alone.indices)[0])
    np.testing.assert_allclose(found.outputs[0, :5, :5], alone.outputs[0], atol=1e-6)
    masked = draw(1, n=7)
    by_mask = model(masked, mask=np.arange(7)[None] < 4)
    np.testing.assert_allclose(by_mask[0, :5, :5], model(masked[:, :4])[0], atol=1e-6)


@pytest.mark.parametrize("kind", [pytest.param("published", marks=pytest.mark.slow), "act"])
def test_fit_moves_every_weight_and_what_was_learned_is_saved(kind, tmp_path):
    keras.utils.set_random_seed(0)
    model = PointerNetwork(8, **KINDS[kind])
    model.compile(
        keras.optimizers.Adam(5e-2),
        losses.SequenceLoss(per_target=True),
        weighted_metrics=[metrics.SequenceError()],
    )
    points = draw(16)
    targets = np.tile([1, 2, 3, 1, 0], (16, 1))
    model.build(points.shape)
    before = [np.array(v) for v in model.trainable_variables]
    history = model.fit(points, targets, epochs=40, verbose=0).history
    for old, variable in zip(before, model.trainable_variables, strict=True):
        assert np.abs(np.array(variable) - old).max() > 0, variable.path
    assert history["loss"][-1] < 0.5 * history["loss"][0]
    with graphs.functions(run_eagerly=True):
        logs = model.evaluate(points, targets, verbose=0, return_dict=True)
    assert logs["sequence_error"] < 0.2
    assert ("ponder_steps" in logs) == (kind != "published")
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(again(points), model(points), atol=1e-6)
    assert again.get_config() == model.get_config()


# An entry is exported in zoo/test_pointer.py.
@pytest.mark.slow
def test_an_exported_model_takes_any_number_of_points(tmp_path):
    import tensorflow as tf

    model, _ = network("act")
    model(draw(1))
    model.export(tmp_path / "saved", verbose=False)
    saved = tf.saved_model.load(str(tmp_path / "saved"))
    for rows, n in ((1, 3), (2, 9)):
        points = draw(rows, n)
        np.testing.assert_allclose(saved.serve(points), model(points), atol=1e-5)


def test_fixed_steps_answer_one_example_too(eager):
    model = PointerNetwork(8, halting="fixed", steps=2)
    points = draw(2)
    np.testing.assert_allclose(model.predict(points[:1], verbose=0), model(points)[:1], atol=1e-6)


def test_ponder_is_steps_and_remainder():
    model, _ = network("act")
    found = model.search(draw(3))
    steps, ponder = np.asarray(found.steps), np.asarray(found.ponder)
    assert (ponder[steps > 0] > steps[steps > 0]).all() and (ponder[steps == 0] == 0).all()
    assert (ponder <= steps + 1).all()


def test_limits_hold():
    model, _ = network("act")
    points = draw(2)
    with halting.limits(max_ponder=1):
        assert np.asarray(model.search(points).steps).max() == 1
    assert np.asarray(model.search(points).steps).max() > 1


def test_no_rows():
    model, _ = network("act")
    assert model(np.zeros((0, 5, 2), "float32")).shape == (0, 6, 6)


BAD = {
    "units": ({"units": 0}, "Argument `units`"),
    "answer": ({"answer": "hull"}, 'Argument `answer` must be "polygon" or "tour"'),
    "beams": ({"beams": 0}, "Argument `beams`"),
    "features": ({"features": 1.5}, "Argument `features`"),
    "steps": ({"halting": None, "steps": 2}, "Argument `steps`"),
    "halting": ({"halting": "never"}, "halting"),
    "padding_value": ({"padding_value": "x"}, "Argument `padding_value`"),
}


@pytest.mark.parametrize("arguments, message", BAD.values(), ids=BAD)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        PointerNetwork(**arguments)


@pytest.mark.parametrize("shape", [(2, 5), (2, 5, 3), (2, 0, 2)])
def test_bad_points(shape):
    with pytest.raises(ValueError, match=r"expects points of shape \(batch, n, 2\)"):
        PointerNetwork(4)(np.zeros(shape, "float32"))


def test_without_targets():
    model = PointerNetwork(4)
    model.compile("sgd", "sparse_categorical_crossentropy")
    for call in (model.fit, model.evaluate):
        with pytest.raises(ValueError, match="Argument `y` must be one tensor of targets"):
            call(np.ones((2, 5, 2), "float32"), verbose=0)


@pytest.mark.parametrize("beams", [1, 2])
def test_no_points_have_the_answer_of_none(eager, beams):
    model, _ = network("act")
    points = draw(3)
    points[1] = model.padding_value
    answer = model.search(points, beams)
    alone = model.search(points[[0, 2]], beams)
    assert not np.any(np.asarray(answer.indices)[1]) and np.asarray(answer.log_probability)[1] == 0
    np.testing.assert_allclose(np.sum(np.asarray(answer.outputs), axis=-1), 1, atol=1e-5)
    np.testing.assert_array_equal(np.asarray(answer.indices)[[0, 2]], np.asarray(alone.indices))


def test_a_tour_begins_with_the_first_point_that_is_real(eager):
    model = PointerNetwork(4, answer="tour")
    points = np.random.default_rng(0).random((1, 4, 2))
    points[0, 0] = -1
    *tour, end = np.asarray(model.search(points).indices)[0].tolist()
    assert sorted(tour[:3]) == [2, 3, 4] and tour[0] == tour[3] == 2 and end == 0


@pytest.mark.parametrize("bad", [9, 6])
def test_targets_that_are_no_points(bad):
    model = PointerNetwork(4, halting=None)
    model.compile("sgd", "sparse_categorical_crossentropy")
    points, targets = np.ones((3, 5, 2), "float32"), np.ones((3, 4), "int32")
    targets[2, 3] = bad
    message = rf"must be whole numbers from 0 to 5. Received: .*=\[{bad}\]"
    for call in (model.fit, model.evaluate):
        with pytest.raises(ValueError, match=f"Argument `y` {message}"):
            call(points, targets, verbose=0)
    right = np.ones((3, 4), "int32")
    with pytest.raises(ValueError, match=f"Argument `y` {message}"):
        model.fit(points, right, validation_data=(points, targets), verbose=0)
    with pytest.raises(ValueError, match=f"Argument `targets` {message}"):
        model(points, targets)


def test_what_has_no_target_may_be_below_0():
    model = PointerNetwork(4, halting=None)
    model.compile("sgd", losses.SequenceLoss())
    points, weights = np.random.default_rng(0).random((3, 5, 2)).astype("float32"), np.ones((3, 4))
    targets = np.array([[1, 2, 3, 0]] * 3)
    weights[:, 3] = 0.0
    wanted = model.evaluate(points, targets, sample_weight=weights, verbose=0)
    targets[:, 3] = -1
    found = model.evaluate(points, targets, sample_weight=weights, verbose=0)
    assert np.isfinite(found) and abs(found - wanted) < 1e-6
