"""Networks that predict words: loss, carried states, and from training to the commands."""

import json

import keras
import numpy as np
import pytest
from keras import ops

from keras_adaptive import datasets, plots
from keras_adaptive.datasets.wikitext2 import wikitext2
from keras_adaptive.export import uncompiled
from keras_adaptive.language import CarriedStates, NextWords, SampledWordLoss, TiedEmbedding
from keras_adaptive.zoo import cli, families, recipes
from keras_adaptive.zoo.entries import headline
from keras_adaptive.zoo.evaluate import evaluate
from support import word_corpus

NAME = "act_words"
WORDS = 40
SMALL = {
    "vocabulary": WORDS,
    "length": 50,
    "units": 6,
    "samples": 16,
    "max_ponder": 3,
    "batch_size": 4,
    "chunk": 2,
    "steps": 2,
    "validate_every": 8,
}
TEXT = "the cat sat on the zzyzx"


@pytest.fixture(scope="module", autouse=True)
def corpus(tmp_path_factory):
    """A made-up corpus where the environment says."""
    with pytest.MonkeyPatch.context() as patch:
        yield word_corpus.write(tmp_path_factory.mktemp("corpus"), patch)


@pytest.fixture(scope="module")
def run(tmp_path_factory, trained):
    """A finished training of a tiny network."""
    folder = tmp_path_factory.mktemp("run")
    return trained(NAME, folder / "act", overrides={**SMALL, "target_ponder": 2.0})


@pytest.fixture
def command(run, capsys):
    """Runs the command line on the training: exit code, standard output, standard error."""

    def call(name, *argv):
        code = cli.main([name, "--run", str(run.folder), *map(str, argv)])
        return code, *capsys.readouterr()

    return call


def tied(words=12, width=5):
    """A `TiedEmbedding` with random weights and biases."""
    layer = TiedEmbedding(words, width)
    layer.build()
    rng = np.random.default_rng(0)
    layer.embeddings.assign(rng.normal(size=(words, width)))
    layer.bias.assign(rng.normal(size=words))
    return layer


def exact(layer, states, targets):
    """The cross-entropy of the targets (n,) in NumPy, in nats."""
    kernel, bias = (np.asarray(x, "float64") for x in (layer.embeddings, layer.bias))
    scores = states @ kernel.T + bias
    given = scores[np.arange(len(targets)), targets]
    return np.log(np.exp(scores).sum(axis=1)) - given


def test_probabilities_and_states_in_training():
    layer, states = tied(), np.random.default_rng(1).normal(size=(2, 3, 5)).astype("float32")
    outputs = np.asarray(layer(states, reverse=True))
    targets = np.arange(6).reshape(2, 3)
    losses = exact(layer, states.reshape(6, 5), targets.ravel()).reshape(2, 3)
    given = np.take_along_axis(outputs, targets[..., None], axis=-1)[..., 0]
    np.testing.assert_allclose(-np.log(given), losses, rtol=1e-4)
    np.testing.assert_allclose(outputs.sum(-1), 1, rtol=1e-5)
    np.testing.assert_array_equal(layer(states, reverse=True, training=True), states)
    loss = SampledWordLoss(layer, 4)
    np.testing.assert_allclose(loss.call(targets, outputs), losses, rtol=1e-4)
    np.testing.assert_allclose(loss(targets, outputs), losses.sum() / 2, rtol=1e-4)


def test_a_softmax_over_many_drawn_words_is_nearly_exact():
    layer = tied()
    rng = np.random.default_rng(2)
    states, targets = rng.normal(size=(2, 6, 5)).astype("float32"), rng.integers(0, 12, (2, 6))
    losses = exact(layer, states.reshape(12, 5), targets.ravel()).reshape(2, 6).sum(axis=1)
    estimate = ops.sum(SampledWordLoss(layer, 20_000).call(targets, states), axis=1)
    np.testing.assert_allclose(estimate, losses, rtol=0.02)
    # Those of a few words vary around it.
    few = SampledWordLoss(layer, 8)
    first, second = (np.sum(few.call(targets, states), axis=1) for _ in range(2))
    assert (abs(first - second) > 1e-3).all()


def test_what_a_loss_of_drawn_words_cannot_do(tmp_path):
    with pytest.raises(ValueError, match="`output_dim` must be another integer than `input_dim`"):
        TiedEmbedding(8, 8)
    for name, value in {"tie_weights": False, "logit_soft_cap": 3.0}.items():
        with pytest.raises(ValueError, match=f"Argument `{name}` must be"):
            TiedEmbedding(8, 4, **{name: value})
    layer, inputs = TiedEmbedding(8, 4), keras.Input((3,), dtype="int32")
    model = keras.Model(inputs, layer(layer(inputs), reverse=True))
    model.compile("sgd", SampledWordLoss(layer, 2))
    model.save(tmp_path / "words.keras")
    with pytest.raises(ValueError, match=r"`keras.models.load_model\(path, compile=False\)`"):
        keras.models.load_model(tmp_path / "words.keras")
    again = keras.models.load_model(tmp_path / "words.keras", compile=False)
    x = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(again(x), model(x))


def test_next_words_against_the_whole_softmax():
    layer = tied()
    rng = np.random.default_rng(3)
    states, targets = rng.normal(size=(2, 70, 5)).astype("float32"), rng.integers(0, 12, (2, 70))
    found = NextWords(states, layer).measured(targets)
    outputs = np.asarray(layer(states, reverse=True), "float64")
    given = np.take_along_axis(outputs, targets[..., None], axis=-1)[..., 0]
    np.testing.assert_allclose(found["bits"], -np.log2(given), rtol=1e-3, atol=1e-5)
    entropy = -(outputs * np.log2(outputs)).sum(-1)
    np.testing.assert_allclose(found["entropy"], entropy, rtol=1e-3, atol=1e-5)
    np.testing.assert_array_equal(found["best"], outputs.argmax(-1))
    np.testing.assert_allclose(found["confidence"], outputs.max(-1), rtol=1e-4)


def test_states_are_carried_in_training_alone():
    layer = CarriedStates(2, (3,))
    sequences, state = np.zeros((2, 4, 3), "float32"), np.full((2, 3), 7, "float32")
    assert not np.asarray(layer(sequences, training=True)[0]).any()
    layer(sequences, states=[state])
    assert not np.asarray(layer(sequences, training=True)[0]).any()
    layer(sequences, states=[state], training=True)
    np.testing.assert_array_equal(layer(sequences, training=True)[0], state)
    assert not np.asarray(layer(sequences)[0]).any()
    # A batch of another size: rows beyond those kept begin with zeros.
    more = np.asarray(layer(np.zeros((3, 4, 3), "float32"), training=True)[0])
    assert (more[:2] == 7).all() and not more[2].any()
    layer(sequences[:1], states=[state[:1] + 1], training=True)
    np.testing.assert_array_equal(np.asarray(layer.kept[0])[:, 0], [8, 7])


def test_training_goes_on_with_the_states_of_the_batch_before(run):
    """Two batches in a row give what one sequence of both gives."""
    words = np.arange(12).reshape(1, 12) % WORDS
    model = families.of(run.recipe.with_overrides({"dropout": 0.0, "batch_size": 1})).build()
    both = np.asarray(model(words, training=True))
    keras.tree.map_structure(lambda kept: kept.assign(kept * 0), model.get_layer("carried").kept)
    parts = [np.asarray(model(words[:, part], training=True)) for part in (slice(5), slice(5, 12))]
    np.testing.assert_allclose(np.concatenate(parts, axis=1), both, atol=1e-5)


def test_size_of_the_published_recipe():
    """At most 10 million weights, the output's matrix among the words' vectors."""
    recipe = recipes.load(NAME)
    units, words = recipe.hyperparameters["units"], recipe.parameters["vocabulary"]
    lstm = 4 * units * (2 * units + 2)
    assert words * (units + 1) + lstm + units + 1 < 10_000_000
    assert recipe.hyperparameters["max_ponder"] == 10


def test_history(run):
    (row,) = run.history
    assert 1 < row["validation_perplexity"] < 10 * WORDS and row["ponder_steps"] >= 1
    # In order, whatever the seed.
    task, recipe = datasets.task(run.recipe.dataset), run.recipe
    length = recipe.training_parameters["length"]
    batch = task.consecutive(1, 4, length=length, vocabulary=WORDS)
    np.testing.assert_array_equal(
        batch["inputs"][0], task.read("train", WORDS)[length : 2 * length]
    )


@pytest.mark.parametrize("variant", ["plain", "fixed-5"])
def test_variants(variant, run):
    recipe = recipes.load(NAME).with_variant(variant).with_overrides(SMALL)
    model = families.of(recipe).build()
    steps = families.of(recipe).probe(model)(np.zeros((1, 3), int))["ponder_steps"]
    assert (np.asarray(steps) == {"plain": 1, "fixed-5": 5}[variant]).all()


def test_evaluate(command, run):
    code, out, _ = command("evaluate", "--json")
    found = json.loads(out)
    windows = wikitext2.windows("test", length=50, vocabulary=WORDS)
    assert code == 0 and found["words"] == windows["inputs"].size
    outputs = np.asarray(run.model(windows["inputs"]), "float64")
    given = np.take_along_axis(outputs, windows["targets"][..., None], axis=-1)
    assert found["perplexity"] == pytest.approx(np.exp(-np.log(given).mean()), rel=1e-3)
    low, high = found["confidence_interval"]
    assert low < found["perplexity"] < high and 1 <= found["ponder_steps"] <= 3
    kinds = {row["kind"]: row["words"] for row in found["by_difficulty"]}
    assert sum(kinds.values()) == found["words"] and kinds["ends of lines"] > 20
    code, out, _ = command("evaluate", "--max-ponder", 1)
    assert code == 0 and "steps 1.00" in out and "perplexity" in out


def test_predict(command):
    code, out, _ = command("predict", TEXT)
    lines = out.splitlines()
    assert code == 0 and [line.split()[0] for line in lines[1:4]] == ["the", "<unk>", "<unk>"]
    # In a list of 40 words, there is no cat either.
    assert lines[-1] == "not among the known words, read as <unk>: cat, sat, zzyzx"
    found = json.loads(command("predict", TEXT, "--json")[1])
    assert found["inputs"] == ["the", "<unk>", "<unk>", "on", "the", "<unk>"]
    assert len(found["ponder"]) == len(found["ponder_steps"]) == 6 and found["bits"][5] is None
    assert found["answer"] == found["answers"][-1] and found["answer"] in wikitext2.words()[:WORDS]
    assert command("predict", "the \x1bx cat")[1].endswith(r"read as <unk>: \x1b, x, cat" + "\n")
    code, _, error = command("predict", "  ")
    assert code == 2 and "a text of at least one word is needed" in error


def test_plot(command, tmp_path):
    picture = tmp_path / "a.svg"
    code, out, _ = command("plot", TEXT, "--out", picture, "--json")
    assert code == 0 and len(json.loads(out)["ponder"]) == 6
    assert "entropy (bits)" in picture.read_text()
    code, _, error = command("plot", "the " * 181, "--out", picture)
    assert code == 2 and "a text of 1 to 180 words" in error
    code, _, error = command("plot", "--out", picture)
    assert code == 2 and "some text" in error


def test_pictures(tmp_path):
    lists = {key: [1.0, 2.0, None] for key in ("bits", "entropy")}
    reading = {"inputs": ["it", "cost", "$ 5"], "ponder": [2.0, 3.0, 2.5], **lists}
    assert plots.text.ponder_under_words(tmp_path / "a.svg", reading).exists()
    with pytest.raises(ValueError, match="1 to 180 words"):
        plots.text.ponder_under_words(
            tmp_path / "a.svg", {name: values[:1] * 181 for name, values in reading.items()}
        )


def test_saved_and_loaded(run, tmp_path):
    inputs = wikitext2.encode("the cat", vocabulary=WORDS)
    uncompiled(run.model).save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras", compile=False)
    np.testing.assert_allclose(loaded(inputs), run.model(inputs), atol=1e-5)


def test_card(run, tmp_path, eagerly):
    family = families.of(run.recipe)
    trained = ("act", 0, "tensorflow", run.settings, 2, 1.0, 40.0, 2.0)
    with eagerly():
        metrics = evaluate(run.model, run.recipe, 5)
        metrics = {**dict(zip(family.run_metrics, trained)), **metrics}
        metrics |= family.entry_metrics(run, run.model, [metrics], None)
    runs = [{key: metrics[key] for key in family.run_metrics}]
    runs.append({**runs[0], "variant": "fixed-5"})
    card = family.card({**metrics, "runs": runs, "commit": None, "folder": None})
    for said in ("perplexity", "WikiText-2", "unknown words", "16 drawn words", "| 5 steps per"):
        assert said in card
    family.draw_card(tmp_path, run.model, metrics, run.history)
    assert (tmp_path / "words.png").stat().st_size > 5000
    assert headline.cells(headline.headline(run.recipe.to_dict(), metrics))[0].startswith("perp")


def test_a_training_that_diverged_is_no_better_than_guessing():
    from keras_adaptive.zoo.search.rows import score, weights_of

    weights = weights_of("perplexity")
    worst = score({"diverged": True}, weights, recipes.load(NAME))
    assert worst == wikitext2.VOCABULARY
