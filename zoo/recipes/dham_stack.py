"""A stack by raw DHAM."""

from ..families.ham_settings import softened
from . import ham_stack

RECIPE = softened(ham_stack.RECIPE)
