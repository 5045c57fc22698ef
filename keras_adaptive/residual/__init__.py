"""Residual networks that stop where the picture is easy: ACT and SACT (Figurnov et al. 2017)."""

from .layer import ResidualACT
from .unit import ResidualUnit

__all__ = ["ResidualACT", "ResidualUnit"]
