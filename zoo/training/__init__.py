"""Training a recipe: batches, checkpoints, and what happens while it runs."""

# What each of several seeds reached, beside the folders of their trainings.
SEEDS = "scout.json"
