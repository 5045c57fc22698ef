"""Addition of binary numbers by an LSTM with attention."""

from ..families.ham.baseline_settings import compared_with
from . import ham_add

RECIPE = compared_with(ham_add.RECIPE, attention=True, errors=(0, 100), searched=True)
