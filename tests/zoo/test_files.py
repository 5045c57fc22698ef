"""Files are written whole or not at all."""

import errno
import os

import pytest

from keras_adaptive.zoo.files import folder_written_whole, write_whole


def full_disk(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_new_content_replaces_the_old(tmp_path):
    path = tmp_path / "file"
    write_whole(path, "old")
    write_whole(path, b"new")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["file"]


def test_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_whole(path, "old")
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match=r"could not write .*file .*No space left") as caught:
        write_whole(path, "new")
    assert caught.value.errno == errno.ENOSPC
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        write_whole(tmp_path / "nowhere" / "file", "new")


def test_folder_is_replaced(tmp_path):
    for text in ("old", "new"):
        with folder_written_whole(tmp_path / "entry") as folder:
            (folder / text).write_text(text)
    assert os.listdir(tmp_path / "entry") == ["new"]
    assert os.listdir(tmp_path) == ["entry"]


def test_failure_leaves_the_old_folder(tmp_path):
    with folder_written_whole(tmp_path / "entry") as folder:
        (folder / "old").write_text("old")
    with pytest.raises(OSError), folder_written_whole(tmp_path / "entry") as folder:
        (folder / "new").write_text("new")
        full_disk()
    assert os.listdir(tmp_path / "entry") == ["old"]
    assert os.listdir(tmp_path) == ["entry"]
