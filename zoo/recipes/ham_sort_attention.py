"""Sorting by an LSTM with attention."""

from ..families.ham_baseline_settings import compared_with
from . import ham_sort

RECIPE = compared_with(ham_sort.RECIPE, attention=True)
