"""Search by an encoder-decoder LSTM."""

from ..families.ham.baseline_settings import compared_with
from . import ham_search

RECIPE = compared_with(ham_search.RECIPE, attention=False, errors=(62, 89), searched=True)
