"""Reversal of a sequence by an LSTM with attention."""

from ..families.ham_baseline_settings import compared_with
from . import ham_reverse

RECIPE = compared_with(ham_reverse.RECIPE, attention=True)
