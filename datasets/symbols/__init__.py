"""What tasks on sequences of symbols share (Kaiser & Sutskever 2016)."""

from .bit_task import BitTask
from .number_task import NumberTask
from .sequences import BLANK, PADDING

__all__ = ["BLANK", "PADDING", "BitTask", "NumberTask"]
