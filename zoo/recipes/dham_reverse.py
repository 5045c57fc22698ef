"""Reversing by an LSTM with DHAM."""

from ..families.ham.settings import softened
from . import ham_reverse

RECIPE = softened(ham_reverse.RECIPE)
