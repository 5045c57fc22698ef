"""The manifest of an entry: which files belong to it, and their SHA-256."""

import hashlib
import json
from pathlib import Path

NAME = "manifest.json"
FORMAT = 1


def write(folder):
    """Write the manifest of all files in `folder`; call it last."""
    folder = Path(folder)
    files = {
        path.relative_to(folder).as_posix(): digest(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != NAME
    }
    text = json.dumps({"format": FORMAT, "files": files}, indent=1)
    (folder / NAME).write_text(text + "\n", encoding="utf-8")


def verify(folder):
    """Check all files of an entry against its manifest.

    Returns:
        The names of the files.

    Raises:
        ValueError: a file is missing, damaged or altered, or the format is unknown; the message
            names the file.
    """
    folder = Path(folder)
    try:
        manifest = json.loads((folder / NAME).read_text(encoding="utf-8"))
        files, version = manifest["files"], manifest["format"]
        if not isinstance(files, dict) or not files:
            raise TypeError("it lists no files")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"the manifest {folder / NAME} is missing or damaged: {error}") from error
    if version != FORMAT:
        raise ValueError(f"{folder} has the format {version}; this version reads {FORMAT}")
    for name, expected in files.items():
        path = folder / name
        if not path.is_file():
            raise ValueError(f"the entry {folder.name} lacks the file {path}")
        if digest(path) != expected:
            raise ValueError(f"the file {path} of the entry {folder.name} is damaged or altered")
    return list(files)


def digest(path):
    """SHA-256 of a file, in hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
