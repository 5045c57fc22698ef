"""Resuming an interrupted command."""

import shlex
from pathlib import Path

from ... import checkpoints
from .answers import PROGRAM


def again(argv, resume):
    """The command line that resumes an interrupted command.

    >>> again(["train", "act_sort", "--out", "my runs/sort", "--json"], resume=True)
    "keras-adaptive train act_sort --out 'my runs/sort' --json --resume"
    """
    words = [word for word in argv if word != "--resume"]
    end = words.index("--") if "--" in words else len(words)
    return shlex.join([PROGRAM, *words[:end], *["--resume"] * resume, *words[end:]])


def has_training(out):
    """Whether `train --resume` can continue in a folder."""
    return out is not None and any(map(checkpoints.exists, (out, Path(out) / "seed-0")))
