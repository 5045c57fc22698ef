"""Keeps the log lines of libraries out of what a command says.

TensorFlow's C++ libraries write log lines while it is imported and finds its devices, before it
reads which levels to show. So standard error is redirected to a file in the meantime, and then
written without these lines.
"""

import contextlib
import logging
import os
import re
import sys
import tempfile

from ..import_hook import when_imported

# They warn about functions that are retraced, and about the folders and caches of fonts.
LOGGERS = ("tensorflow", "matplotlib")
LEVEL = "TF_CPP_MIN_LOG_LEVEL"
# As in "I0000 00:00:1795420056.562021    8470 port.cc:153] oneDNN custom operations are on."
LINE = re.compile(rb"([IWE])\d{4} \S+ +\d+ [\w./-]+:\d+\] |WARNING: All log messages before absl::")
# Continues the line before.
MORE = re.compile(rb"To enable the following instructions: ")


def hide_log_lines():
    """Hides the log lines of TensorFlow, in this process, below its `TF_CPP_MIN_LOG_LEVEL`.

    A level set by the user stays in force; by default only fatal errors are shown.
    """
    level = os.environ.setdefault(LEVEL, "3")
    if level.isdigit() and int(level) >= 2:
        for name in LOGGERS:
            logging.getLogger(name).setLevel(logging.ERROR)
    if level != "0" and "tensorflow" not in sys.modules:
        when_imported("tensorflow", _find_devices, within=_filtered)


def _find_devices(tensorflow):
    with _filtered():
        if os.environ.get("KERAS_BACKEND", "tensorflow") != "tensorflow":
            # TensorFlow would reserve the GPU memory that the other backend needs.
            tensorflow.config.set_visible_devices([], "GPU")
        tensorflow.constant(0)


@contextlib.contextmanager
def _filtered():
    """Filters log lines out of standard error, also those written to its file descriptor by C++."""
    sys.stderr.flush()
    before = os.dup(2)
    with tempfile.TemporaryFile() as written:
        os.dup2(written.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(before, 2)
            os.close(before)
            written.seek(0)
            if shown := b"".join(filter(_is_shown, written)):
                with contextlib.suppress(OSError):  # Of a full disk, for example.
                    os.write(2, shown)


def _is_shown(line):
    level = os.environ.get(LEVEL, "")
    hidden = int(level) if level.isdigit() else 0
    if MORE.match(line):
        return hidden < 1
    match = LINE.match(line)
    return match is None or "IWE".index((match[1] or b"I").decode()) >= hidden
