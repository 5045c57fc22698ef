"""One process at a time writes into a folder."""

import errno
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from keras_adaptive.checkpoints import lock
from keras_adaptive.checkpoints.lock import InUse, lock_folder
from keras_adaptive.zoo import cli

HOLDER = """
import sys, time
from keras_adaptive.checkpoints import lock_folder

with lock_folder(sys.argv[1], sys.argv[2] or None):
    print("locked", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def hold():
    """Starts a process that locks a folder, or an entry in it."""
    processes = []

    def start(folder, entry=""):
        words = [sys.executable, "-c", HOLDER, str(folder), entry]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout.readline() == "locked\n"
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    "words",
    [
        ["train", "act_parity"],
        ["train", "neural_gpu_copy", "--seeds", "2"],
        ["tune", "act_logic"],
        ["study", "act_parity"],
    ],
)
def test_a_folder_in_use_is_refused(words, hold, tmp_path, capsys):
    process = hold(tmp_path / "a folder")
    assert cli.main([*words, "--out", str(tmp_path / "a folder")]) == 2
    said = capsys.readouterr().err
    holder = f"in use by process {process.pid} on {socket.gethostname()} since 20"
    assert holder in said and said.count("\n") == 1
    assert os.listdir(tmp_path / "a folder") == [".lock"]


def test_an_entry_in_use_is_refused(run, hold, tmp_path, capsys):
    process = hold(tmp_path, "act_addition")
    assert cli.main(["export", str(run.folder), "--into", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert f"{tmp_path / 'act_addition'} is in use by process {process.pid}" in said
    with lock_folder(tmp_path, "act_parity"):
        pass
    assert os.listdir(tmp_path) == [".act_addition.lock"]


def test_a_training_is_not_replaced_by_its_entry(run, capsys):
    """Which has the name of the recipe."""
    into = run.folder.parent
    run.folder.rename(into / "act_addition")
    try:
        assert cli.main(["export", str(into / "act_addition"), "--into", str(into)]) == 2
    finally:
        (into / "act_addition").rename(run.folder)
    assert "act_addition is not an entry and would be replaced" in capsys.readouterr().err


def test_a_lock_dies_with_its_process(hold, tmp_path):
    process = hold(tmp_path)
    with pytest.raises(InUse), lock_folder(tmp_path):
        pass
    process.kill()
    process.wait()
    assert (tmp_path / ".lock").read_text().startswith(f"process {process.pid} ")
    with lock_folder(tmp_path):
        assert (tmp_path / ".lock").read_text().startswith(f"process {os.getpid()} ")
    assert os.listdir(tmp_path) == []


def test_a_shared_lock(tmp_path):
    with lock_folder(tmp_path, shared=True):
        with lock_folder(tmp_path, shared=True):
            pass
        with pytest.raises(InUse), lock_folder(tmp_path):
            pass
    with lock_folder(tmp_path), pytest.raises(InUse), lock_folder(tmp_path, shared=True):
        pass
    assert os.listdir(tmp_path) == []


def test_a_folder_that_stays_empty_is_removed(tmp_path):
    with pytest.raises(KeyError), lock_folder(tmp_path / "a" / "b"):
        assert Path(tmp_path / "a" / "b").is_dir()
        raise KeyError
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("how", ["refused", "absent"])
def test_without_locks_it_is_said(how, tmp_path, monkeypatch, capsys):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    if how == "refused":
        monkeypatch.setattr(lock.fcntl, "flock", refuse)
    else:
        monkeypatch.setattr(lock, "fcntl", None)
    with lock_folder(tmp_path):
        assert f"{tmp_path} cannot be locked" in capsys.readouterr().err
    assert os.listdir(tmp_path) == []


def test_a_record_of_verify_in_use_is_refused(hold, tmp_path, capsys):
    process, out = hold(tmp_path, "verify.json"), tmp_path / "verify.json"
    assert cli.main(["verify", "act_parity", "--quick", "--out", str(out)]) == 2
    assert f"{out} is in use by process {process.pid}" in capsys.readouterr().err
    assert not out.exists()


def test_a_full_disk_hinders_no_lock(tmp_path):
    words = [sys.executable, "-c", HOLDER.replace("600", "0"), str(tmp_path / "new"), ""]
    shell = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *words]
    done = subprocess.run(shell, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "locked\n"), done.stderr
    assert not (tmp_path / "new").exists()
