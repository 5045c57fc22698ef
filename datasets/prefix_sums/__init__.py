"""The task of prefix sums of Bansal et al. (2022)."""

from . import prefix_sums

__all__ = ["prefix_sums"]
