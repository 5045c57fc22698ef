"""Sorts the words of a command line, so that users need not write `--` before an example.

An example may begin with a minus (`predict act_parity "-+0"`), and options may come before or
after it.
"""

import argparse
import difflib
import re

from ..formatting import shortened


class Parser(argparse.ArgumentParser):
    """A parser with error messages of one line, which does not accept abbreviated options."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, allow_abbrev=False, **kwargs)

    def error(self, message):
        """End the process with exit code 2 and a message of one line."""
        program, _, command = self.prog.partition(" ")
        text = shortened(f"{message} (see {f'{program} {command}'.strip()} --help)")
        self.exit(2, f"{program}: error: {text}\n")


def arranged(words, parser, takes_input=False):
    """The words of a command with its options first, then `--` and the other words, if any.

    Args:
        words: those after the name of the command.
        parser: the command's `Parser`.
        takes_input: whether an argument after the model's name may begin with a minus; with `--run`
            there is no model's name.

    Returns:
        A list of words.
    """
    known, seen = parser._option_string_actions, set()
    options, others, remaining = [], [], list(words)
    nameless = any(word.partition("=")[0] == "--run" for word in words)
    while remaining:
        word = remaining.pop(0)
        if word == "--":
            others += remaining
            break
        name, equals, _ = word.partition("=")
        action = known.get(name if equals else word)
        if action is None and not is_input(word, takes_input and (nameless or others)):
            refuse(word, known, parser, takes_input)
        if action is None:
            others.append(word)
            continue
        if action in seen and action.nargs != 0 and not isinstance(action, argparse._AppendAction):
            parser.error(f"{name} is given twice")
        seen.add(action)
        options.append(word)
        if equals or action.nargs == 0:
            continue
        if action.nargs is not None:
            while remaining and not remaining[0].startswith("--"):
                options.append(remaining.pop(0))
        elif remaining and remaining[0] != "--" and remaining[0].partition("=")[0] not in known:
            # Joined to one word, because the value may begin with a minus.
            options[-1] = f"{word}={remaining.pop(0)}"
    return [*options, "--", *others] if others else options


def is_input(word, may_be):
    """Whether a word that is not a known option is an argument rather than a misspelled option."""
    if not word.startswith("-") or word == "-":
        return True
    return bool(may_be) and (" " in word or not re.match(r"--[a-zA-Z]", word))


def refuse(word, known, parser, takes_input):
    """End the process because of an unknown option; the message has the nearest ones."""
    name = word.partition("=")[0]
    near = difflib.get_close_matches(name, known, cutoff=0.5)
    text = f"there is no option {name!r}"
    if near:
        text += f". Nearest: {', '.join(near)}"
    elif takes_input:
        text += "; write -- before an input that begins with two minuses"
    parser.error(text)
