"""Layers that stay frozen when they are made again."""

import keras


def freeze_parts(layer: keras.layers.Layer) -> None:
    """Freezes the layers inside a layer that is frozen.

    Setting `trainable` freezes those that there are. A layer that is made from a configuration
    with `trainable=False` has none yet, and calls this at the end of `build`.
    """
    if not layer.trainable:
        # Setting it once more on the layer itself does nothing, as the value is the same.
        for part in layer._flatten_layers(include_self=False):
            part.trainable = False
