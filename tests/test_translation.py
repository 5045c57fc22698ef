"""Translation networks: probabilities, search, training, saving, scores, and what is refused."""

import keras
import numpy as np
import pytest

import graphs
from keras_adaptive import evaluation, halting, losses
from keras_adaptive.evaluation.translation import kind_of
from keras_adaptive.models import TranslationNetwork

SOURCES, TARGETS, UNITS = 7, 6, 4
KINDS = {
    "plain": {"halting": None},
    "act": {"halting": "act", "max_ponder": 4},
    "fixed": {"halting": "fixed", "steps": 2},
    "before": {"halting": "act", "max_ponder": 4, "place": "before"},
}

# As many symbols as the source has, and two more.
FEW = (1, 2)


def network(kind, seed=0, **more):
    """A network with large random weights."""
    model = TranslationNetwork(SOURCES, TARGETS, UNITS, **{**KINDS[kind], **more})
    model.build((None, None))
    rng = np.random.default_rng(seed)
    for variable in model.trainable_variables:
        size = 6.0 if "halting_unit/kernel" in variable.path else 1.0
        if "halting_unit/bias" not in variable.path:
            variable.assign(size * rng.normal(size=variable.shape))
    return model


def draw(rows, n=5, seed=1):
    return np.random.default_rng(seed).integers(1, SOURCES, (rows, n))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(weights, x, h, c):
    kernel, recurrent, bias = weights
    i, f, g, o = np.split(x @ kernel + h @ recurrent + bias, 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def numbers(layer):
    return [np.asarray(keras.ops.convert_to_numpy(v), "float64") for v in layer.weights]


def plain_probabilities(model, source, target):
    """The equations in NumPy, for one sentence without padding."""
    embedding = numbers(model.source_embedding)[0]
    forward, backward = (
        numbers(layer.cell) for layer in (model.encoder.forward_layer, model.encoder.backward_layer)
    )
    states, ends = [], []
    for weights, order in ((forward, 1), (backward, -1)):
        h, c, outputs = np.zeros(UNITS), np.zeros(UNITS), []
        for symbol in source[::order]:
            h, c = lstm(weights, embedding[symbol], h, c)
            outputs.append(h)
        states.append(outputs[::order])
        ends += [h, c]
    memory = np.concatenate(states, axis=1)
    kernel, bias = numbers(model.bridge)
    h, c = np.split(np.tanh(np.concatenate(ends) @ kernel + bias), 2)
    cell = model.decoder.cell
    memory_kernel, query_kernel, score = numbers(cell.attention)
    weights, vectors = numbers(cell.cell), numbers(model.target_embedding)[0]
    offset = np.asarray(keras.ops.convert_to_numpy(model.bias))
    rows = []
    for before in [0, *target[:-1]]:
        scores = np.tanh(memory @ memory_kernel + h @ query_kernel) @ score
        share = np.exp(scores) / np.exp(scores).sum()
        h, c = lstm(weights, np.concatenate([vectors[before], [1.0], share @ memory]), h, c)
        outputs = np.exp(h @ vectors.T + offset)
        rows.append(outputs / outputs.sum())
    return np.array(rows)


def test_probabilities_are_those_of_the_equations():
    model, sources, targets = network("plain"), draw(3), np.array([[3, 2, 1], [5, 1, 0], [1, 0, 0]])
    found = np.asarray(model(sources, targets=targets))
    for row, (source, target) in enumerate(zip(sources, targets)):
        target = target[target > 0]
        expected = plain_probabilities(model, source, target)
        np.testing.assert_allclose(found[row, : len(target)], expected, atol=1e-5)


@pytest.mark.parametrize(
    "kind",
    [
        kind if kind == "act" else pytest.param(kind, marks=pytest.mark.slow)
        for kind in KINDS
    ],
)
def test_the_search_takes_the_likeliest_symbol_each_time(kind):
    model, sources = network(kind, max_outputs=FEW), draw(4)
    found = model.search(sources)
    for row, symbols in enumerate(np.asarray(found.symbols)):
        count = int((symbols > 0).sum())
        given = np.asarray(model(sources[row : row + 1], targets=symbols[None]))[0, :count].copy()
        likeliest = given[:, 1:].argmax(-1) + 1
        assert symbols[:count].tolist() == likeliest.tolist()
        assert symbols[count - 1] == 1 or count == 5 + 2
        total = np.log(given[np.arange(count), symbols[:count]]).sum()
        np.testing.assert_allclose(found.log_probability[row], total, rtol=1e-3)
    np.testing.assert_array_equal(model.predict(sources, verbose=0), found.symbols)
    steps = np.asarray(found.steps)
    if kind == "before":
        assert steps.shape == (4, 1) and (steps > 0).all()
    else:
        assert ((steps > 0) == (np.asarray(found.symbols) > 0)).all()
        assert kind == "act" or set(np.unique(steps)) <= {0, {"plain": 1, "fixed": 2}[kind]}
    assert (np.asarray(found.ponder) >= steps).all()


@pytest.mark.slow  # The search is that of tests/zoo/test_pointer.py.
def test_more_beams_find_no_less_likely_translations():
    model, sources = network("plain", max_outputs=(0, 3)), draw(6)
    # With as many beams as there are beginnings, the likeliest of all.
    greedy, best = (np.asarray(model.search(sources, b).log_probability) for b in (1, 30))
    assert (best >= greedy - 1e-5).all()
    for source, found in zip(sources, best):
        scores = []
        for answer in every_answer(3):
            shares = plain_probabilities(model, source, np.array(answer))
            scores.append(np.log(shares[range(len(answer)), answer]).sum())
        np.testing.assert_allclose(found, max(scores), atol=1e-4)


def every_answer(most):
    """All sequences that end with 1 or have `most` symbols."""
    open_ones, done = [()], []
    for _ in range(most):
        longer = [(*answer, symbol) for answer in open_ones for symbol in range(1, TARGETS)]
        done += [answer for answer in longer if answer[-1] == 1]
        open_ones = [answer for answer in longer if answer[-1] != 1]
    return [list(answer) for answer in done + open_ones]


@pytest.mark.parametrize("kind", ["act", pytest.param("before", marks=pytest.mark.slow)])
def test_a_sentence_does_not_depend_on_its_batch(kind):
    model, sources = network(kind, max_outputs=FEW), draw(3, n=7)
    sources[0, 4:] = 0
    found, alone = model.search(sources), model.search(sources[:1, :4])
    width = alone.symbols.shape[1]
    np.testing.assert_array_equal(found.symbols[0, :width], alone.symbols[0])
    np.testing.assert_allclose(found.ponder[0, :width], alone.ponder[0], atol=1e-5)
    masked = model(draw(1, n=7), mask=np.arange(7)[None] < 4)
    np.testing.assert_array_equal(masked[:, :width], model(draw(1, n=7)[:, :4]))


@pytest.mark.parametrize(
    "kind",
    ["act", *(pytest.param(x, marks=pytest.mark.slow) for x in ("plain", "fixed", "before"))],
)
def test_fit_moves_every_weight_and_what_was_learned_is_saved(kind, tmp_path):
    keras.utils.set_random_seed(0)
    model = TranslationNetwork(SOURCES, TARGETS, 8, dropout=0.1, **KINDS[kind])
    loss = losses.SequenceLoss(per_target=True, label_smoothing=0.01)
    model.compile(keras.optimizers.Adam(5e-2), loss)
    model.build((None, None))
    before = [np.array(v) for v in model.trainable_variables]
    targets = np.tile([2, 3, 4, 1, 0], (16, 1))
    history = model.fit(draw(16), targets, epochs=40, verbose=0).history
    assert ("ponder_steps" in history) == (kind != "plain")
    for old, variable in zip(before, model.trainable_variables, strict=True):
        assert np.abs(np.array(variable) - old).max() > 0, variable.path
    assert history["loss"][-1] < 0.5 * history["loss"][0]
    with graphs.functions(run_eagerly=True):
        assert model.evaluate(draw(16), targets, verbose=0, return_dict=True)["loss"] < 1
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(again(draw(3)), model(draw(3)))
    assert again.get_config() == model.get_config()


@pytest.mark.slow
def test_an_exported_model_takes_any_length(tmp_path):
    import tensorflow as tf

    model = network("act")
    model(draw(1))
    model.export(tmp_path / "saved", verbose=False)
    saved = tf.saved_model.load(str(tmp_path / "saved"))
    for rows, n in ((1, 3), (2, 9)):
        sources = draw(rows, n).astype("int32")
        np.testing.assert_array_equal(saved.serve(sources), model(sources))


def test_limits_hold_and_batches_may_be_empty():
    model = network("act", max_outputs=FEW)
    with halting.limits(max_ponder=1):
        assert np.asarray(model.search(draw(2)).steps).max() == 1
    assert np.asarray(model.search(draw(2)).steps).max() > 1
    assert model(np.zeros((0, 5), int)).shape == (0, 7)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"source_symbols": 1}, "Argument `source_symbols`"),
        ({"place": "after"}, 'Argument `place` must be "writing" or "before"'),
        ({"halting": None, "steps": 2}, "Argument `steps`"),
        ({"dropout": 1.0}, "Argument `dropout`"),
        ({"max_outputs": (0, 0)}, "Argument `max_outputs`"),
        ({"beams": 0}, "Argument `beams`"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        TranslationNetwork(**{"source_symbols": 5, "target_symbols": 5, **arguments})


def test_bad_inputs():
    with pytest.raises(ValueError, match=r"expects symbols of shape \(batch, n\)"):
        TranslationNetwork(5, 5, 4)(np.zeros((2, 0), int))
    sentences = np.ones((2, 3), int)
    with pytest.raises(ValueError, match="Argument `inputs` must be one tensor"):
        TranslationNetwork(5, 5, 4)((sentences, sentences))


def test_bleu_takes_all_references():
    answers = ["das Haus ist sehr groß .", "er läuft schnell nach Hause ."]
    references = [["ein Haus", answers[0]], [answers[1]]]
    found = evaluation.bleu_and_chrf(answers, references, interval=True)
    assert found["bleu"] == found["chrf"] == 100 and found["confidence_interval"] == [100, 100]
    assert "nrefs:var" in found["signature"] and "version" in found["chrf_signature"]
    assert evaluation.bleu_and_chrf(answers, [["ein Haus"], references[1]])["bleu"] < 90
    with pytest.raises(ValueError, match="Argument `references`"):
        evaluation.bleu_and_chrf(answers, [["one"]])


def test_without_sacrebleu_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sacrebleu.metrics", None)
    with pytest.raises(ImportError, match=r"keras_adaptive\[translation\]"):
        evaluation.bleu_and_chrf(["a"], [["a"]])


def test_kinds_of_subwords():
    assert [*map(kind_of, ("▁,", "▁", "▁ab", "c", "..."))] == [
        "punctuation",
        *["beginnings of words"] * 2,
        "later parts of words",
        "punctuation",
    ]


def test_a_new_network_searches(eager):
    model = TranslationNetwork(6, 7, 4)
    inputs = np.array([[1, 2]])
    symbols = model.search(inputs).symbols
    spec = model.compute_output_spec(keras.KerasTensor(inputs.shape, "int32"))
    assert (spec.shape, spec.dtype) == (symbols.shape, "int32")
