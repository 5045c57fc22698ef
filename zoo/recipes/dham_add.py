"""Addition by an LSTM with DHAM."""

from ..families.ham_settings import softened
from . import ham_add

RECIPE = softened(ham_add.RECIPE)
