"""Searches over settings: what is tried, what is kept, and that a killed search goes on."""

import csv
import json
import math
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest

from keras_adaptive import zoo
from keras_adaptive.zoo import cli, recipes
from keras_adaptive.zoo.search import rows as trials
from keras_adaptive.zoo.search import space
from keras_adaptive.zoo.training import checkpoint
from keras_adaptive.zoo.training import train as training
from support import quick_trainings

ROOT = Path(__file__).parents[2]
GRID = {"tau": [1e-3, 1e-2, 1e-1], "halting_bias": [-1, 1]}
# Killed in the training of the second trial.
KILLED = """
import json, os, signal, sys
import tensorflow as tf
from keras_adaptive import zoo
from keras_adaptive.zoo.search import trainings
from keras_adaptive.zoo.training import train as training

tf.config.run_functions_eagerly(True)

class Killed(training.Conductor):
    def begin_chunk(self, epoch, logs=None):
        super().begin_chunk(epoch, logs)
        if self.run.folder.parent.name == "trial_0001" and self.run.position.step == 2:
            os.kill(os.getpid(), signal.SIGKILL)

training.Conductor = Killed
train = trainings.train
trainings.train = lambda *words, **named: train(*words, checkpoint_seconds=0, **named)
zoo.tuner("act_sort_narrow", sys.argv[1], over={"tau": [1e-3, 1e-2]}, method="grid",
          examples=10, overrides=json.loads(sys.argv[2])).search()
"""


@pytest.fixture
def trainer(monkeypatch):
    return quick_trainings.install(monkeypatch.setattr)


def tried(tuner):
    return [tuple(row["overrides"].values()) for row in tuner.rows()]


def test_every_trial_and_seed_is_kept(trainer, tmp_path):
    tuner = zoo.tuner(
        "act_logic",
        tmp_path,
        over={"tau": "1e-4:1e-1"},
        trials=4,
        seeds=3,
        objective={"error": 1, "ponder": 0.01},
    )
    tuner.search()
    rows = json.loads((tmp_path / "trials.json").read_text())
    assert rows == tuner.rows() and len(rows) == 12
    assert [(row["trial"], row["seed"]) for row in rows[:4]] == [
        ("0", 0),
        ("0", 1),
        ("0", 2),
        ("1", 0),
    ]
    for row in rows:
        assert 1e-4 <= row["overrides"]["time_penalty"] <= 1e-1
        expected = row["validation_error"] + 0.01 * row["validation_ponder"]
        assert row["objective"] == pytest.approx(expected)
        assert row["steps"] == recipes.load("act_logic").steps
    lines = list(csv.DictReader((tmp_path / "trials.csv").open()))
    assert list(lines[0])[:4] == ["trial", "seed", "time_penalty", "objective"]
    assert [float(line["validation_ponder"]) for line in lines] == [
        row["validation_ponder"] for row in rows
    ]
    # KerasTuner knows the means over the seeds.
    ranked = trials.ranking(rows, seeds=3)
    best = tuner.oracle.get_best_trials()[0]
    assert best.trial_id == ranked[0]["trial"]
    assert best.score == pytest.approx(ranked[0]["objective"])
    assert best.metrics.get_best_value("validation_error") == ranked[0]["validation_error"]
    value = tuner.get_best_hyperparameters()[0].get("time_penalty")
    assert value == pytest.approx(ranked[0]["overrides"]["time_penalty"], rel=1e-5)


def test_a_grid_has_every_combination_once(trainer, tmp_path):
    tuner = zoo.tuner("act_logic", tmp_path, over=GRID, method="grid")
    tuner.search()
    assert sorted(tried(tuner)) == sorted((t, b) for t in GRID["tau"] for b in GRID["halting_bias"])
    assert tuner.plan.trials == 6


def test_what_a_recipe_declares_is_the_default(trainer, tmp_path):
    tuner = zoo.tuner("act_parity", tmp_path, method="grid", trials=5)
    tuner.search()
    assert tried(tuner) == [(1e-4,), (2e-4,), (3e-4,), (4e-4,), (5e-4,)]
    assert "stages.1.time_penalty" in tuner.rows()[0]["overrides"]


@pytest.mark.parametrize(
    ("method", "stop"),
    [
        *((method, stop) for method in space.METHODS for stop in (1, 2, 5) if method != "bayesian"),
        ("bayesian", 2),
        *(pytest.param("bayesian", stop, marks=pytest.mark.slow) for stop in (1, 5)),
    ],
)
def test_an_interrupted_search_goes_on(method, stop, trainer, tmp_path):
    """Stopped before, at, and after the end of the first trial, which has two seeds."""
    options = {"over": {"tau": "1e-4:1e-1"}, "method": method, "trials": 4, "seeds": 2}
    whole = zoo.tuner("act_logic", tmp_path / "whole", **options)
    whole.search()
    trainer.calls.clear()
    trainer.at[stop] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        zoo.tuner("act_logic", tmp_path / "stopped", **options).search()
    assert len(trials.rows(tmp_path / "stopped")) == stop - 1
    stopped = zoo.tuner("act_logic", tmp_path / "stopped", resume=True)
    stopped.search()
    folders = [folder for folder, *_ in trainer.calls]
    # The interrupted training goes on in its folder; no other is trained twice.
    assert folders.count(folders[stop - 1]) == 2 and len(folders) == 9
    assert len(set(folders)) == 8
    assert tried(stopped) == tried(whole)


def test_a_search_can_be_made_longer(trainer, tmp_path):
    zoo.tuner("act_logic", tmp_path, over=GRID, method="grid", trials=2).search()
    tuner = zoo.tuner("act_logic", tmp_path, trials=20, resume=True)
    tuner.search()
    assert len(set(tried(tuner))) == len(trainer.calls) == 6
    with pytest.raises(ValueError, match="a search of 20, which can be made longer"):
        zoo.tuner("act_logic", tmp_path, trials=2, resume=True)


def test_a_whole_grid_cannot_be_made_shorter(trainer, tmp_path):
    zoo.tuner("act_logic", tmp_path, over=GRID, method="grid").search()
    with pytest.raises(ValueError, match="holds a search of all trials"):
        zoo.tuner("act_logic", tmp_path, trials=2, resume=True)


def test_a_range_of_numbers_is_not_one_of_integers():
    recipe = recipes.load("act_logic")
    assert space.space_of(recipe, {"tau": "0:1"})["time_penalty"] == space.Range(0.0, 1.0)
    assert not space.space_of(recipe, {"tau": "0:1"})["time_penalty"].is_integer
    assert space.space_of(recipe, {"units": "8:16"})["units"].is_integer


def test_folders_of_other_kinds(tmp_path, capsys):
    (tmp_path / "search.json").write_text("{}")
    for command in ("train", "study"):
        assert cli.main([command, "act_parity", "--out", str(tmp_path)]) == 2
        assert "already holds a search" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["search.json"]


@pytest.mark.slow
@pytest.mark.usefixtures("eager", "few_validated")
def test_killed_and_resumed(small, tmp_path):
    overrides = {**small, "steps": 4, "numbers": 3}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", KILLED, str(tmp_path), json.dumps(overrides)]
    process = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert process.returncode == -signal.SIGKILL, process.stderr
    assert [row["trial"] for row in trials.rows(tmp_path)] == ["0000"]
    first = (tmp_path / "trial_0000/seed-0" / checkpoint.NAME).stat().st_mtime_ns
    killed = checkpoint.load(tmp_path / "trial_0001/seed-0" / checkpoint.NAME)
    assert killed.state["position"]["step"] == 2
    tuner = zoo.tuner("act_sort_narrow", tmp_path, resume=True)
    tuner.search()
    assert [row["steps"] for row in tuner.rows()] == [4, 4]
    assert tried(tuner) == [(1e-3,), (1e-2,)]
    assert (tmp_path / "trial_0000/seed-0" / checkpoint.NAME).stat().st_mtime_ns == first
    assert isinstance(tuner.get_best_models()[0], keras.Model)


def test_hyperband_goes_on_with_the_best(trainer, tmp_path):
    tuner = zoo.tuner("act_logic", tmp_path, over={"tau": "1e-4:1e-1"}, method="hyperband")
    tuner.search()
    steps = recipes.load("act_logic").steps
    ninth, third = math.ceil(steps / 9), math.ceil(steps / 3)
    stretches = [(before, after) for *_, before, after in trainer.calls]
    assert stretches[:13] == [(0, ninth)] * 9 + [(ninth, third)] * 3 + [(third, steps)]
    rows = tuner.rows()
    best = sorted(rows[:9], key=lambda row: row["objective"])[:3]
    promoted = [row["overrides"] for row in rows[9:12]]
    assert promoted == [row["overrides"] for row in best]
    assert rows[12]["overrides"] == best[0]["overrides"] and rows[12]["share"] == 1
    # A trial that stopped early is not the best, however small its error.
    whole = {row["trial"] for row in rows if row["share"] == 1}
    ranked = trials.ranking([{**row, "objective": row["share"]} for row in rows], 1)
    assert ranked[0]["trial"] in whole


@pytest.mark.usefixtures("eager", "few_validated")
def test_training_until_a_step(small, tmp_path):
    overrides = {**small, "steps": 6, "numbers": 3}
    run = training.train("act_sort_narrow", tmp_path, overrides=overrides, until_step=3)
    assert run.position.step == 4 and not run.position.done
    assert checkpoint.load(tmp_path / checkpoint.NAME).state["position"]["step"] == 4
    assert training.train("act_sort_narrow", tmp_path, resume=True).position.step == 6


def test_bayesian_search_repeats_no_training(trainer, tmp_path):
    tuner = zoo.tuner(
        "act_logic", tmp_path, over={"tau": [1e-3, 1e-2, 0.1]}, method="bayesian", trials=6
    )
    tuner.search()
    assert len(trainer.calls) == len(set(tried(tuner))) <= 3
    folders = {folder for folder, *_ in trainer.calls}
    assert {row["trained_in"] for row in tuner.rows()} == folders


def test_a_loss_that_is_not_finite_is_the_worst_result(trainer, tmp_path):
    trainer.at[2] = FloatingPointError("the loss is not finite")
    tuner = zoo.tuner(
        "act_logic", tmp_path, over=GRID, method="grid", trials=3, objective="error=1,ponder=0.1"
    )
    tuner.search()
    rows = tuner.rows()
    assert [row["diverged"] for row in rows] == [False, True, False]
    most = recipes.load("act_logic").hyperparameters["max_ponder"]
    assert rows[1]["objective"] == pytest.approx(1 + 0.1 * most)
    assert "validation_error" not in rows[1]
    assert trials.ranking(rows, 1)[-1]["diverged"] == 1


def test_an_error_stops_the_search_and_is_tried_again(trainer, tmp_path):
    trainer.at[2] = OSError(28, "No space left on device")
    tuner = zoo.tuner("act_logic", tmp_path, over=GRID, method="grid", trials=3)
    with pytest.raises(OSError, match="No space left"):
        tuner.search()
    assert len(tuner.rows()) == 1
    tuner = zoo.tuner("act_logic", tmp_path, resume=True)
    tuner.search()
    assert [folder for folder, *_ in trainer.calls] == [
        "trial_0/seed-0",
        "trial_1/seed-0",
        "trial_1/seed-0",
        "trial_2/seed-0",
    ]


def test_values_of_other_kinds_than_numbers(trainer, tmp_path):
    over = {"target_ponder": [None, 3.0], "schedule": ["constant", "cosine"], "units": "16:18"}
    tuner = zoo.tuner("act_logic", tmp_path, over=over, trials=4)
    tuner.search()
    for bound, schedule, units in tried(tuner):
        assert bound in (None, 3.0) and schedule in ("constant", "cosine")
        assert units in (16, 17, 18) and type(units) is int


def test_numbers_of_a_worker_are_those_of_the_list():
    from keras_adaptive.zoo.search.keras_tuner import overrides_of

    values = {"tau": float(np.float32(3e-4)), "dropout": float(np.float32(0.1)), "maps": 8}
    tried = {"tau": (3e-4, 4e-4), "dropout": space.Range(0.0, 0.2), "maps": (8, 16)}
    assert overrides_of(values, tried) == {"tau": 3e-4, "dropout": 0.1, "maps": 8}


def test_grids_of_the_papers():
    assert len(space.TIME_PENALTIES) == 37
    assert (min(space.TIME_PENALTIES), max(space.TIME_PENALTIES)) == (1e-4, 1.0)
    paper = recipes.load("neural_gpu_addition_paper")
    assert math.prod(map(len, space.space_of(paper).values())) == 729


@pytest.mark.parametrize("name", recipes.names())
def test_declared_values_can_be_set(name):
    recipe = recipes.load(name)
    for setting, values in recipe.search.items():
        for value in values:
            assert recipe.with_overrides({setting: value}) is not None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "simplex"}, "method must be one of"),
        ({"over": {"unit": [1]}}, "unknown setting 'unit'"),
        ({"over": {"units": None}}, "no value of units"),
        ({"over": {"units": []}}, "no value of units"),
        ({"over": {"units": "8:16"}, "method": "grid"}, "no value of units"),
        ({"over": {"tau": [1e-3, 1e-3]}}, "twice"),
        ({"over": {"tau": [1e-3], "time_penalty": [1e-2]}}, "time_penalty twice"),
        ({"over": {"tau": "1e-1:1e-4"}}, "low < high"),
        ({"over": {"tau": "a:b"}}, "two numbers"),
        ({"over": {"tau": "-1:1"}}, "time_penalty must be a number at least 0"),
        ({"over": {"tau": ["much"]}}, "time_penalty='much'"),
        ({"over": ["tau"]}, "over must map"),
        ({"trials": 0}, "trials must be a whole number from 1"),
        ({"seeds": 1.5}, "seeds must be"),
        ({"examples": -1}, "examples must be"),
        ({"seed": -1}, "seed must be"),
        ({"objective": "loss"}, "objective must be made of error, .*ponder"),
        ({"objective": "error=much"}, "the weight of error .* above 0"),
        ({"trail": 3}, "unknown setting 'trail'"),
        ({"variant": "lstm"}, "variant must be"),
        ({"overrides": {"unit": 3}}, "unknown setting 'unit'"),
        ({"overrides": 5}, "overrides must be a mapping"),
        ({"over": {"tau": 5}}, "must have a list of values"),
        ({"objective": 5}, "objective must be a name or a mapping"),
    ],
)
def test_bad_input_writes_nothing(arguments, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        zoo.tuner("act_logic", tmp_path / "search", **arguments)
    assert not (tmp_path / "search").exists()


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("act_logik", {}, "act_logic"),
        (5, {}, "no recipe 5"),
        ("neural_gpu_copy", {}, "declares nothing to search"),
        ("neural_gpu_copy", {"over": {"tau": "1e-4:1e-1"}}, "its steps cost nothing"),
        ("neural_gpu_addition_paper", {"objective": "ponder"}, "has no ponder"),
    ],
)
def test_searches_that_a_recipe_cannot_have(name, arguments, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        zoo.tuner(name, tmp_path / "search", **arguments)


def test_what_a_family_does_not_measure_is_said_before_a_training(tmp_path):
    with pytest.raises(ValueError, match="act_logic has no longer_error; it has error, ponder"):
        zoo.tuner("act_logic", tmp_path / "search", trials=1, objective="longer_error")
    assert list(tmp_path.iterdir()) == []


def test_a_search_is_not_overwritten_or_changed(trainer, tmp_path):
    zoo.tuner("act_logic", tmp_path, over=GRID, method="grid", trials=1).search()
    with pytest.raises(FileExistsError, match="already holds a search"):
        zoo.tuner("act_logic", tmp_path, over=GRID)
    for change in ({"seeds": 2}, {"objective": "ponder"}, {"method": "random"}):
        with pytest.raises(ValueError, match=f"{next(iter(change))}: .* holds a search"):
            zoo.tuner("act_logic", tmp_path, resume=True, **change)
    with pytest.raises(ValueError, match=r"^over .--over and --tau.: .* holds a search over"):
        zoo.tuner("act_logic", tmp_path, resume=True, over={"tau": [1.0]})
    with pytest.raises(ValueError, match="recipe: "):
        zoo.tuner("act_sort_narrow", tmp_path, resume=True)
    assert zoo.tuner("act_logic", tmp_path, over=GRID, method="grid", resume=True).rows()


def test_command(trainer, tmp_path, capsys):
    words = ["tune", "act_logic", "--out", str(tmp_path), "--json"]
    given = ["--tau", "1e-4:1e-1", "--trials", "3", "--seeds", "2", "--over", "halting_bias=-1,1"]
    trainer.at[4] = KeyboardInterrupt()
    assert cli.main([*words, *given]) == 130
    again = shlex.join(["keras-adaptive", *words, *given, "--resume"])
    assert f"resume with: {again}\n" in capsys.readouterr().err
    assert cli.main([*words, "--resume"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert len(found["trials"]) == 3 and found["seeds"] == 2
    assert found["best"] == found["trials"][0]
    assert set(found["best"]["overrides"]) == {"time_penalty", "halting_bias"}
    assert "trial 3 of 3, seed 2 of 2: time_penalty=" in err
    assert len(trainer.calls) == 7
    assert cli.main([*words[:-1], "--resume"]) == 0
    assert str(tmp_path / "trials.csv") in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.parametrize(
    "words",
    [
        ["act_logic", "--objective", "loss"],
        ["act_logik"],
        ["act_logic", "--trials", "0"],
        ["act_logic", "--over", "unit=1,2"],
    ],
)
def test_command_refuses(words, tmp_path, capsys):
    assert cli.main(["tune", *words, "--out", str(tmp_path / "search")]) == 2
    out, err = capsys.readouterr()
    assert not out and err.startswith("keras-adaptive: error: ") and err.count("\n") == 1


@pytest.mark.parametrize("words", [["--tau", "1:"], ["--over", "units=,"], ["--method", "x"]])
def test_command_line_refuses(words, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(["tune", "act_logic", *words])
    assert words[0] in capsys.readouterr().err
