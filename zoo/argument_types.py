"""What the words of the command line stand for: settings, lengths and values to try."""

import argparse
import contextlib
import json

from . import space


def setting(text):
    """The key and the value of `--set key=value`; the value is JSON, or else a word."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"expected key=value, received {text!r}")
    with contextlib.suppress(ValueError):
        value = json.loads(value)
    return key, value


def lengths(text):
    """The value of `--length`: a whole number, or a pair from two with a colon between."""
    try:
        found = tuple(int(part) for part in text.split(":"))
    except ValueError:
        found = ()
    if len(found) not in (1, 2) or found[0] > found[-1]:
        raise argparse.ArgumentTypeError(f"expected a length, or least:largest, received {text!r}")
    return found if len(found) == 2 else found[0]


def tried(text):
    """The setting and the values of `--over setting=values`; without values, those declared."""
    name, equals, values = text.partition("=")
    return name, checked_values(values) if equals else None


def checked_values(text):
    """The text of `--tau` or `--over`, if values can be read from it."""
    try:
        space.read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text


def numbers(text):
    """The values of `--tau`, `--fixed` or `--target`: numbers with commas between, or none."""
    values = [] if text == "none" else space.read(text)
    if isinstance(values, space.Range) or not all(type(v) in (int, float) for v in values):
        raise argparse.ArgumentTypeError(f"expected numbers with commas between, received {text!r}")
    return list(values)
