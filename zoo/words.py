"""The words of a command line in an order in which nobody has to think of `--`.

An example may begin with a minus (`predict act_parity "-+0"`), and options may come before it or
behind it.
"""

import argparse
import difflib
import re


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line, and takes no option by half its name."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, allow_abbrev=False, **kwargs)

    def error(self, message):
        """End the process with the exit code 2, and one line that says why."""
        program, _, command = self.prog.partition(" ")
        text = shortened(f"{message} (see {f'{program} {command}'.strip()} --help)")
        self.exit(2, f"{program}: error: {text}\n")


def shortened(text, most=600):
    """A text in one line that a terminal can show, without its middle if it is very long.

    >>> shortened("0123456789" * 3, most=20)
    '0123456789 … 56789'
    """
    text = " ".join(text.split())
    text = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 4 :]}"


def truncated(text, most):
    """The beginning of a text, with an ellipsis where it is longer than `most` characters.

    >>> truncated("0110100110010110", 8), truncated("0110", 8)
    ('0110100…', '0110')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def arranged(words, parser, takes_input=False):
    """The words of a command, the options first, then `--` and the rest, if there is any.

    Args:
        words: those behind the name of the command.
        parser: the command's `Parser`.
        takes_input: whether a word behind the name may begin with a minus and be no option; with
            `--run` there is no name.

    Returns:
        A list of words.
    """
    known, seen = parser._option_string_actions, set()
    options, others, left = [], [], list(words)
    nameless = any(word.partition("=")[0] == "--run" for word in words)
    while left:
        word = left.pop(0)
        if word == "--":
            others += left
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
            while left and not left[0].startswith("--"):
                options.append(left.pop(0))
        elif left and left[0] != "--" and left[0].partition("=")[0] not in known:
            # As one word, which may begin with a minus.
            options[-1] = f"{word}={left.pop(0)}"
    return [*options, "--", *others] if others else options


def is_input(word, may_be):
    """Whether a word that is no known option is no option at all, where it may be an input."""
    if not word.startswith("-") or word == "-":
        return True
    return bool(may_be) and (" " in word or not re.match(r"--[a-zA-Z]", word))


def refuse(word, known, parser, takes_input):
    """End with the nearest options to one that is not known."""
    name = word.partition("=")[0]
    near = difflib.get_close_matches(name, known, cutoff=0.5)
    text = f"there is no option {name!r}"
    if near:
        text += f". Nearest: {', '.join(near)}"
    elif takes_input:
        text += "; an input that begins with two minuses stands behind a -- of its own"
    parser.error(text)
