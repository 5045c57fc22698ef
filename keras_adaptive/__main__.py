"""Runs the command line: `python -m keras_adaptive` is `keras-adaptive`."""

import sys

from .zoo.cli import main

if __name__ == "__main__":
    sys.exit(main())
