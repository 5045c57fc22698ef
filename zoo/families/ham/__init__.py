"""Networks with hierarchical attentive memory, and those that they are compared with."""
