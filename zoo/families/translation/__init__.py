"""Translation with attention (Bahdanau, Cho & Bengio 2015), whose decoder may ponder."""
