"""The command in a process of its own, which is told to end, or killed."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from keras_adaptive import checkpoints
from keras_adaptive.zoo import cli
from keras_adaptive.zoo.training import checkpoint
from keras_adaptive.zoo.training.train import train

TRAIN = """
import json, sys
from keras_adaptive import checkpoints
from keras_adaptive.zoo.training.train import train

out, overrides = sys.argv[1], json.loads(sys.argv[2])
resume = checkpoints.exists(out)
train("act_sort_narrow", out, resume=resume, checkpoint_seconds=0, overrides=overrides)
"""
CLI = [sys.executable, "-m", "keras_adaptive.zoo.cli"]


@pytest.fixture
def begin(small):
    """Starts a command with a small training on JAX, which starts faster."""
    processes = []

    def start(name, *words, steps=10_000_000, **settings):
        settings = {**small, "steps": steps, **settings}
        changed = [f"--set={key}={value}" for key, value in settings.items()]
        words = [*words, *(changed if name in ("train", "tune", "study") else [])]
        return run(name, *words)

    def run(*words):
        return process(*CLI, *words)

    def process(*words):
        process = subprocess.Popen(
            [*map(str, words)],
            env={**os.environ, "KERAS_BACKEND": "jax"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        return process

    start.run, start.process = run, process
    yield start
    for process in processes:
        process.kill()
        process.communicate()


def wait_for(found, process):
    """Wait until `found()` is true while a process runs."""
    end = time.monotonic() + 300
    while not found():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.05)


def steps_in(folder):
    """The step of the last checkpoint, 0 if there is none."""
    return checkpoint.latest(folder).state["position"]["step"] if checkpoints.exists(folder) else 0


def again(err):
    """The words of the command that goes on."""
    return shlex.split(err.splitlines()[-1].removeprefix("resume with: keras-adaptive "))


def test_a_training_is_told_to_end(begin, tmp_path, capsys):
    out = tmp_path / "my runs"
    given = ["act_parity", "--out", str(out), "--backend", "jax", "--json", "--examples", "20"]
    process = begin("train", *given)
    wait_for((out / "history.csv").exists, process)
    assert cli.main(["train", "act_parity", "--out", str(out), "--resume"]) == 2
    assert f"{out} is in use by process {process.pid} " in capsys.readouterr().err
    process.send_signal(signal.SIGTERM)
    answer, err = process.communicate(timeout=300)
    assert process.returncode == 143 and answer == ""
    assert f"stopped after {steps_in(out)} steps; the state is saved" in err
    words = again(err)
    assert words[:9] == ["train", *given] and words[-1] == "--resume"
    assert not [path for path in out.iterdir() if path.name.startswith(".")]


@pytest.mark.slow
def test_killed_again_and_again_equals_uninterrupted(small, begin, tmp_path):
    """Most of the time such a training is saving."""
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    rng = np.random.default_rng(0)
    settings = json.dumps({**small, "numbers": 3, "steps": 3000, "validate_every": 10_000})
    kills = 0
    while kills < 20:
        process = begin.process(sys.executable, "-c", TRAIN, killed, settings)
        before = steps_in(killed)
        wait_for(lambda: steps_in(killed) > before, process)
        time.sleep(rng.uniform(0, 0.5))
        process.kill()
        process.communicate()
        kills += 1
    for folder in (killed, whole):
        process = begin.process(sys.executable, "-c", TRAIN, folder, settings)
        _, err = process.communicate(timeout=900)
        assert process.returncode == 0, err
    one, other = (checkpoint.load(folder / checkpoint.NAME) for folder in (killed, whole))
    assert one.state["position"]["step"] == other.state["position"]["step"] == 3000
    for name, array in one.arrays.items():
        np.testing.assert_array_equal(array, other.arrays[name], err_msg=name)
    assert not [path for path in killed.iterdir() if path.name.startswith(".")]


SHORT = ["--set=maps=3", "--set=min_length=1", "--set=length=5"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "inner"),
    [
        (["tune", "act_logic", "--tau=0.1,0.01", "--method=grid"], "trial_0000/seed-0"),
        (["study", "act_sort", "--tau=0.1", "--fixed=none", "--target=none"], "plain/seed-0"),
        (["train", "neural_gpu_copy", "--seeds=2", *SHORT], "seed-0"),
    ],
)
def test_many_trainings_are_told_to_end(words, inner, begin, tmp_path):
    out = tmp_path / "my runs"
    kinds = {"chunk": 2, "batch_size": 4, "steps": 1_000_000}
    changed = [f"--set={key}={value}" for key, value in kinds.items()]
    process = begin.run(*words, "--examples=20", "--json", f"--out={out}", *changed)
    wait_for((out / inner / "history.csv").exists, process)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 143, err
    reached = steps_in(out / inner)
    assert f"stopped after {reached} steps; the state is saved" in err
    process = begin.run(*again(err))
    wait_for(lambda: steps_in(out / inner) > reached, process)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 143
    assert f"resuming from step {reached}: " in err


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_what_a_library_makes_of_a_signal(number, code, monkeypatch, capsys):
    def hidden(arguments):
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt:
            raise TypeError("None values not supported.") from None

    parsed = cli.parsed(["list"])
    parsed.command = hidden
    monkeypatch.setattr(cli, "parsed", lambda words: parsed)
    assert cli.main(["list"]) == code
    assert capsys.readouterr().err == "keras-adaptive: interrupted\n"


def test_checkpoints_after_less_than_no_time(tmp_path):
    with pytest.raises(ValueError, match=r"checkpoint_seconds must be .* Received: -1"):
        train("act_parity", tmp_path / "out", checkpoint_seconds=-1)
    assert not (tmp_path / "out").exists()
