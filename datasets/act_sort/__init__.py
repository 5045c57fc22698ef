"""The sort task of Graves (2016)."""

from . import act_sort

__all__ = ["act_sort"]
