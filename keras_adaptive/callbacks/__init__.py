"""Callbacks for training adaptive models."""

from .curriculum import AdvanceCurriculum
from .gradient_noise import UpdateWrongFraction
from .relaxation import RaiseRelaxationPull
from .time_penalty import WarnOfTimePenalty

__all__ = ["AdvanceCurriculum", "RaiseRelaxationPull", "UpdateWrongFraction", "WarnOfTimePenalty"]
