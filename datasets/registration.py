"""Registers the builders with TensorFlow Datasets as soon as that is imported, and not before.

`import keras_adaptive.datasets` must neither cost the seconds that TensorFlow Datasets takes nor
need it at all; and `tfds.load("act_parity")` must work whichever of the two is imported first.
"""

import importlib
import sys
import warnings
from collections.abc import Iterable

from ..import_hook import when_imported

TFDS = "tensorflow_datasets"


def register(tasks: Iterable[str]) -> None:
    """Register the builders of `tasks` now if TFDS is imported, else when it will be.

    Args:
        tasks: names of tasks.
    """
    if sys.modules.get(TFDS) is not None:
        _import_builders(tasks)
    else:
        when_imported(TFDS, lambda _: _import_builders(tasks))


def _import_builders(tasks):
    # A builder registers itself when its module is imported, which happens once.
    for name in tasks:
        try:
            importlib.import_module(f".{name}.{name}_dataset_builder", __package__)
        except Exception as error:  # a broken builder must not break the import of TFDS
            warnings.warn(
                f"the data set {name} is not registered with TFDS: {error!r}", stacklevel=2
            )
