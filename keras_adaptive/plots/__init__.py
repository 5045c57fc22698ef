"""Pictures of ponder, of thoughts and of trainings, as the papers draw them.

Every function writes a file, whole or not at all, and returns its path. `study` has the pictures of
many networks, `tree` those of a hierarchical memory, and `text` those of a network that reads.
"""

from . import study, text, tree
from .answers import answers_after_steps
from .cost import accuracy_against_cost
from .figure import FORMATS, check_format
from .image import mental_image_animation, mental_image_stills
from .limit import error_against_limit
from .places import ponder_over_pictures
from .points import answers_over_points
from .ponder import learning_curve, ponder_against_difficulty, ponder_along_sequence

__all__ = [
    "FORMATS",
    "accuracy_against_cost",
    "answers_after_steps",
    "answers_over_points",
    "check_format",
    "error_against_limit",
    "learning_curve",
    "mental_image_animation",
    "mental_image_stills",
    "ponder_against_difficulty",
    "ponder_along_sequence",
    "ponder_over_pictures",
    "study",
    "text",
    "tree",
]
