"""What all data sets share as data sets of TensorFlow Datasets."""
