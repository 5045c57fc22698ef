"""Merging by an LSTM with DHAM."""

from ..families.ham.settings import softened
from . import ham_merge

RECIPE = softened(ham_merge.RECIPE)
