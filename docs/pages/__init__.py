"""The tables of the pages of the documentation, made of results."""
