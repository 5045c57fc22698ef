"""Types of command-line arguments: numbers, settings, lengths and lists of values."""

import argparse
import contextlib
import json
import re

from . import settings
from .search import space

INTEGER = re.compile(r"[+-]?[0-9]{1,30}")
NUMBER = re.compile(r"[+-]?([0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})(e[+-]?[0-9]{1,3})?", re.I)
# Between the ends of a range; a minus before a number is none.
RANGE = re.compile(r":|(?<=\d)-")


def number(text):
    """The number that an ASCII text spells, or the text itself, which a later check refuses."""
    if INTEGER.fullmatch(text):
        return int(text)
    return float(text) if NUMBER.fullmatch(text) else text


def setting(text):
    """The key and the value of `--set key=value`; the value is JSON or, failing that, a string."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"expected key=value, received {text!r}")
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(value)
    return key, value


def lengths(text):
    """The value of `--length`: an integer, or a pair for `least:largest` or `least-largest`."""
    bounds = tuple(number(part) for part in RANGE.split(text))
    if len(bounds) not in (1, 2):
        raise argparse.ArgumentTypeError(f"expected a length, or least:largest, received {text!r}")
    return bounds if len(bounds) == 2 else bounds[0]


def tried(text):
    """The setting and the values of `--over setting=values`; no values mean those declared."""
    name, equals, values = text.partition("=")
    return name, checked_values(values) if equals else None


def checked_values(text):
    """The text of `--tau` or `--over`; raises an error if no values can be read from it."""
    try:
        space.read(text)
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text


def numbers(text):
    """The values of `--tau`, `--fixed` or `--target`: numbers separated by commas, or none."""
    values = [] if text == "none" else [number(part.strip()) for part in text.split(",")]
    if not all(settings.Number("").allows(value) for value in values):
        raise argparse.ArgumentTypeError(f"expected numbers separated by commas, received {text!r}")
    return values
