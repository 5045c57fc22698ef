"""What `zoo` offers that needs Keras to be imported."""

from .search.study import study
from .search.tune import tuner
from .segmentation import segment

__all__ = ["segment", "study", "tuner"]
