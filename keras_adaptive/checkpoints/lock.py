"""One process at a time writes into a folder.

The lock is the system's own (`flock`), on a file that says who holds it. It ends with the process,
however that ends; a file that is left behind locks nothing.
"""

import contextlib
import datetime
import os
import socket
import sys
from collections.abc import Iterator
from types import ModuleType

from .. import arguments

fcntl: ModuleType | None
try:
    import fcntl
except ImportError:  # Not on Windows.
    fcntl = None


class InUse(OSError):
    """Another process has locked the folder."""


@contextlib.contextmanager
def lock_folder(
    folder: str | os.PathLike, entry: str | None = None, shared: bool = False
) -> Iterator[None]:
    """Locks a folder while the block runs, so that no other process writes there.

    Args:
        folder: the folder, which is made if need be. If it was made for this and nothing was
            written, it is removed again.
        entry: the name of what is in the folder and is to be locked, instead of all of it.
        shared: whether others may lock it too, with `shared` as well. Defaults to `False`.

    Raises:
        InUse: if another process has locked it; the message says which.
        OSError: if the folder cannot be written.

    Example:

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, lock_folder(folder):
    ...     try:
    ...         with lock_folder(folder):
    ...             pass
    ...     except InUse:
    ...         print("in use")
    in use
    """
    folder = arguments.path("folder", folder)
    entry = arguments.text("entry", entry, none=True)
    shared = arguments.boolean("shared", shared)
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (f".{entry}.lock" if entry else ".lock")
    file = None
    try:
        file = _acquire(path, folder / entry if entry else folder, shared)
        yield
    finally:
        if file is not None:
            _release(file, path)
        for new in made:
            # Only what is empty can be removed so.
            with contextlib.suppress(OSError):
                new.rmdir()


def _acquire(path, locked, shared):
    """The open file that is locked; None where the file system has no locks."""
    while fcntl:
        file = path.open("a+", encoding="utf-8")
        try:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            with file:
                raise InUse(
                    f"{locked} is in use by {_holder(file)}: wait for its end, stop it, or choose "
                    "another place"
                ) from None
        except OSError:
            file.close()
            path.unlink()
            break
        # The one that held it may have removed the file since it was opened here.
        if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            now = datetime.datetime.now(datetime.UTC)
            holder = f"process {os.getpid()} on {socket.gethostname()} since {now:%F %T} UTC"
            # The lock holds on a full disk too.
            with contextlib.suppress(OSError):
                file.truncate(0)
                os.write(file.fileno(), holder.encode())
            return file
        file.close()
    print(
        f"{locked} cannot be locked on this file system: see that nothing else writes there",
        file=sys.stderr,
    )
    return None


def _holder(file):
    """Who holds the lock of a file."""
    file.seek(0)
    return file.read(200) or "another process"


def _release(file, path):
    with file, contextlib.suppress(OSError):
        # Others that share the lock still need the file.
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
