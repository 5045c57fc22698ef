"""Pointer networks (Vinyals, Fortunato & Jaitly 2015), whose decoder may ponder."""
