"""Handwritten digits on noisy canvases, with the truth about where they are."""

from . import digit_canvas

__all__ = ["digit_canvas"]
