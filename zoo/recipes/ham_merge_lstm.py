"""Merging by an encoder-decoder LSTM."""

from ..families.ham.baseline_settings import compared_with
from . import ham_merge

RECIPE = compared_with(ham_merge.RECIPE, attention=False, errors=(88, 100))
