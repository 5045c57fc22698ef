"""The loops on TensorFlow: `core` has those of any graph, `scan` the one loop of a training."""
