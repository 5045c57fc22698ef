"""Training goes on where it was, and loses nothing when it cannot."""

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from keras import tree

from keras_adaptive import checkpoints, curriculum
from keras_adaptive.checkpoints import archive
from keras_adaptive.zoo import cli, families, recipes
from keras_adaptive.zoo.training import checkpoint
from keras_adaptive.zoo.training import train as training
from keras_adaptive.zoo.training.batches import drawn
from keras_adaptive.zoo.training.run import restore, resume_position, start
from keras_adaptive.zoo.training.train import train

# All but one test are about what is kept and taken up again, not about what TensorFlow compiles.
pytestmark = pytest.mark.usefixtures("eager")
few = pytest.mark.usefixtures("few_validated")
ROOT = Path(__file__).parents[2]
# Killed in the middle of the chunk that would end at step 16, after the change of stages.
KILLED = """
import os, signal, sys, json
from keras_adaptive.zoo.training import train as training

class Killed(training.RequireFinite):
    def on_train_batch_end(self, batch, logs=None):
        if self._began == 14:
            os.kill(os.getpid(), signal.SIGKILL)
        super().on_train_batch_end(batch, logs)

training.RequireFinite = Killed
training.train("act_parity", sys.argv[1], checkpoint_seconds=0, overrides=json.loads(sys.argv[2]))
"""
# All in one process, whose training ends after the checkpoint of step 14.
ON_JAX = """
import sys, json
sys.modules["tensorflow"] = None
from keras_adaptive.zoo.training import train as training

class Ended(training.RequireFinite):
    def on_train_batch_end(self, batch, logs=None):
        if self._began == 14:
            raise OSError
        super().on_train_batch_end(batch, logs)

killed, whole, overrides = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
usual, training.RequireFinite = training.RequireFinite, Ended
try:
    training.train("act_parity", killed, checkpoint_seconds=0, overrides=overrides)
except OSError:
    training.RequireFinite = usual
assert training.train("act_parity", killed, resume=True).source is not None
training.train("act_parity", whole, overrides=overrides)
"""


@pytest.fixture(scope="module")
def parity(small):
    """Settings of a small training of parity, with a curriculum in its first stage."""
    return {**small, "bits": 4, "steps": 12}


def python(script, *arguments, backend):
    """Run a script in a process of its own."""
    environment = {**os.environ, "KERAS_BACKEND": backend, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)


def assert_same(one, other):
    """Two checkpoints agree in everything but the time they took."""
    with np.load(one / checkpoint.NAME) as a, np.load(other / checkpoint.NAME) as b:
        variables = [name for name in a.files if name != "state"]
        assert len(variables) == len(b.files) - 1
        kept = {archive.identity(name): b[name] for name in b.files}
        for name in variables:
            np.testing.assert_array_equal(a[name], kept[archive.identity(name)], err_msg=name)
    states = [checkpoint.load(folder / checkpoint.NAME).state for folder in (one, other)]
    for state in states:
        state["position"].pop("seconds")
        for row in state["history"]:
            row.pop("seconds")
    assert states[0]["position"] == states[1]["position"]
    assert states[0]["history"] == states[1]["history"]


# In a graph of TensorFlow; that on JAX is in the suite, as is the graph of `fit` alone, which
# tests/test_checkpoints.py interrupts.
@pytest.mark.slow
def test_killed_and_resumed_equals_uninterrupted(parity, tmp_path, traced):
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    process = python(KILLED, killed, json.dumps(parity), backend="tensorflow")
    assert process.returncode == -signal.SIGKILL, process.stderr
    assert checkpoint.load(killed / checkpoint.NAME).state["position"]["step"] == 14
    train("act_parity", killed, resume=True)
    train("act_parity", whole, overrides=parity)
    assert_same(killed, whole)


def test_resumed_equals_uninterrupted_on_jax(parity, tmp_path):
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    process = python(ON_JAX, killed, whole, json.dumps(parity), backend="jax")
    assert process.returncode == 0, process.stderr
    assert "resuming from step 14: " in process.stderr
    assert_same(killed, whole)


@few
def test_what_is_kept_is_a_training(parity, tmp_path):
    run = train("act_parity", tmp_path / "run", overrides=parity, keep_every=10)
    kept = sorted(path.name for path in run.folder.iterdir() if path.is_dir())
    chunks = [row["step"] for row in run.history]
    firsts = {next(step for step in chunks if step >= end) for end in range(10, chunks[-1] + 1, 10)}
    assert kept == sorted(f"step-{step}" for step in firsts) and len(kept) > 1
    early = run.folder / f"step-{min(firsts)}"
    assert restore(early).position.step == min(firsts)
    train("act_parity", early, resume=True)
    assert_same(early, run.folder)


@pytest.mark.parametrize("steps", [0, 2.5])
def test_kept_too_often(steps, tmp_path):
    with pytest.raises(ValueError, match=rf"keep_every must be .* Received: {steps}"):
        train("act_parity", tmp_path / "out", keep_every=steps)
    assert not (tmp_path / "out").exists()


def test_history_has_a_row_for_each_chunk(run):
    lines = (run.folder / "history.csv").read_text().splitlines()
    assert lines[0].startswith("step,stage,seconds,level,learning_rate,time_penalty,loss")
    assert len(lines) == 1 + len(run.history)
    assert run.history[-1]["step"] == run.position.step == run.recipe.steps
    assert "validation_error" in run.history[-1]


def test_restored_run_has_its_settings(run):
    again = restore(run.folder)
    assert again.recipe == run.recipe
    for ours, theirs in zip(again.model.get_weights(), run.model.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_resume_without_checkpoint(tmp_path):
    with pytest.raises(FileNotFoundError, match="no checkpoint to resume from"):
        train("act_parity", tmp_path / "nothing", resume=True)


@few
def test_a_damaged_checkpoint_gives_way_to_the_one_before(run, tmp_path, capsys):
    whole = shutil.copytree(run.folder, tmp_path / "run") / checkpoint.NAME
    earlier = checkpoint.load(whole.with_name(checkpoint.PREVIOUS)).state["position"]["step"]
    content = whole.read_bytes()
    whole.write_bytes(content[:-100])
    words = ["train", "act_addition", "--out", str(whole.parent), "--resume", "--examples=10"]
    assert cli.main(words) == 0
    said = capsys.readouterr().err
    assert 0 < earlier < run.position.step
    assert f"the checkpoint {whole} is damaged: " in said and "taking the one before" in said
    assert f"resuming from step {earlier}: {whole.with_name(checkpoint.PREVIOUS)}" in said
    assert_same(whole.parent, run.folder)
    assert whole.with_name("checkpoint.npz.damaged").read_bytes() == content[:-100]


def test_a_training_is_not_overwritten(run):
    with pytest.raises(FileExistsError, match="already holds a training"):
        train("act_addition", run.folder)


def test_resume_of_another_recipe(run):
    with pytest.raises(ValueError, match="of act_addition, not of act_logic"):
        train("act_logic", run.folder, resume=True)


def test_a_finished_training_has_no_other_settings(run):
    before = (run.folder / checkpoint.NAME).read_bytes()
    for changed in ({"overrides": {"max_ponder": 7}}, {"seed": 9}):
        with pytest.raises(ValueError, match="is finished, and nothing is left to train"):
            train("act_addition", run.folder, resume=True, **changed)
    with pytest.raises(ValueError, match=r"does not fit.*trained with other settings"):
        train("act_addition", run.folder, resume=True, overrides={"units": 9})
    assert train("act_addition", run.folder, resume=True).settings == run.settings
    assert (run.folder / checkpoint.NAME).read_bytes() == before


def test_a_finished_training_of_a_recipe_as_it_is_can_be_resumed(trained, small, tmp_path):
    recipe = recipes.load("act_addition").with_overrides({**small, "steps": 2, "digits": 2})
    first = trained(recipe, tmp_path / "run")
    assert train(recipe, tmp_path / "run", resume=True).settings == first.settings


def test_of_two_names_of_a_setting_the_one_given_last_holds(run):
    overrides = run.settings["overrides"]
    assert "steps" in overrides
    last = {"overrides": {"stages.0.steps": 100}}
    assert restore(run.folder, last).recipe.stages[0].steps == 100
    again = {"overrides": {"steps": 50}}
    assert restore(run.folder, again).recipe.stages[0].steps == 50


def test_another_network_is_refused(run):
    with pytest.raises(ValueError, match="does not fit"):
        restore(run.folder, {"overrides": {"units": 9}})


def test_unknown_recipe_writes_nothing(tmp_path):
    with pytest.raises(ValueError, match="act_paritee"):
        train("act_paritee", tmp_path / "out")


@few
def test_loss_that_is_not_finite_keeps_the_checkpoint(parity, tmp_path, monkeypatch):
    def poisoned(self, index, original=curriculum.Batches.__getitem__):
        inputs, targets, weights = original(self, index)
        return (inputs * np.float32("nan") if self.start >= 4 else inputs), targets, weights

    monkeypatch.setattr(curriculum.Batches, "__getitem__", poisoned)
    with pytest.raises(FloatingPointError, match=r"step.* to 6; the last good checkpoint"):
        train("act_parity", tmp_path, overrides=parity, checkpoint_seconds=0)
    monkeypatch.undo()
    kept = restore(tmp_path)
    assert kept.position.step == 4
    assert all(np.isfinite(weights).all() for weights in kept.model.get_weights())


@few
@pytest.mark.parametrize(
    ("kind", "step"), [pytest.param("optimizer", 4, marks=pytest.mark.slow), ("model", 8)]
)
def test_what_is_saved_is_finite(kind, step, parity, tmp_path, monkeypatch, capsys):
    """Also after the last step, whose loss was finite."""
    end, spoilt = training.RequireFinite.on_epoch_end, []

    def spoil(self, epoch, logs=None):
        if self.step == step:
            of_kind = [
                (name, variable)
                for name, variable in archive.variables(self.model).items()
                if name.startswith(kind) and len(variable.shape) == 2
            ]
            name, variable = of_kind[-1]
            value = np.array(variable)
            value[-1, -1] = np.inf
            variable.assign(value)
            spoilt.append(name.split("/", 2)[2])
        end(self, epoch, logs)

    monkeypatch.setattr(training.RequireFinite, "on_epoch_end", spoil)
    words = [f"--set={name}={value}" for name, value in {**parity, "steps": 4}.items()]
    assert cli.main(["train", "act_parity", "--out", str(tmp_path / "run"), *words]) == 2
    said = capsys.readouterr().err
    assert f"the variable {spoilt[0]} is not finite at a step from {step - 1} to {step}" in said
    monkeypatch.undo()
    kept = restore(tmp_path / "run")
    assert kept.position.step < step and checkpoints.not_finite(kept.model) is None
    assert f"the last good checkpoint is kept, of step {kept.position.step}:" in said
    assert train("act_parity", tmp_path / "run", resume=True).position.done


def test_first_weights_are_finite(run, tmp_path, monkeypatch):
    def start(*_):
        weights = run.model.trainable_variables[0]
        monkeypatch.setattr(weights, "_value", weights.value * np.float32("nan"))
        return run

    monkeypatch.setattr(training, "start", start)
    with pytest.raises(ValueError, match=r"first value of the variable .*kernel is not finite"):
        train("act_parity", tmp_path / "run")
    assert not (tmp_path / "run").exists()


@few
@pytest.mark.parametrize(
    ("number", "error"),
    [
        pytest.param(signal.SIGINT, KeyboardInterrupt, marks=pytest.mark.slow),
        (signal.SIGTERM, checkpoints.Terminated),
    ],
)
def test_a_signal_saves_and_can_be_resumed(number, error, parity, tmp_path, monkeypatch):
    """One more while the state is saved does no harm."""
    begin, save = training.Conductor.begin_chunk, archive.write_file

    def interrupted(self, epoch, logs=None):
        begin(self, epoch, logs)
        if self.run.position.step == 6:
            os.kill(os.getpid(), number)

    def interrupted_again(*arguments, **kept):
        if signal.getsignal(number) is not before:
            os.kill(os.getpid(), number)
        save(*arguments, **kept)

    before = signal.getsignal(number)
    monkeypatch.setattr(training.Conductor, "begin_chunk", interrupted)
    monkeypatch.setattr(archive, "write_file", interrupted_again)
    with pytest.raises(error, match="after 8 steps; the state is saved") as caught:
        train("act_parity", tmp_path, overrides=parity, checkpoint_seconds=1000)
    assert type(caught.value) is error and signal.getsignal(number) is before
    monkeypatch.undo()
    assert restore(tmp_path).position.step == 8
    assert train("act_parity", tmp_path, resume=True).position.done


@few
def test_full_disk_keeps_the_old_checkpoint(parity, tmp_path, monkeypatch):
    write = archive.write_file

    def full(path, content, **kept):
        if Path(path).name == checkpoint.NAME and Path(path).exists():
            monkeypatch.setattr(os, "fsync", no_space)
        write(path, content, **kept)

    def no_space(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive, "write_file", full)
    with pytest.raises(OSError, match="No space left"):
        train("act_parity", tmp_path, overrides=parity, checkpoint_seconds=0)
    assert checkpoint.load(tmp_path / checkpoint.NAME).state["position"]["step"] == 0


@few
def test_curriculum_moves_when_the_error_is_low(parity, tmp_path, monkeypatch):
    advance = training.Conductor.advance

    def no_error(self, row):
        advance(self, {**row, "sequence_error": 0.0})

    monkeypatch.setattr(training.Conductor, "advance", no_error)
    done = train("act_parity", tmp_path, overrides=parity)
    assert [row["level"] for row in done.history if "level" in row] == [2, 3]
    assert done.position.step < done.recipe.steps


def test_a_finished_training_goes_on_when_there_is_more_to_do(run):
    position = dataclasses.replace(run.position)
    twin = dataclasses.replace(run, position=position)
    resume_position(twin)
    assert position.done
    last = dataclasses.replace(run.stage, steps=run.stage.steps + run.stage.chunk)
    stages = run.recipe.stages
    twin.recipe = run.recipe.replace(stages=(*stages[:-1], last))
    resume_position(twin)
    assert not position.done and position.stage_step == run.stage.steps
    position.done = True
    twin.recipe = run.recipe.replace(stages=(*stages, last))
    resume_position(twin)
    assert not position.done and position.stage == len(stages)


def test_a_training_past_the_end_of_its_stage_goes_on_with_the_next(run):
    """The stage may have been made shorter since."""
    stages = (run.stage, run.stage)
    steps = run.stage.chunks * run.stage.chunk
    position = dataclasses.replace(run.position, done=False, stage=0, stage_step=steps, level=2)
    twin = dataclasses.replace(run, position=position, recipe=run.recipe.replace(stages=stages))
    resume_position(twin)
    assert (position.stage, position.stage_step, position.level) == (1, 0, None)
    assert not position.done
    resume_position(twin)
    assert position.stage == 1
    position.stage_step = steps
    resume_position(twin)
    assert position.done and position.stage == 1


@pytest.mark.parametrize(
    "name",
    [
        "act_addition",
        "act_logic",
        "act_sort",
        "ham_sort",
        "hull_pointer",
        "neural_gpu_addition",
        "pondernet_parity",
        "recall_prefix_sums",
        "sact_digits",
    ],
)
def test_answers_are_in_float32_where_the_rest_is_in_bfloat16(name, tmp_path):
    """In bfloat16, probabilities above 0.998 are 1, and their gradients 0."""
    recipe = recipes.load(name).configured(overrides={"batch_size": 2})
    run = start(recipe, tmp_path, {}, precision="mixed_bfloat16")
    stage = recipe.stages[0]
    level = stage.curriculum.start if stage.curriculum else None
    parameters = recipe.parameters_at(stage, level, 0)
    batch = drawn(recipe, 0, 0, parameters, recipe.batch_size)
    inputs, _ = families.of(recipe).training_batch(batch, parameters)[:2]
    outputs = run.model(inputs)
    assert {str(x.dtype.name) for x in tree.flatten(outputs)} == {"float32"}
