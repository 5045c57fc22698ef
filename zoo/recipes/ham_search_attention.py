"""Search by an LSTM with attention."""

from ..families.ham.baseline_settings import compared_with
from . import ham_search

RECIPE = compared_with(ham_search.RECIPE, attention=True, errors=(0.04, 0.52))
