"""The logic task of Graves (2016)."""

from . import act_logic

__all__ = ["act_logic"]
