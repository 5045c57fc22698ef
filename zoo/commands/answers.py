"""Output of commands: the answer as text or JSON, and notes on standard error."""

import json
import sys

from .. import families

PROGRAM = "keras-adaptive"


def answer(arguments, data, text):
    """Print `data` as JSON, or `text`."""
    utf8 = "utf" in str(getattr(sys.stdout, "encoding", "utf-8")).lower()
    print(json.dumps(data, ensure_ascii=not utf8) if arguments.json else text)


def note(text):
    """Print a message that is not part of the answer to standard error."""
    print(text, file=sys.stderr)


def report(recipe, metrics):
    """The numbers of an evaluation in one line."""
    family = families.of(recipe)
    if family.main_metric != "sequence_error":
        return f"{metrics['model']}: {family.describe(metrics)}"
    low, high = metrics["confidence_interval"]
    text = (
        f"{metrics['model']}: sequence error {metrics['sequence_error']:.2%} "
        f"({low:.2%} to {high:.2%}, {metrics['examples']} examples), "
        f"{family.describe(metrics)}"
    )
    if "within" in metrics:
        text += (
            f", 95 % of {metrics['calls']} calls within "
            f"{1000 * metrics['seconds_of_95_percent']:.1f} ms, "
            f"{metrics['late']:.1%} later than 1.2 × {1000 * metrics['within']:g} ms"
        )
    return text


def with_bit_errors(results):
    """Results for `--json`, where the share of wrong symbols is called `bit_error`."""
    if isinstance(results, list):
        return [with_bit_errors(result) for result in results]
    if not isinstance(results, dict):
        return results
    names = {
        key: key.replace("symbol_error", "bit_error") for key in results if isinstance(key, str)
    }
    return {names[key]: with_bit_errors(value) for key, value in results.items()}
