"""A priority queue by raw DHAM."""

from ..families.ham.settings import softened
from . import ham_priority_queue

RECIPE = softened(ham_priority_queue.RECIPE)
