"""The published entries: their files, their numbers, their cards, and loading them."""
