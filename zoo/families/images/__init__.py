"""Residual networks that halt in images, per image or per position (Figurnov et al. 2017)."""
