"""The types that annotations of this package share."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

# A tensor or array of any backend, or whatever Keras makes one of: no type of Keras or NumPy covers
# all of them. Shapes and dtypes stand in the docstrings.
Tensor: TypeAlias = Any

# The size of each axis, None where it is free.
Shape: TypeAlias = tuple[int | None, ...]

# A table: a dict for each row, with the columns by their names.
Rows: TypeAlias = Sequence[Mapping[str, Any]]


class Rule(Protocol):
    """A halting rule; `keras_adaptive.halting.rules` says what its parts mean."""

    max_ponder: int
    has_ponder_cost: bool

    def start(self, batch_size: Tensor, dtype: str) -> Any:
        """The memory before the first step."""

    def __call__(self, step: Tensor, halting: Tensor | None, memory: Any) -> Any:
        """The `Decision` about a step."""
