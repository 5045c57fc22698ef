"""Merging by an LSTM with attention."""

from ..families.ham_baseline_settings import compared_with
from . import ham_merge

RECIPE = compared_with(ham_merge.RECIPE, attention=True)
