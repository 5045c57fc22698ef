"""Files and folders that are written whole or not at all."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path


def write_whole(path, content):
    """Write a file so that a crash or a full disk leaves the old one as it was.

    Args:
        path: where to write.
        content: bytes, or text, which is written as UTF-8.

    Raises:
        OSError: it cannot be written; the message says what and why. The old file is whole.
    """
    path = Path(path)
    content = content.encode() if isinstance(content, str) else content
    temporary = None
    try:
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise OSError(
            error.errno, f"could not write {path} ({error.strerror}); the old file is as it was"
        ) from error


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
    temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    old = temporary.with_name(temporary.name + ".old")
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
