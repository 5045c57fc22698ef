"""Search by an LSTM with attention."""

from ..families.ham_baseline_settings import compared_with
from . import ham_search

RECIPE = compared_with(ham_search.RECIPE, attention=True)
