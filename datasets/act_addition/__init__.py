"""The addition task of Graves (2016)."""
