"""A stack by raw DHAM."""

from ..families.ham.settings import softened
from . import ham_stack

RECIPE = softened(ham_stack.RECIPE)
