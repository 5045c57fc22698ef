"""Hierarchical attentive memory: a memory that is accessed by a descent in a binary tree.

Source: Andrychowicz & Kurach, "Learning Efficient Algorithms with Hierarchical Attentive Memory"
(2016), arXiv:1602.03218.
"""

from .decisions import entropy, log_probability, record
from .dham import DHAM
from .ham import HAM
from .memory import Memory
from .perceptrons import MLP, HighwayWrite

__all__ = [
    "DHAM",
    "HAM",
    "MLP",
    "HighwayWrite",
    "Memory",
    "entropy",
    "log_probability",
    "record",
]
