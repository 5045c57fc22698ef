"""Halting: repeat a step, weigh its results, stop. The family's one idea, apart from any cell.

* `ACT`, `AnytimeACT`, `Fixed`, `Sampled`, `Expected`, `Converged`: rules that decide how long to go
  on; write your own as an object.
* `ponder`: the loop over any step.
* `limits`: override the limits of trained models.
* `compaction`: drop rows that have halted from the batch, in inference.
* `record`, `report`: how layers tell models how long they pondered.
"""

from .anytime import AnytimeACT
from .converged import Converged
from .entry import Entry, record, report
from .expected import Expected
from .loop import Result, compaction, ponder
from .rules import ACT, Decision, Fixed, Sampled, limits

__all__ = [
    "ACT",
    "AnytimeACT",
    "Converged",
    "Decision",
    "Entry",
    "Expected",
    "Fixed",
    "Result",
    "Sampled",
    "compaction",
    "limits",
    "ponder",
    "record",
    "report",
]
