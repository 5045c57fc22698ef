"""The networks of Graves (2016): a recurrent layer with adaptive computation time."""
