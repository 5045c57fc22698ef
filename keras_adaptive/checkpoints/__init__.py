"""The state of a training in one file, so that an interrupted training ends with the same weights.

`callbacks.Checkpoint` saves and resumes a plain `fit`. These are its parts, for a loop of one's
own: `save` writes all variables of a compiled model and plain data beside them, `latest` reads the
newest file that is not damaged, and `restore` sets the variables.

A file is an `.npz` archive whose comment is the SHA-256 of all bytes before it, so that any damage
is noticed. It contains finite numbers only. The previous file is kept beside a new one.
"""

from .archive import (
    Damaged,
    Saved,
    exists,
    latest,
    load,
    not_finite,
    restore,
    save,
    set_aside,
)
from .files import remove_temporary_files, replace_folder, write_file
from .lock import InUse, lock_folder
from .manifest import MANIFEST, check_manifest, digest, write_manifest
from .schema import check_types
from .signals import StopRequest, Terminated, deferred_signals

__all__ = [
    "MANIFEST",
    "Damaged",
    "InUse",
    "Saved",
    "StopRequest",
    "Terminated",
    "check_manifest",
    "check_types",
    "deferred_signals",
    "digest",
    "exists",
    "latest",
    "load",
    "lock_folder",
    "not_finite",
    "remove_temporary_files",
    "replace_folder",
    "restore",
    "save",
    "set_aside",
    "write_file",
    "write_manifest",
]
