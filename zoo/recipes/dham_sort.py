"""Sorting by an LSTM with DHAM."""

from ..families.ham.settings import softened
from . import ham_sort

RECIPE = softened(ham_sort.RECIPE)
