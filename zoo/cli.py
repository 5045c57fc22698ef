"""The command line: from list, train and tune to segment, measure, export and demo.

Standard output holds only the answer; progress and messages go to standard error.
"""

import contextlib
import os
import sys
import traceback
import warnings

from ..checkpoints import signals
from ..datasets.arguments import nearest
from ..formatting import shortened
from . import command_check
from . import commands as do
from .commands import PROGRAM
from .completion import complete
from .option_groups import BACKENDS
from .parser import parser
from .quiet import hide_log_lines
from .words import arranged

# Errors that the user can correct; all others are errors of the program.
EXPECTED = (ValueError, OSError, FloatingPointError, ImportError)
# Commands that take an example, which may begin with a minus.
WITH_INPUT = ("predict", "plot", "segment")


def main(argv=None):
    """Run the command line.

    Args:
        argv: the arguments; those of the process by default.

    Returns:
        The exit code: 0 for success; 1 if `verify` found disagreements, or after an internal
        error; 2 after an error in the input; 130 after Ctrl-C, 143 after SIGTERM; 141 if the
        reader of standard output has closed it.
    """
    words, arguments = list(map(in_utf8, sys.argv[1:] if argv is None else argv)), None
    if sys.stderr is None:
        replace_standard_error()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # Where τ cannot be written, \u03c4 can.
            stream.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings(), signals.terminable() as stopped:
            warnings.showwarning = each_once()
            arguments = parsed(words)
            choose_backend(getattr(arguments, "backend", None))
            command_check.check(arguments)
            status = arguments.command(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)
        return 141
    except KeyboardInterrupt as stop:
        return report_stop(stop, arguments, words)
    except Exception as error:
        if stopped.signal is not None:
            # What a library has made of the signal's error.
            return report_stop(signals.ERRORS[stopped.signal](), arguments, words)
        status = report_error(error, "--debug" in words)
        # Flushing fails on a full disk, for example.
        with contextlib.suppress(OSError, ValueError):
            if sys.stdout is not None:
                sys.stdout.flush()
            return status
        discard(sys.stdout)
    return status or 0


def report_stop(stop, arguments, words):
    """Print that a command was stopped, and how to go on; returns the exit code."""
    say(f"{PROGRAM}: {str(stop) or 'interrupted'}")
    if getattr(arguments, "begun", None):
        again = do.again(words, resume=arguments.begun(arguments.out))
        say(f"resume with: {again}")
    return 143 if isinstance(stop, signals.Terminated) else 130


def replace_standard_error():
    """Discard what is written to a standard error that was closed, or that a program took away."""
    null = os.open(os.devnull, os.O_WRONLY)
    sys.stderr = os.fdopen(null, "w", encoding="utf-8", closefd=False)
    try:
        os.fstat(2)
    except OSError:  # A file might take its place.
        os.dup2(null, 2)


def in_utf8(word):
    """A word of the command line as the terminal sent it, whatever the locale is."""
    try:
        return os.fsencode(word).decode("utf-8")
    except UnicodeError:
        return word


def discard(stream):
    """Discard what is still buffered, so that flushing it at exit cannot fail again."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def each_once():
    """What prints warnings: those for users each once, others with their place, as Python does."""
    shown = set()

    def show(message, category, filename, lineno, file=None, line=None):
        if category is not UserWarning:
            say(warnings.formatwarning(message, category, filename, lineno, line).rstrip())
        elif str(message) not in shown:
            shown.add(str(message))
            say(f"{PROGRAM}: warning: {message}")

    return show


def say(text):
    """Print to standard error, if that can be written; the exit code tells the rest."""
    if sys.stderr is None:
        return
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


def report_error(error, debug):
    """Print an error in one line; returns the exit code."""
    if debug:
        say("".join(traceback.format_exception(error)).rstrip())
    text = shortened(str(error))
    if isinstance(error, EXPECTED):
        say(f"{PROGRAM}: error: {text}")
        return 2
    hint = "" if debug else " (--debug shows where)"
    say(f"{PROGRAM}: internal error: {type(error).__name__}: {text}{hint}")
    return 1


def parsed(words):
    """The parsed arguments of a command line."""
    top = parser()
    complete(top)
    commands = top.commands
    if not words or words[0] not in commands:
        if words and not words[0].startswith("-"):
            near = nearest(words[0], commands)
            top.error(f"there is no command {words[0]!r}. Nearest: {near}")
        return top.parse_args(words)
    name, rest = words[0], words[1:]
    words = arranged(rest, commands[name], name in WITH_INPUT)
    arguments, more = top.parse_known_args([name, *words])
    if more := [word for word in more if word != "--"]:
        commands[name].error(f"unrecognized arguments: {' '.join(more)}")
    return arguments


def choose_backend(backend):
    """Set Keras's backend, which must happen before Keras is imported."""
    hide_log_lines()
    chosen = os.environ.get("KERAS_BACKEND") or None
    if backend is None and chosen not in (None, *BACKENDS):
        raise ValueError(f"KERAS_BACKEND must be one of {', '.join(BACKENDS)}. Received: {chosen}")
    if backend is None:
        return
    if "keras" in sys.modules:
        loaded = sys.modules["keras"].backend.backend()
        if loaded != backend:
            raise ValueError(f"--backend {backend}: Keras is already loaded with {loaded}")
    os.environ["KERAS_BACKEND"] = backend


if __name__ == "__main__":
    sys.exit(main())
