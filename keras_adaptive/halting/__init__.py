"""Halting: the loop that repeats a step, weighs its results and stops, for any kind of step.

* `ACT`, `AnytimeACT`, `Fixed`, `Sampled`, `Expected`, `Converged`: rules that decide when to
  stop; your own rule is any object with their methods.
* `ponder`: the loop over any step.
* `limits`: override the limits of trained models; `is_last`: how a rule obeys them.
* `compaction`: drop rows that have halted from the batch, in inference.
* `record`, `report`: how layers tell models how long they pondered.
"""

from .anytime import AnytimeACT
from .converged import Converged
from .entry import Entry, record, report
from .expected import Expected
from .loop import Result, compaction, ponder
from .rules import ACT, Decision, Fixed, Sampled, is_last, limits

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
    "is_last",
    "limits",
    "ponder",
    "record",
    "report",
]
