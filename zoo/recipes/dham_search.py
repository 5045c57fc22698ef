"""Binary search by an LSTM with DHAM."""

from ..families.ham.settings import softened
from . import ham_search

RECIPE = softened(ham_search.RECIPE)
