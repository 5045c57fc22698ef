"""The parity task of Graves (2016)."""
