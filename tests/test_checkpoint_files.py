"""Files are written whole or not at all."""

import errno
import os
import stat
from pathlib import Path

import pytest

from keras_adaptive.checkpoints.files import (
    keep,
    read_json,
    remove_temporary_files,
    replace_folder,
    write_file,
)


def full_disk(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_new_content_replaces_the_old(tmp_path):
    path = tmp_path / "file"
    write_file(path, "old")
    write_file(path, b"new")
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["file"]


def test_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_file(path, "old")
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match=r"could not write .*file .*No space left") as caught:
        write_file(path, "new")
    assert caught.value.errno == errno.ENOSPC
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_missing_folders_are_made(tmp_path):
    path = tmp_path / "new" / "folder" / "file"
    write_file(path, "new")
    assert path.read_text() == "new"
    with pytest.raises(OSError, match=r"could not write .*file/nowhere"):
        write_file(path / "nowhere", "new")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_of_a_link_the_file_is_replaced_that_it_points_to(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "file"
    link.symlink_to("elsewhere/other")
    for text in ("old", "new"):
        write_file(link, text)
        assert (tmp_path / "elsewhere" / "other").read_text() == text
        assert os.readlink(link) == "elsewhere/other"
        assert os.listdir(tmp_path / "elsewhere") == ["other"]
    # Where the old file is kept, the link is.
    write_file(link, "newest", keep_as=tmp_path / "kept")
    assert link.read_text() == "newest" and not link.is_symlink()
    assert (tmp_path / "kept").is_symlink() and (tmp_path / "kept").read_text() == "new"


def test_a_file_keeps_its_permissions(tmp_path):
    path = tmp_path / "file"
    for known in (0o600, 0o640, 0o664):
        path.touch()
        path.chmod(known)
        write_file(path, "new")
        assert mode(path) == known
        write_file(path, "newer", keep_as=tmp_path / "old")
        assert mode(path) == mode(tmp_path / "old") == known


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_permissions_of_the_umask(mask, tmp_path):
    before = os.umask(mask)
    try:
        write_file(tmp_path / "file", "new")
    finally:
        os.umask(before)
    assert mode(tmp_path / "file") == 0o666 & ~mask


def test_nobody_reads_a_file_before_it_has_its_permissions(tmp_path, monkeypatch):
    path, modes = tmp_path / "file", []
    path.touch()
    path.chmod(0o640)
    monkeypatch.setattr(os, "fsync", lambda descriptor: modes.append(os.fstat(descriptor).st_mode))
    write_file(path, "new")
    assert [stat.S_IMODE(found) for found in modes] == [0o600]


def test_a_pipe_is_refused_and_stays(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="pipe is neither a file nor a folder"):
        write_file(path, "new")
    with pytest.raises(OSError, match="neither"), replace_folder(path):
        pass
    assert path.is_fifo() and os.listdir(tmp_path) == ["pipe"]


def test_what_cannot_be_kept_is_said_once(tmp_path, capsys):
    keep(tmp_path / "kept", "text")
    assert (tmp_path / "kept").read_text() == "text" and capsys.readouterr().err == ""
    for _ in range(2):
        keep(tmp_path / "kept" / "file", "text")
    said = capsys.readouterr().err
    assert "could not write" in said and "is not kept" in said and said.count("\n") == 1


def test_folder_is_replaced(tmp_path):
    for text in ("old", "new"):
        with replace_folder(tmp_path / "entry") as folder:
            (folder / text).write_text(text)
    assert os.listdir(tmp_path / "entry") == ["new"]
    assert os.listdir(tmp_path) == ["entry"]


def test_failure_leaves_the_old_folder(tmp_path):
    with replace_folder(tmp_path / "entry") as folder:
        (folder / "old").write_text("old")
    with pytest.raises(OSError), replace_folder(tmp_path / "entry") as folder:
        (folder / "new").write_text("new")
        full_disk()
    assert os.listdir(tmp_path / "entry") == ["old"]
    assert os.listdir(tmp_path) == ["entry"]


@pytest.mark.parametrize("target", ["elsewhere/entry", "nowhere/yet"])
def test_of_a_link_the_folder_is_replaced_that_it_points_to(target, tmp_path):
    (tmp_path / "elsewhere" / "entry").mkdir(parents=True)
    (tmp_path / "entries").mkdir()
    link = tmp_path / "entries" / "entry"
    link.symlink_to(f"../{target}")
    for text in ("old", "new"):
        with replace_folder(link) as folder:
            (folder / text).write_text(text)
        assert os.listdir(tmp_path / target) == [text]
        assert os.listdir(link.parent) == ["entry"] and os.readlink(link) == f"../{target}"
        assert os.listdir((tmp_path / target).parent) == [Path(target).name]


def test_a_link_that_was_moved_away_is_removed(tmp_path):
    """As earlier versions did; what it points to is left alone."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".entry.abcd1234.old").symlink_to(tmp_path / "elsewhere")
    with replace_folder(tmp_path / "entry"):
        pass
    assert sorted(os.listdir(tmp_path)) == ["elsewhere", "entry"]


def test_the_old_file_can_be_kept(tmp_path):
    for text in ("first", "second", "third"):
        write_file(tmp_path / "file", text, keep_as=tmp_path / "old")
    assert (tmp_path / "file").read_text() == "third"
    assert (tmp_path / "old").read_text() == "second"


def killed(*_):
    """Stands for what kills a process: nothing is done after it."""
    os._exit(9)


def in_a_process_that_is_killed(function):
    """Call a function in a fork of this process, where nothing runs after `killed`."""
    child = os.fork()
    if child == 0:
        try:
            function()
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def test_what_a_killed_write_of_a_file_leaves_is_removed(tmp_path, monkeypatch):
    write_file(tmp_path / "file", "old")
    (tmp_path / ".mine.tmp").write_text("not ours")
    monkeypatch.setattr(os, "fsync", killed)
    in_a_process_that_is_killed(lambda: write_file(tmp_path / "file", "new"))
    assert len(os.listdir(tmp_path)) == 3 and (tmp_path / "file").read_text() == "old"
    remove_temporary_files(tmp_path)
    assert sorted(os.listdir(tmp_path)) == [".mine.tmp", "file"]


@pytest.mark.parametrize("moved", [1, 2])
def test_what_a_killed_write_of_a_folder_leaves_is_removed(moved, tmp_path, monkeypatch):
    """Killed between its last two steps, it has moved the old folder away, which comes back."""
    replace, count = os.replace, []

    def replace_or_die(*paths):
        count.append(paths)
        killed() if len(count) == moved else replace(*paths)

    def write(text):
        with replace_folder(tmp_path / "entry") as folder:
            (folder / text).write_text(text)

    write("old")
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", replace_or_die)
        in_a_process_that_is_killed(lambda: write("new"))
    assert ("entry" in os.listdir(tmp_path)) == (moved == 1)
    assert len(os.listdir(tmp_path)) == 2
    with pytest.raises(OSError), replace_folder(tmp_path / "entry"):
        full_disk()
    assert os.listdir(tmp_path / "entry") == ["old"]
    assert os.listdir(tmp_path) == ["entry"]


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, '{"a": 1}', "null"])
def test_a_damaged_file_is_named(text, tmp_path):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ValueError, match=r"x\.json is damaged: "):
        read_json(tmp_path / "x.json", ["a", "b"])
