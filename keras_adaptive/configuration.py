"""What configurations of layers and models have in common."""

import copy
from collections.abc import Iterable
from typing import Any

import keras


def restored(
    config: dict[str, Any], parts: Iterable[str], custom_objects: dict[str, Any] | None = None
) -> dict[str, Any]:
    """A copy of a configuration in which some parts, if they are there, are objects again.

    Keras takes things out of the configurations of stacked cells that it reads; the one that is
    given stays as it is.

    Args:
        config: what `get_config` returned.
        parts: names of what was serialized, also as a list.
        custom_objects: as in `keras.saving.deserialize_keras_object`.

    Example:

    >>> config = {"units": 2, "cell": keras.saving.serialize_keras_object(keras.layers.Dense(3))}
    >>> restored(config, ["cell"])["cell"].units, type(config["cell"])
    (3, <class 'dict'>)
    """
    nested = (dict, list)
    config = {
        name: copy.deepcopy(value) if isinstance(value, nested) else value
        for name, value in config.items()
    }
    for name in parts:
        if isinstance(config.get(name), nested):
            config[name] = keras.saving.deserialize_keras_object(
                config[name], custom_objects=custom_objects
            )
    return config
