"""The largest number of steps of rules and layers, which can be set."""

from .. import arguments


class HasMaxPonder:
    """What has a largest number of steps."""

    @property
    def max_ponder(self) -> int:
        """The largest number of steps, the paper's M."""
        return self._max_ponder

    @max_ponder.setter
    def max_ponder(self, value: int) -> None:
        self._max_ponder = arguments.integer("max_ponder", value, least=1)
