"""The logic task of Graves (2016)."""
