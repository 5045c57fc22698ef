"""The kinds of settings."""

import warnings

import numpy as np
import pytest

from keras_adaptive.datasets.settings import Number


@pytest.mark.parametrize("value", [np.float32(0.5), np.float16(0.5), np.int8(1), 10**299])
def test_a_number_of_any_type(value):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Number("").allows(value) and Number("", 0).allows(value)


@pytest.mark.parametrize("value", [np.float32("inf"), np.float64("nan"), 1e300, 10**400, True])
def test_what_is_no_finite_number(value):
    assert not Number("").allows(value)
