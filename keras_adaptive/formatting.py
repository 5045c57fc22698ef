"""Texts as people read them in a terminal: short, printable, in columns."""

from collections.abc import Callable


def shortened(text: str, most: int = 600) -> str:
    """A text as one printable line, with an ellipsis in its middle if it is very long.

    >>> shortened("0123456789" * 3, most=20)
    '0123456789 … 56789'
    """
    text = printable(" ".join(text.split()))
    return text if len(text) <= most else f"{text[: most // 2]} … {text[-most // 4 :]}"


def printable(text: str) -> str:
    """A text of one or more lines whose other characters that are not printable are escaped.

    >>> print(printable("one\\x1b\\ntwo"))
    one\\x1b
    two
    """
    return "".join(x if x.isprintable() or x == "\n" else repr(x)[1:-1] for x in text)


def truncated(text: str, most: int) -> str:
    """The beginning of a text, with an ellipsis where it is longer than `most` characters.

    >>> truncated("0110100110010110", 8), truncated("0110", 8)
    ('0110100…', '0110')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def plural(number: int, word: str, ending: str = "s") -> str:
    """A number and a word.

    >>> plural(1, "seed"), plural(2000, "batch", "es")
    ('1 seed', '2,000 batches')
    """
    return f"{number:,} {word}{ending if number != 1 else ''}"


def aligned(rows: list[list[str]], align: Callable[[str, int], str] = str.rjust) -> list[str]:
    """Rows of texts as lines with columns of the same width.

    >>> print("\\n".join(aligned([["steps", "error"], ["5", "1 %"]])))
    steps  error
        5    1 %
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(align, row, widths)).rstrip() for row in rows]
