"""What a command refuses, in one line and before any work; and terminals that are not UTF-8."""

import argparse
import io
import json
import os
import subprocess
import sys

import pytest

from keras_adaptive.zoo.commands import answers

pytestmark = pytest.mark.usefixtures("eager")


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["evaluate", "act_adition"], "Nearest: act_addition"),
        (["evaluate", "act_addition", "--examples", "0"], "--examples must be a whole number"),
        (["evaluate", "act_addition", "--max-ponder", "0"], "--max-ponder must be a whole number"),
        (["evaluate", "act_addition", "--epsilon", "2"], "epsilon"),
        (
            ["evaluate", "act_addition", "--bits", "9"],
            "--bits is for models that take inputs of any",
        ),
        (["evaluate", "act_addition", "--probe", "ones"], "--probe is for models"),
        (["measure", "nowhere"], "there is no folder 'nowhere'"),
        (["predict", "act_addition", "1+two"], "1+two"),
        (["predict", "nothing", "1+2"], "no model 'nothing'"),
        (["plot", "act_addition", "--input", "1+2", "--out", "a.gif"], "`--out` must end"),
        (["train", "act_paritee"], "Nearest: act_parity"),
        (["train", "act_parity", "--set", "unitz=3"], "Nearest: units"),
        (["train", "act_parity", "--out", "nowhere", "--resume"], "no checkpoint to resume"),
        (["train", "act_parity", "--variant", "none"], "variant"),
        (["train", "act_parity", "--steps-scale", "-1"], "--steps-scale must be a number above 0"),
        (["train", "act_parity", "--backend", "jax"], "already loaded with tensorflow"),
        (["export", "nowhere"], "there is no folder 'nowhere'"),
        (["train", "act_parity", "--set", "tau=1", "--set", "time_penalty=2"], "twice, as tau"),
        (["study", "act_parity", "--set", "tau=0.5"], "time_penalty differs between the"),
        (["tune", "act_logic", "--over", "tau=1", "--set", "time_penalty=1"], "and searched over"),
        (["train", "act_parity", "--set", "seed=3", "--seed", "4"], "--set seed: give --seed"),
        (["study", "act_parity", "--set", "seed=3"], "--set seed: each training has a seed"),
        (["train", "act_parity", "--variant", "plain", "--set", "fixed_steps=7"], "'plain' sets"),
        (["verify", "--entries", "."], "--entries . holds no entries"),
        (["evaluate", "act_addition", "--side", "40"], "models of images of any size"),
        (["segment", "act_addition", "the cat sat"], "does not read text byte by byte"),
    ],
)
def test_errors_are_one_line(argv, words, refused):
    refused(argv, words)


def test_a_word_too_many(command, capsys):
    with pytest.raises(SystemExit, match="2"):
        command("list", "extra")
    words = "keras-adaptive: error: unrecognized arguments: extra (see keras-adaptive list --help)"
    assert capsys.readouterr() == ("", f"{words}\n")


def test_default_folders_are_checked_before_any_work(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").touch()
    for name, folder in (("train", ""), ("tune", "_search"), ("study", "_study")):
        code, _, err = command(name, "act_parity")
        assert code == 2 and f"--out runs/act_parity{folder}: " in err


@pytest.mark.parametrize(
    "words", [["train", "act_parity"], ["train", "act_parity", "--out", "a"], ["export", "RUN"]]
)
def test_a_current_folder_that_was_removed(words, run, command, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    code, out, err = command(*[str(run.folder) if word == "RUN" else word for word in words])
    assert code == 2 and out == "" and err.count("\n") == 1
    assert "the current folder was removed" in err


def test_a_link_to_nothing_is_no_folder(command, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    code, _, err = command("train", "act_parity", "--out", tmp_path / "link")
    assert code == 2 and f"--out {tmp_path / 'link'} is a link to what is not there" in err


@pytest.mark.parametrize(
    "words",
    [
        ["train", "act_parity", "--out", "place"],
        ["plot", "act_addition", "--out", "place.png"],
        ["plot", "act_addition", "--out", "link.png"],
    ],
)
def test_a_place_that_is_neither_a_file_nor_a_folder(words, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("place", "place.png"):
        os.mkfifo(name)
    os.symlink("place.png", "link.png")
    code, _, err = command(*words)
    assert code == 2 and f"--out {words[-1]} is neither a file nor a folder" in err
    assert (tmp_path / words[-1]).is_fifo()


def test_the_folder_of_a_file_is_writable(command, tmp_path, monkeypatch):
    """Also if the file is, because a new one takes its place."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.json").touch()
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "a.json")
    monkeypatch.setattr(os, "access", lambda place, _: place != tmp_path / "folder")
    code, _, err = command("verify", "--out", tmp_path / "link")
    assert code == 2 and f"{tmp_path / 'folder'} is not writable" in err


def test_trainings_of_one_and_of_several_seeds_have_folders_of_their_own(command, tmp_path):
    one, several = tmp_path / "one", tmp_path / "several"
    for folder in (one, several / "seed-0"):
        folder.mkdir(parents=True)
        (folder / "checkpoint.npz").touch()
    code, _, err = command("train", "neural_gpu_copy", "--out", one, "--seeds", 2)
    assert code == 2 and "already holds one training" in err
    code, _, err = command("train", "neural_gpu_copy", "--out", several)
    assert code == 2 and "already holds trainings of several seeds" in err


@pytest.mark.parametrize("backend", ["nonsense", "TensorFlow"])
def test_another_backend_in_the_environment_is_named(backend, command, monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", backend)
    code, _, err = command("list")
    assert code == 2 and "KERAS_BACKEND must be one of tensorflow, jax, torch. " in err
    assert f"Received: {backend}" in err


def test_answers_on_a_terminal_that_knows_no_greek():
    words = [sys.executable, "-m", "keras_adaptive", "study", "--help"]
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run(words, env=environment, capture_output=True, check=False)
    assert done.returncode == 0 and rb"\u03c4" in done.stdout, done.stderr


@pytest.mark.parametrize("end", [">/dev/full", ">&-"])
def test_a_command_whose_messages_cannot_be_written(end):
    words = [sys.executable, "-m", "keras_adaptive", "evaluate", "act_parity", "--examples", "2"]
    shell = ["sh", "-c", f'"$@" 2{end}', "sh", *words, "--json"]
    done = subprocess.run(shell, capture_output=True, check=False)
    assert done.returncode == 0 and json.loads(done.stdout)["examples"] == 2


def test_a_command_in_a_program_without_standard_error():
    source = """
import sys
sys.stderr = None
from keras_adaptive.zoo import cli
sys.exit(cli.main(sys.argv[1:]))
"""
    words = [sys.executable, "-c", source, "evaluate", "act_parity", "--examples", "2", "--json"]
    done = subprocess.run(words, capture_output=True, check=False)
    assert done.returncode == 0 and json.loads(done.stdout)["examples"] == 2, done


@pytest.mark.parametrize("debug", [[], ["--debug"]])
@pytest.mark.parametrize("end", [">/dev/full", ">&-"])
def test_the_exit_code_of_an_error_that_cannot_be_written(end, debug):
    words = [sys.executable, "-m", "keras_adaptive", "train", "nothing", *debug]
    shell = ["sh", "-c", f'"$@" 2{end}', "sh", *words]
    done = subprocess.run(shell, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


def test_json_on_a_terminal_that_knows_no_greek(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="backslashreplace")
    monkeypatch.setattr(sys, "stdout", stream)
    answers.answer(argparse.Namespace(json=True), {"×": "τ"}, "")
    stream.flush()
    assert json.loads(stream.buffer.getvalue()) == {"×": "τ"}
