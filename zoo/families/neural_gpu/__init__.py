"""Neural GPUs, and the networks that they are compared with."""
