"""What the words of the command line stand for: numbers, settings, lengths and values to try."""

import argparse
import contextlib
import json
import re

from . import settings
from .search import space

WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
NUMBER = re.compile(r"[+-]?([0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})(e[+-]?[0-9]{1,3})?", re.I)


def number(text):
    """The number that a text is in ASCII, or the text, which is refused where it is checked."""
    if WHOLE.fullmatch(text):
        return int(text)
    return float(text) if NUMBER.fullmatch(text) else text


def setting(text):
    """The key and the value of `--set key=value`; the value is JSON, or else a word."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"expected key=value, received {text!r}")
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(value)
    return key, value


def lengths(text):
    """The value of `--length`: a whole number, or a pair from two with a colon between."""
    found = tuple(number(part) for part in text.split(":"))
    if len(found) not in (1, 2):
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
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text


def numbers(text):
    """The values of `--tau`, `--fixed` or `--target`: numbers with commas between, or none."""
    values = [] if text == "none" else [number(part.strip()) for part in text.split(",")]
    if not all(settings.Number("").allows(value) for value in values):
        raise argparse.ArgumentTypeError(f"expected numbers with commas between, received {text!r}")
    return values
