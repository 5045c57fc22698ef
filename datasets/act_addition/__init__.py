"""The addition task of Graves (2016)."""

from . import act_addition

__all__ = ["act_addition"]
