"""Keeps the log lines of libraries out of what a command says.

TensorFlow's libraries write theirs while it is imported and finds its devices, before it reads how
many of them are wanted. So standard error goes to a file for that time, and comes back without
them.
"""

import contextlib
import logging
import os
import re
import sys
import tempfile

from ..import_hook import when_imported

# They warn of functions that are traced again, and of a cache that is built.
LOGGERS = ("tensorflow", "matplotlib.font_manager")
LEVEL = "TF_CPP_MIN_LOG_LEVEL"
# As in "I0000 00:00:1795420056.562021    8470 port.cc:153] oneDNN custom operations are on."
LINE = re.compile(rb"([IWE])\d{4} \S+ +\d+ [\w./-]+:\d+\] |WARNING: All log messages before absl::")
# Of the lines that belong to the one before.
MORE = re.compile(rb"To enable the following instructions: ")


def hide_log_lines():
    """Hides the log lines of TensorFlow, in this process, below its `TF_CPP_MIN_LOG_LEVEL`.

    What the user has set stays in force; else only what ends the process is shown.
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
            # It would take the memory of the device from the backend that computes.
            tensorflow.config.set_visible_devices([], "GPU")
        tensorflow.constant(0)


@contextlib.contextmanager
def _filtered():
    """Standard error without log lines, those of libraries too, which write to its number."""
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
            os.write(2, b"".join(filter(_is_shown, written)))


def _is_shown(line):
    level = os.environ.get(LEVEL, "")
    hidden = int(level) if level.isdigit() else 0
    if MORE.match(line):
        return hidden < 1
    found = LINE.match(line)
    return found is None or "IWE".index((found[1] or b"I").decode()) >= hidden
