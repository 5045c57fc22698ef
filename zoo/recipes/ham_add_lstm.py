"""Addition of binary numbers by an encoder-decoder LSTM."""

from ..families.ham_baseline_settings import compared_with
from . import ham_add

RECIPE = compared_with(ham_add.RECIPE, attention=False)
