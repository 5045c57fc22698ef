"""Merging by an LSTM with attention."""

from ..families.ham.baseline_settings import compared_with
from . import ham_merge

RECIPE = compared_with(
    ham_merge.RECIPE,
    attention=True,
    errors=(16, 100),
    test_data_seen=(
        "Seed 0 was published first, with 29.80, 93.04 and 100.00 % wrong for up to 32, 64 and "
        "128 input vectors.",
    ),
)
