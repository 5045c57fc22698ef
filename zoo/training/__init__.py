"""Training a recipe: batches, checkpoints, and what happens while it runs."""
