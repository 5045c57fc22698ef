"""Addition of binary numbers by an encoder-decoder LSTM."""

from ..families.ham.baseline_settings import compared_with
from . import ham_add

RECIPE = compared_with(ham_add.RECIPE, attention=False, errors=(39, 100), searched=True)
