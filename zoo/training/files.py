"""Files and folders that are written whole or not at all."""

import contextlib
import glob
import json
import os
import shutil
import tempfile
from pathlib import Path

TEMPORARY, OLD = ".tmp", ".old"
# What each of several seeds reached, beside the folders of their trainings.
SEEDS = "scout.json"


def write_whole(path, content, before=None):
    """Write a file so that a crash or a full disk leaves the old one as it was.

    Args:
        path: where to write.
        content: bytes, or text, which is written as UTF-8.
        before: where the old file is moved to, if there is one; it is replaced by the new one
            otherwise.

    Raises:
        OSError: it cannot be written; the message says what and why. The old file is whole.
    """
    path = Path(path)
    content = content.encode() if isinstance(content, str) else content
    temporary = None
    try:
        descriptor, temporary = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name}.", suffix=TEMPORARY
        )
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        if before is not None and path.exists():
            os.replace(path, before)
        os.replace(temporary, path)
    except OSError as error:
        raise OSError(
            error.errno, f"could not write {path} ({error.strerror}); the old file is as it was"
        ) from error
    finally:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def read_json(path, keys=()):
    """The dict in a JSON file that a command wrote, or None if there is no such file.

    Args:
        path: of the file.
        keys: what the dict must have.

    Raises:
        ValueError: the file is damaged.
    """
    path = Path(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    missing = [key for key in keys if key not in found] if isinstance(found, dict) else ["a dict"]
    if missing:
        raise ValueError(f"{path} is damaged: it lacks {missing[0]}")
    return found


def remove_temporary_files(*folders):
    """Remove what is left in folders of writes that were killed; nobody else may write there."""
    for folder in folders:
        # The eight characters are those of `tempfile`.
        for path in Path(folder).glob(f".*.????????{TEMPORARY}"):
            if path.is_file():
                path.unlink()


@contextlib.contextmanager
def folder_written_whole(path):
    """A temporary folder beside `path` that takes its place when the block ends without error.

    Args:
        path: the folder to write; an old one is replaced.

    Yields:
        The path of the temporary folder.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_temporary_folders(path)
    prefix = f".{path.name}."
    temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=prefix, suffix=TEMPORARY))
    old = temporary.with_suffix(OLD)
    try:
        os.chmod(temporary, 0o755)
        yield temporary
        if path.exists():
            os.replace(path, old)
        try:
            os.replace(temporary, path)
        except OSError:
            if old.exists():
                os.replace(old, path)
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def remove_temporary_folders(path):
    """Remove what is left of writes of the folder `path` that were killed.

    A write that was killed between its last two steps has moved the old folder away; it comes back.
    """
    name = glob.escape(path.name)
    for old in path.parent.glob(f".{name}.????????{OLD}"):
        if path.exists():
            shutil.rmtree(old)
        else:
            os.replace(old, path)
    for temporary in path.parent.glob(f".{name}.????????{TEMPORARY}"):
        shutil.rmtree(temporary)
