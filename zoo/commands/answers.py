"""How commands answer: on standard output, as text or JSON; and what they tell beside it."""

import json
import sys

from .. import families

PROGRAM = "keras-adaptive"


def answer(arguments, data, text):
    """Print `data` as JSON, or `text`."""
    print(json.dumps(data, ensure_ascii=False) if arguments.json else text)


def note(text):
    """Tell the person something that is no part of the answer."""
    print(text, file=sys.stderr)


def report(recipe, found):
    """The numbers of an evaluation in one line."""
    family = families.of(recipe)
    if family.main_metric != "sequence_error":
        return f"{found['model']}: {family.describe(found)}"
    low, high = found["confidence_interval"]
    text = (
        f"{found['model']}: sequence error {found['sequence_error']:.2%} "
        f"({low:.2%} to {high:.2%}, {found['examples']} examples), "
        f"{family.describe(found)}"
    )
    if "within" in found:
        text += (
            f", 95 % of {found['calls']} calls within {1000 * found['seconds_of_95_percent']:.1f} "
            f"ms, {found['late']:.1%} later than 1.2 × {1000 * found['within']:g} ms"
        )
    return text


def in_words_of_users(found):
    """An evaluation for `--json`, where the share of wrong symbols is called `bit_error`."""
    if isinstance(found, list):
        return [in_words_of_users(one) for one in found]
    if not isinstance(found, dict):
        return found
    names = {key: key.replace("symbol_error", "bit_error") for key in found if isinstance(key, str)}
    return {names[key]: in_words_of_users(value) for key, value in found.items()}
