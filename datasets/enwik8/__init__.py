"""The first 100 million bytes of Wikipedia, as Graves (2016) had them predicted."""

from . import enwik8

__all__ = ["enwik8"]
