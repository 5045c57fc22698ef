"""The manifest of a folder: which files belong to it, and their SHA-256."""

import hashlib
import json
import os

from .. import arguments
from .files import write_json

MANIFEST = "manifest.json"
FORMAT = 1


def write_manifest(folder: str | os.PathLike) -> None:
    """Writes the manifest of all files in a folder, with their names and digests.

    Args:
        folder: an existing folder, whose other files are complete.

    Raises:
        OSError: if a file cannot be read or written.

    Example:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(f"{folder}/numbers.json", "[1, 2]")
    ...     write_manifest(folder)
    ...     check_manifest(folder)
    ['numbers.json']
    """
    folder = arguments.path("folder", folder)
    files = {
        path.relative_to(folder).as_posix(): digest(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != MANIFEST
    }
    write_json(folder / MANIFEST, {"format": FORMAT, "files": files})


def check_manifest(folder: str | os.PathLike) -> list[str]:
    """Compares the files of a folder with its manifest.

    Args:
        folder: a folder with a manifest.

    Returns:
        The names of the files that the manifest lists.

    Raises:
        ValueError: a file is missing, damaged or altered, or the format is unknown; the message
            names the file.
    """
    folder = arguments.path("folder", folder)
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files, version = manifest["files"], manifest["format"]
        if not isinstance(files, dict) or not files:
            raise TypeError("it lists no files")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"the manifest {folder / MANIFEST} is missing or damaged: {error}"
        ) from error
    if version != FORMAT:
        raise ValueError(f"{folder} has the format {version}; this version reads {FORMAT}")
    for name, expected in files.items():
        path = folder / name
        if not path.is_file():
            raise ValueError(f"the file {path} is missing")
        if digest(path) != expected:
            raise ValueError(f"the file {path} is damaged or altered")
    return list(files)


def digest(path: str | os.PathLike) -> str:
    """The SHA-256 of a file, in hexadecimal digits.

    Args:
        path: of the file.

    Raises:
        OSError: if the file cannot be read.

    Example:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(f"{folder}/empty", b"")
    ...     digest(f"{folder}/empty")[:16]
    'e3b0c44298fc1c14'
    """
    with open(arguments.path("path", path), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
