"""Layers that stay frozen when they are made again."""

from typing import Any, ClassVar, Self

import keras

from .configuration import restored


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
        layer = super().from_config(_without_frozen(config))
        layer._frozen = tuple(config.get("frozen", ()))
        return layer


class KeepsFrozenLayers(KeepsFrozenParts):
    """The same for a model that its constructor makes again."""

    # Arguments that a config has in Keras's serialized form.
    serialized: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Self:
        """A model from `get_config`."""
        model = cls(**restored(_without_frozen(config), cls.serialized, custom_objects))
        model._frozen = tuple(config.get("frozen", ()))
        return model


def _without_frozen(config):
    return {name: value for name, value in config.items() if name != "frozen"}
