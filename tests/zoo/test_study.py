"""Studies: which trainings there are, that an interrupted one goes on, and what is drawn."""

import csv
import json
import math
from pathlib import Path

import pytest

from keras_adaptive import zoo
from keras_adaptive.zoo import cli, recipes
from keras_adaptive.zoo.search import study as studies
from keras_adaptive.zoo.search import study_table, variants
from support import quick_trainings

ROOT = Path(__file__).parents[2]
SETTINGS = {"tau": [0.1, 0.001], "fixed": [2], "targets": [3], "seeds": 2}
VARIANTS = ["plain", "fixed-2", "tau-0.1", "tau-0.001", "targets-3"]


@pytest.fixture
def trainer(monkeypatch):
    """Trainings and measurements whose results are known."""

    def measurements_of(self, run):
        tau, seed = run.recipe.stages[-1].time_penalty, run.recipe.seed
        error = round(0.1 * abs(math.log10(tau) + 2) + 0.01 * seed, 3)
        return {
            "time_penalty": tau,
            "error": error,
            "ponder": 3.5,
            "ponder_steps": 3.0,
            "validation_error": error,
            "curve": [[2, 0.5, 4.0], [4, error, 3.0]],
            "difficulty": [[1, 0.0, 2.0], [2, error, 3.0]],
        }

    monkeypatch.setattr(studies.Study, "measurements_of", measurements_of)
    monkeypatch.setattr(studies.Study, "sequences", lambda self: None)
    return quick_trainings.install(monkeypatch.setattr)


@pytest.fixture
def undrawn(monkeypatch):
    """Without the pictures, which other tests look at."""
    monkeypatch.setattr(study_table, "draw", lambda *words: None)


@pytest.mark.slow
@pytest.mark.usefixtures("eager", "few_validated")
def test_a_study_of_a_real_training(small, tmp_path):
    """A training of a few steps, and everything that is written."""
    found = zoo.study(
        "act_logic",
        tmp_path,
        plain=[],
        tau=[0.01],
        fixed=[],
        targets=[],
        seeds=1,
        overrides={**small, "gates": 2, "vectors": 3, "validate_every": 4},
        examples=20,
    )
    (row,) = found["rows"]
    assert row["time_penalty"] == pytest.approx(0.01) and row["ponder_steps"] > 1
    assert [point[0] for point in row["curve"]] == [4, 8, 12]
    assert [difficulty for difficulty, *_ in row["difficulty"]] == [1, 2]
    assert all(len(one["inputs"]) == 3 for one in found["sequences"]["sequences"])
    assert json.loads((tmp_path / "study.json").read_text()) == json.loads(json.dumps(found))
    written = {path.name for path in tmp_path.iterdir() if path.is_file()}
    pictures = {"error.png", "learning.png", "difficulty.png", "sequences.png"}
    assert written == pictures | {"study.json", "study.csv", "study.md"}


def test_every_variant_and_seed_once(trainer, tmp_path):
    found = zoo.study("act_logic", tmp_path, **SETTINGS)
    assert [(row["arm"], row["seed"]) for row in found["rows"]] == [
        (variant, seed) for seed in range(2) for variant in VARIANTS
    ]
    folders = [folder for folder, *_ in trainer.calls]
    assert folders[:2] == ["plain/seed-0", "fixed-2/seed-0"] and len(set(folders)) == 10
    overrides = [overrides for _, overrides, *_ in trainer.calls]
    assert overrides[2:5] == [{"time_penalty": 0.1}, {"time_penalty": 0.001}, {"target_ponder": 3}]
    lines = list(csv.DictReader((tmp_path / "study.csv").open()))
    assert [float(line["error"]) for line in lines] == [row["error"] for row in found["rows"]]
    # Mean 0.105 with a standard error of 0.005.
    assert "| τ = 0.1 | 2 | 10.5% ± 0.5% | 3.00 ± 0.00 | 0.1 |" in (
        (tmp_path / "study.md").read_text()
    )
    assert (tmp_path / "automatic.png").stat().st_size > 1000


@pytest.mark.usefixtures("undrawn")
def test_an_interrupted_study_goes_on(trainer, tmp_path):
    trainer.at[4] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        zoo.study("act_logic", tmp_path, **SETTINGS)
    assert len(json.loads((tmp_path / "study.json").read_text())["rows"]) == 3
    with pytest.raises(FileExistsError):
        zoo.study("act_logic", tmp_path)
    found = zoo.study("act_logic", tmp_path, resume=True)
    folders = [folder for folder, *_ in trainer.calls]
    assert len(found["rows"]) == 10 and len(folders) == 11
    # The interrupted training goes on in its folder.
    assert folders[3] == folders[4] == "tau-0.001/seed-0" and trainer.calls[4][2] > 0
    # More of what there was, and nothing twice.
    zoo.study("act_logic", tmp_path, resume=True, seeds=3, targets=[3, 4])
    assert len(trainer.calls) == 11 + 6 + 2
    zoo.study("act_logic", tmp_path, resume=True, seeds=2)
    assert len(trainer.calls) == 19
    # Earlier values that are not given again are kept.
    found = zoo.study("act_logic", tmp_path, resume=True, tau=[0.1, 0.01], targets=[])
    kept = {name: found["settings"][name] for name in ("tau", "targets", "seeds")}
    assert kept == {"tau": [0.1, 0.001, 0.01], "targets": [3, 4], "seeds": 3}
    assert len(trainer.calls) == 19 + 3 and len(found["rows"]) == 21
    for changed in ({"examples": 5}, {"overrides": {"units": 3}}):
        with pytest.raises(ValueError, match=f"{next(iter(changed))}: .* holds a study with"):
            zoo.study("act_logic", tmp_path, resume=True, **changed)
    with pytest.raises(ValueError, match="holds a study of act_logic, not of act_sort"):
        zoo.study("act_sort", tmp_path, resume=True)


@pytest.mark.usefixtures("undrawn")
def test_a_study_aborted_in_its_first_training_keeps_its_settings(trainer, tmp_path):
    trainer.at[1] = KeyboardInterrupt()
    settings = {**SETTINGS, "overrides": {"learning_rate": 0.5}, "examples": 50}
    with pytest.raises(KeyboardInterrupt):
        zoo.study("act_logic", tmp_path, **settings)
    with pytest.raises(FileExistsError, match="already holds a study"):
        zoo.study("act_logic", tmp_path, **SETTINGS)
    with pytest.raises(ValueError, match=r"overrides: .* holds a study with .* 0\.5"):
        zoo.study("act_logic", tmp_path, resume=True, overrides={"learning_rate": 0.25})
    assert len(trainer.calls) == 1
    found = zoo.study("act_logic", tmp_path, resume=True)
    assert len(found["rows"]) == 10 and found["settings"] == {**studies.DEFAULTS, **settings} | {
        name: list(studies.DEFAULTS[name]) for name in ("plain", "sampled")
    }
    assert all(overrides["learning_rate"] == 0.5 for _, overrides, *_ in trainer.calls)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tau": [-1.0]}, "tau must be a number at least 0 and at most 1000. Received: -1.0"),
        ({"tau": [0.1, 0.1]}, "tau has a value twice"),
        ({"tau": 0.1}, "tau must be a list of numbers. Received: 0.1"),
        ({"fixed": [2.5]}, "fixed must be a whole number from 1"),
        ({"targets": [0.5]}, "targets must be a number at least 1 .* Received: 0.5"),
        ({"seeds": 0}, "seeds must be a whole number from 1 .* Received: 0"),
        ({"lengths": 3}, "unknown setting 'lengths'; a study has tau, plain"),
        ({"tau": [], "plain": [], "fixed": [], "targets": []}, "at least one time penalty"),
    ],
)
def test_what_cannot_be(settings, message, trainer, tmp_path):
    with pytest.raises(ValueError, match=message):
        zoo.study("act_logic", tmp_path, **settings)
    assert not trainer.calls and not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage", [{"settings": []}, {"rows": [{}]}, {"rows": 5}])
def test_a_damaged_study(damage, tmp_path):
    data = {"recipe": "act_logic", "settings": {}, "rows": [], **damage}
    (tmp_path / "study.json").write_text(json.dumps(data))
    with pytest.raises(ValueError, match=r"study.json is damaged"):
        zoo.study("act_logic", tmp_path, resume=True)


def test_a_training_that_diverged_at_once():
    data = {"settings": {**variants.DEFAULTS, "tau": [0.1], "seeds": 1, "fixed": [], "targets": []}}
    row = {"kind": "tau", "value": 0.1, "seed": 0, "error": 1.0, "ponder_steps": 2.0}
    arm = variants.variants_of(recipes.load("act_logic"), data["settings"])[1].name
    data["rows"] = [{**row, "arm": arm, "time_penalty": None}]
    table = study_table.table(data, recipes.load("act_logic"))
    assert table.splitlines()[-1] == "| τ = 0.1 | 1 | 100.0% | 2.00 |  |"


def test_no_halting_rule(tmp_path):
    with pytest.raises(ValueError, match="neural_gpu_copy has no figure of the paper to draw"):
        zoo.study("neural_gpu_copy", tmp_path)


@pytest.mark.usefixtures("undrawn")
def test_command(trainer, tmp_path, capsys):
    words = ["study", "act_parity", "--out", str(tmp_path / "a"), "--seeds", "1"]
    assert cli.main([*words, "--tau", "0.03", "--fixed", "none", "--target", "2,4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = ["no ACT", "τ = 0.03", "N → 2", "N → 4"]
    assert [line.split(" | ")[0] for line in lines[2:]] == [f"| {name}" for name in names]
    assert trainer.calls[1][1] == {"stages.1.time_penalty": 0.03}
    assert cli.main([*words, "--full"]) == 2
    assert "--full gives --seeds: give one of the two" in capsys.readouterr().err


@pytest.mark.usefixtures("undrawn")
def test_the_full_protocol(trainer, tmp_path, monkeypatch):
    """37 time penalties, and trainings without ACT, with 5 steps and with a target; 20 seeds."""
    monkeypatch.setattr(studies.Study, "save", lambda self: None)
    words = ["study", "act_parity", "--out", str(tmp_path), "--full", "--json"]
    assert cli.main(words) == 0
    assert len(trainer.calls) == 40 * 20


def test_targets_are_not_above_the_most_steps(trainer, tmp_path):
    found = zoo.study("pondernet_parity", tmp_path, seeds=1, tau=[0.1])
    assert [row["arm"] for row in found["rows"]] == ["plain", "fixed-5", "tau-0.1"]


def test_variants():
    recipe = recipes.load("act_logic")
    settings = {**studies.DEFAULTS, "tau": [0.1, 1e-4], "sampled": [0.01]}
    found = variants.variants_of(recipe, settings)
    labels = [variant.label for variant in found]
    assert labels[:4] == ["no ACT", "5 steps", "τ = 0.1", "τ = 0.0001"]
    assert labels[4:] == ["sampled, τ = 0.01", "N → 5"]
    changed = recipe.with_overrides(found[4].overrides)
    assert changed.hyperparameters["halting"] == "sampled"
    assert changed.stages[0].time_penalty == 0.01


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "studies").glob("*/study.json")))
def test_the_studies_of_the_documentation(path):
    """Its tables are what the data say, and its pictures lie beside them."""
    data = json.loads(path.read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
    assert study_table.table(data, recipes.load(data["recipe"])) in page
    for picture in ("error.png", "learning.png", "difficulty.png", "automatic.png"):
        assert f"studies/{path.parent.name}/{picture}" in page and (path.parent / picture).exists()
