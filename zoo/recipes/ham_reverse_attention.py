"""Reversal of a sequence by an LSTM with attention."""

from ..families.ham.baseline_settings import compared_with
from . import ham_reverse

RECIPE = compared_with(ham_reverse.RECIPE, attention=True, errors=(0, 100), searched=True)
