"""Addition of binary numbers by an LSTM with attention."""

from ..families.ham_baseline_settings import compared_with
from . import ham_add

RECIPE = compared_with(ham_add.RECIPE, attention=True)
