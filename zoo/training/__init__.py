"""Training a recipe: batches, checkpoints, and the training loop."""

# The file with the results of several seeds, beside the folders of their trainings.
SEEDS = "scout.json"
