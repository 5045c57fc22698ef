"""Addition by an LSTM with DHAM."""

from ..families.ham.settings import softened
from . import ham_add

RECIPE = softened(ham_add.RECIPE)
