"""A queue by raw DHAM."""

from ..families.ham.settings import softened
from . import ham_queue

RECIPE = softened(ham_queue.RECIPE)
