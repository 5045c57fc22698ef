"""The travelling salesman as a task, of Vinyals, Fortunato & Jaitly (2015)."""

from . import tsp

__all__ = ["tsp"]
