"""Files and folders that are replaced completely or not at all."""

import contextlib
import csv
import functools
import glob
import io
import json
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from .. import arguments

TEMPORARY, OLD = ".tmp", ".old"


def target_of(path: str | os.PathLike, name: str = "path") -> Path:
    """The file or folder that is written at a path: what it points to, if it is a link.

    Args:
        path: where to write; there may be nothing yet.
        name: of the argument, for the message.

    Raises:
        OSError: if something else is there, such as a device or a pipe, or the current folder, in
            which the path lies, was removed.

    Example:

    >>> target_of(os.devnull)
    Traceback (most recent call last):
    OSError: path /dev/null is neither a file nor a folder
    """
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise OSError(f"{name} {path} is neither a file nor a folder")
    try:
        return Path(os.path.realpath(path))
    except FileNotFoundError:
        raise FileNotFoundError(f"{name} {path}: the current folder was removed") from None


def write_file(
    path: str | os.PathLike,
    content: bytes | str,
    keep_as: str | os.PathLike | None = None,
) -> None:
    """Writes a file so that a crash or a full disk leaves the old one as it was.

    Args:
        path: where to write; missing folders are made. An old file keeps its permissions. A link
            stays, and what it points to is replaced.
        content: bytes, or text, which is written as UTF-8.
        keep_as: where the old file is moved to, if there is one; of a link, the link. Defaults to
            `None`: it is replaced.

    Raises:
        OSError: if the file cannot be written; the message says why. The old file is unchanged.

    Example:

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(f"{folder}/numbers.json", "[1, 2]")
    ...     Path(folder, "numbers.json").read_text()
    '[1, 2]'
    """
    path = arguments.path("path", path)
    keep_as = None if keep_as is None else arguments.path("keep_as", keep_as)
    arguments.instance("content", content, (bytes, str), "bytes or a string")
    content = content.encode() if isinstance(content, str) else content
    target, temporary = target_of(path), None
    target = target if keep_as is None else path
    try:
        with errors_of_writing(path):
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}{TEMPORARY}")
            _write_new(temporary, content, target)
            if keep_as is not None and target.exists():
                os.replace(target, keep_as)
            os.replace(temporary, target)
    finally:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


@contextlib.contextmanager
def errors_of_writing(path: str | os.PathLike) -> Iterator[None]:
    """Errors of the block say which file was not written, and if an old one is as it was."""
    try:
        yield
    except OSError as error:
        kept = "; the old file is as it was" if os.path.exists(path) else ""
        text = f"could not write {path} ({error.strerror or error}){kept}"
        raise OSError(*filter(None, [error.errno, text])) from error


def _write_new(path, content, old):
    """Writes a new file with the permissions of an old one; without one, of the umask."""
    # Until it has those of the old one, nobody else reads it.
    opener = functools.partial(os.open, mode=0o600 if old.exists() else 0o666)
    with open(path, "xb", opener=opener) as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if old.exists():
        shutil.copymode(old, path)


def read_json(path: str | os.PathLike, keys: Iterable[str] = ()) -> dict[str, Any] | None:
    """The dict in a JSON file, or None if there is no such file.

    Args:
        path: of the file.
        keys: what the dict must have.

    Raises:
        ValueError: if the file is damaged.
    """
    path = Path(path)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    is_dict = isinstance(content, dict)
    missing = [key for key in keys if key not in content] if is_dict else ["a dict"]
    if missing:
        raise ValueError(f"{path} is damaged: it lacks {missing[0]}")
    return content


def write_json(path: str | os.PathLike, content: Any) -> None:
    """Writes plain data as a readable JSON file, as `write_file` does.

    Args:
        path: of the file.
        content: dicts, lists, strings, numbers, booleans and None.
    """
    write_file(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def keep(
    path: str | os.PathLike, content: Any, write: Callable[[Any, Any], None] = write_file
) -> None:
    """Writes what was measured, to be used again; where it cannot, standard error says so once.

    Args:
        path: of the file.
        content: what `write` takes.
        write: `write_file` or `write_json`.
    """
    try:
        write(path, content)
    except OSError as error:
        _say_once(f"{error.strerror}, and what was measured is not kept")


@functools.cache
def _say_once(text):
    print(text, file=sys.stderr)


def remove_temporary_files(*folders: str | os.PathLike) -> None:
    """Removes what `write_file` left in folders when its process was killed.

    Call it while no other process writes there, as within `lock_folder`.
    """
    for folder in folders:
        # The eight characters are those of `secrets`.
        for path in arguments.path("folders", folder).glob(f".*.????????{TEMPORARY}"):
            if path.is_file():
                path.unlink()


@contextlib.contextmanager
def replace_folder(path: str | os.PathLike) -> Iterator[Path]:
    """A temporary folder beside `path` that takes its place when the block ends without an error.

    Args:
        path: the folder to write; an old one is replaced. A link stays, and what it points to is
            replaced.

    Yields:
        The path of the temporary folder, which lies beside the one that it replaces.

    Example:

    >>> with tempfile.TemporaryDirectory() as parent:
    ...     with replace_folder(f"{parent}/results") as folder:
    ...         _ = (folder / "a.txt").write_text("1")
    ...     os.listdir(parent)
    ['results']
    """
    path = target_of(arguments.path("path", path))
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_temporary_folders(path)
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


def _remove_temporary_folders(path):
    """Removes what `replace_folder` left beside `path` when its process was killed.

    Killed between its last two steps, it has moved the old folder away; that one comes back.
    Of a link that was moved away, only the link is removed.
    """
    name = glob.escape(path.name)
    for old in path.parent.glob(f".{name}.????????{OLD}"):
        if old.is_symlink():
            old.unlink()
        elif path.exists():
            shutil.rmtree(old)
        else:
            os.replace(old, path)
    for temporary in path.parent.glob(f".{name}.????????{TEMPORARY}"):
        shutil.rmtree(temporary)


def csv_text(
    rows: Iterable[Mapping[str, Any]], columns: Iterable[str], strict: bool = False
) -> str:
    """Rows as the text of a CSV file, such as the history of a training.

    Args:
        rows: dicts; what a row lacks is left empty.
        columns: the keys of the columns, in order.
        strict: refuse a key without a column, instead of leaving it out. Defaults to `False`.

    >>> print(csv_text([{"step": 1, "loss": 0.5}, {"step": 2}], ["step", "loss"]), end="")
    step,loss
    1,0.5
    2,
    """
    text = io.StringIO()
    writer = csv.DictWriter(
        text,
        list(columns),
        restval="",
        extrasaction="raise" if strict else "ignore",
        lineterminator="\n",
    )
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
