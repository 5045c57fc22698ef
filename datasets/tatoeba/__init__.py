"""English sentences of Tatoeba and their German translations."""

from . import tatoeba

__all__ = ["tatoeba"]
