"""Sorting by an encoder-decoder LSTM."""

from ..families.ham.baseline_settings import compared_with
from . import ham_sort

RECIPE = compared_with(ham_sort.RECIPE, attention=False, errors=(99, 100), searched=True)
