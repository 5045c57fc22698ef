"""The parity task of Graves (2016)."""

from . import act_parity

__all__ = ["act_parity"]
