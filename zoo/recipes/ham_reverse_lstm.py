"""Reversal of a sequence by an encoder-decoder LSTM."""

from ..families.ham_baseline_settings import compared_with
from . import ham_reverse

RECIPE = compared_with(ham_reverse.RECIPE, attention=False)
