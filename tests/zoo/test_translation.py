"""Networks that translate: from a small training to the commands, on made-up sentences."""

import json

import numpy as np
import pytest

from keras_adaptive.datasets.tatoeba import tatoeba
from keras_adaptive.zoo import cli, families, recipes
from keras_adaptive.zoo.entries import headline
from keras_adaptive.zoo.evaluate import evaluate, evaluate_run
from support import sentence_pairs

pytestmark = pytest.mark.usefixtures("eager")
NAME = "translation_en_de"
SMALL = {
    "vocabulary": 60,
    "units": 6,
    "max_ponder": 3,
    "batch_size": 4,
    "chunk": 2,
    "steps": 2,
    "validate_every": 4,
    "max_outputs": [0, 6],
}
TEXT = "Tom likes a cat."


@pytest.fixture(scope="module", autouse=True)
def file(tmp_path_factory):
    """Made-up sentences where the environment says."""
    with pytest.MonkeyPatch.context() as patch:
        yield sentence_pairs.write(tmp_path_factory.mktemp("sentences"), patch)


@pytest.fixture(scope="module")
def run(tmp_path_factory, trained):
    """A finished training of a tiny network."""
    return trained(NAME, tmp_path_factory.mktemp("run") / "act", overrides=SMALL)


@pytest.fixture
def command(run, capsys):
    """Runs the command line on the training: exit code, standard output, standard error."""

    def call(name, *argv):
        code = cli.main([name, "--run", str(run.folder), *map(str, argv)])
        return code, *capsys.readouterr()

    return call


def test_history_and_places(run):
    (row,) = run.history
    assert 0 <= row["validation_bleu"] <= 100 and row["validation_perplexity"] > 1
    assert 1 <= row["ponder_steps"] <= 3
    assert row["time_penalty"] == run.model.pondering.time_penalty != 0
    before = recipes.load(f"{NAME}_before")
    assert before.hyperparameters["place"] == "before"
    family = families.of(before.with_overrides(SMALL))
    answer = family.predict(family.probe(family.build()), TEXT)
    assert len(answer["ponder"]) == 1 < len(answer["outputs"])
    assert "before it wrote:" in family.format_answer(answer)


@pytest.mark.parametrize("variant, steps", [("plain", 1), ("fixed-2", 2)])
def test_variants(variant, steps):
    recipe = recipes.load(NAME).with_variant(variant).with_overrides(SMALL)
    family = families.of(recipe)
    found = family.probe(family.build())(tatoeba.encode(TEXT, vocabulary=60))
    assert set(np.unique(found["ponder_steps"])) <= {0, steps}


def test_evaluate(command, run):
    code, out, _ = command("evaluate", "--json")
    found = json.loads(out)
    assert code == 0 and found["examples"] == 12
    assert {"bleu", "chrf", "signature", "ponder_steps", "perplexity"} <= found.keys()
    assert found["signature"].startswith("nrefs:var")
    windows = tatoeba.windows("test", vocabulary=60)
    shares = np.asarray(run.model(windows["inputs"], targets=windows["targets"]), "float64")
    given = np.take_along_axis(shares, windows["targets"][..., None], axis=-1)[..., 0]
    bits = -np.log2(given)[windows["targets"] > 0]
    assert found["perplexity"] == pytest.approx(2 ** bits.mean(), rel=1e-3)
    kinds = found["by_difficulty"]
    assert sum(row.get("examples", 0) for row in kinds) == 12
    code, out, _ = command("evaluate", "--beam", 2, "--max-ponder", 1, "--examples", 4)
    assert code == 0 and "BLEU" in out and "steps 1.00" in out


def test_right_answers_have_a_bleu_of_100(run):
    family = families.of(run.recipe)

    class Perfect(type(family.probe(run.model))):
        def __call__(self, inputs):
            symbols = windows["targets"][[*map(tuple, windows["inputs"])].index(tuple(inputs[0]))]
            ones = (symbols > 0).astype("float32")[None]
            return {"symbols": symbols[None], "ponder_steps": ones, "ponder": 2 * ones}

    windows = tatoeba.windows("test", vocabulary=60)
    results = family.measure(Perfect(run.model), 3, batch_size=1)
    numbers = family.summary(results)
    assert numbers["bleu"] == numbers["chrf"] == 100 and numbers["ponder"] == 2


def test_predict(command):
    code, out, _ = command("predict", TEXT + " 漢")
    assert code == 0 and out.splitlines()[-1].startswith("answer: ")
    assert "characters that are not known: 漢" in out
    found = json.loads(command("predict", TEXT, "--json")[1])
    lists = ("outputs", "confidence", "bits", "entropy", "ponder", "ponder_steps")
    assert len({len(found[name]) for name in lists}) == 1
    assert "".join(found["inputs"]) == "▁Tom▁likes▁a▁cat." and isinstance(found["answer"], str)
    code, _, error = command("predict", "  ")
    assert code == 2 and "a sentence of at least one word is needed" in error


def test_plot(command, tmp_path):
    picture = tmp_path / "a.svg"
    code, out, _ = command("plot", TEXT, "--out", picture, "--json")
    assert code == 0 and json.loads(out)["ponder"] and "entropy" in picture.read_text()
    code, _, error = command("plot", "--out", picture)
    assert code == 2 and "a sentence" in error


def test_without_the_sentences(command, monkeypatch, tmp_path):
    monkeypatch.setenv(tatoeba.VARIABLE, str(tmp_path))
    code, _, error = command("predict", TEXT)
    assert code == 2 and "Get the English and German sentences of Tatoeba" in error


def test_other_sentences_have_other_subwords(command, monkeypatch, tmp_path):
    """A newer file of Tatoeba's, whose numbers of subwords mean nothing to the network."""
    text = "\n".join([*sentence_pairs.lines(), ""]).replace("Mary", "Zora")
    (tmp_path / tatoeba.FILE).write_text(text, encoding="utf-8")
    monkeypatch.setenv(tatoeba.VARIABLE, str(tmp_path))
    code, _, error = command("predict", TEXT)
    assert code == 2 and "was trained on other symbols than those of tatoeba here" in error


def test_card(run, tmp_path):
    family = families.of(run.recipe)
    metrics = evaluate(run.model, run.recipe, 5)
    metrics |= family.selection_metrics(run, 5) | family.entry_metrics(run, run.model, [], None)
    trained = (0, "tensorflow", run.settings, 2, True, 1.0)
    metrics |= dict(
        zip(("training_seed", "training_backend", "settings", "steps", "finished"), trained)
    )
    metrics["training_seconds"] = 1.0
    runs = [{key: metrics[key] for key in family.run_metrics}]
    card = family.card({**metrics, "runs": runs, "commit": None, "folder": None})
    for said in ("nrefs:var", "BLEU", "Bahdanau", "later parts of words"):
        assert said in card
    family.draw_card(tmp_path, run.model, metrics, run.history)
    assert (tmp_path / "ponder.png").stat().st_size > 5000
    assert headline.cells(headline.headline(run.recipe.to_dict(), metrics))[0].startswith("BLEU")


@pytest.mark.slow
def test_all_numbers_of_the_card_are_measured_again(run):
    metrics, family = evaluate_run(run, 12), families.of(run.recipe)
    figures = family.exact_figures(metrics, run.model, run.folder)
    names = {(figure.what, figure.figure) for figure in figures}
    assert {("test", "bleu"), ("validation", "perplexity"), ("test", "ponder_steps")} <= names
    assert all(figure.published == figure.measured for figure in figures)
    metrics["by_difficulty"][0]["bleu"] += 2.0
    changed = family.exact_figures(metrics, run.model, run.folder)
    assert sum(abs(f.published - f.measured) > f.tolerance for f in changed) == 1
