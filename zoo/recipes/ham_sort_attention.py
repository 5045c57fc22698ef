"""Sorting by an LSTM with attention."""

from ..families.ham.baseline_settings import compared_with
from . import ham_sort

RECIPE = compared_with(ham_sort.RECIPE, attention=True, errors=(25, 100))
