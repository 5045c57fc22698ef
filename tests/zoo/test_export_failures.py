"""An export that cannot write everything."""

import dataclasses
import os

import pytest
import tensorflow as tf

from keras_adaptive.zoo.entries import export
from keras_adaptive.zoo.evaluate import evaluate_run

FULL = "No space left on device"


def on_a_full_disk(*_, **__):
    """Raises what TensorFlow raises there."""
    tf.io.write_file("/dev/full", "text")


def by_python():
    with open("/dev/full", "w", encoding="utf-8") as file:
        file.write("text")


def by_hdf5():
    """Whose errors have no number."""
    raise OSError("Can't write data (error message = 'No space left on device')")


@pytest.mark.parametrize("write", [on_a_full_disk, by_python, by_hdf5])
def test_a_full_disk_is_an_error_of_the_file_system(write, tmp_path):
    said = f"could not write {tmp_path}: {FULL}; an old"
    with pytest.raises(OSError, match=said), export.errors_of_writing(tmp_path):
        write()


def test_other_errors_stay_as_they_are(tmp_path):
    wrong = tf.errors.InvalidArgumentError(None, None, "a shape")
    for error in (wrong, FileNotFoundError(2, "No such file", "a.txt"), OSError("a picture")):
        with pytest.raises(type(error)) as caught, export.errors_of_writing(tmp_path):
            raise error
        assert caught.value is error


@pytest.mark.usefixtures("eager")
def test_export_on_a_full_disk(run, command, tmp_path, monkeypatch):
    monkeypatch.setattr(export, "write_saved_model", on_a_full_disk)
    code, out, err = command("export", run.folder, "--into", tmp_path, "--examples", 60)
    entry = tmp_path / "act_addition"
    assert (code, out) == (2, "") and os.listdir(tmp_path) == []
    assert f"error: [Errno 28] could not write {entry}: {FULL}; an old entry is as it was" in err


@pytest.fixture
def unwritable(run, tmp_path):
    """A training whose folder cannot be written, not even by root."""
    (tmp_path / "file").touch()
    return dataclasses.replace(run, folder=tmp_path / "file" / "run")


@pytest.mark.usefixtures("eager", "few_validated")
def test_a_training_is_measured_whose_folder_cannot_be_written(unwritable, capsys):
    metrics = export.metrics_of(unwritable, 5)
    assert metrics["examples"] == 5 and metrics["steps"] == unwritable.position.step
    assert f"could not write {unwritable.folder / 'metrics.json'} " in capsys.readouterr().err
    # The command that trains says in its exit code that the file is missing.
    with pytest.raises(OSError, match="could not write"):
        evaluate_run(unwritable, 5)
