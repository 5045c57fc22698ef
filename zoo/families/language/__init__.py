"""Networks with adaptive computation time that predict the next byte of a text."""
