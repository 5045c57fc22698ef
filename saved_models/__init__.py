"""The pretrained models, one folder each. `keras_adaptive.zoo` lists and loads them."""
