"""The sort task of Graves (2016)."""
