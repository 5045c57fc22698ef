"""Recall networks (Bansal et al. 2022)."""
