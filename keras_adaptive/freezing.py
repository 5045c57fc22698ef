"""Layers that stay frozen when they are made again."""

from typing import Any, Self

import keras


class KeepsFrozenParts(keras.layers.Layer):
    """A layer made of layers.

    Keras keeps in a file whether a layer of a model is frozen, but not which layers inside of it
    are. A layer of this class has their numbers in its configuration. It calls `freeze_parts` at
    the end of `build`.
    """

    _frozen: tuple[int, ...] = ()

    def freeze_parts(self) -> None:
        """Freezes the parts that were frozen, all of them if the layer is."""
        for number, part in enumerate(self._flatten_layers(include_self=False)):
            # Setting it once more on the layer itself does nothing, as the value is the same.
            if not self.trainable or number in self._frozen:
                part.trainable = False

    def get_config(self) -> dict[str, Any]:
        """The arguments that make this layer again, and the numbers of frozen parts, if any."""
        frozen = self._frozen
        if self.built:
            parts = self._flatten_layers(include_self=False)
            frozen = tuple(n for n, part in enumerate(parts) if not part.trainable)
        config = super().get_config()
        return {**config, "frozen": list(frozen)} if frozen and self.trainable else config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A layer from `get_config`."""
        arguments = {name: value for name, value in config.items() if name != "frozen"}
        layer = super().from_config(arguments)
        layer._frozen = tuple(config.get("frozen", ()))
        return layer
