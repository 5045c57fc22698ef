"""Callbacks for training adaptive models, and for trainings that are interrupted and resumed."""

from .autosave import Autosave
from .checkpoint import Checkpoint
from .curriculum import AdvanceCurriculum
from .finite import RequireFinite
from .gradient_noise import UpdateWrongFraction
from .progress_bar import ProgressBar
from .relaxation import RaiseRelaxationPull
from .time_penalty import WarnOfTimePenalty

__all__ = [
    "AdvanceCurriculum",
    "Autosave",
    "Checkpoint",
    "ProgressBar",
    "RaiseRelaxationPull",
    "RequireFinite",
    "UpdateWrongFraction",
    "WarnOfTimePenalty",
]
