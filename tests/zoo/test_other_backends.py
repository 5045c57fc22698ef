"""Every kind of recipe trains on the other backends too."""

import pytest

import other_backend
from recipes_on_every_backend import SMALL

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("backend", ["jax", "torch"])
@pytest.mark.parametrize("name", SMALL)
def test_two_steps_move_every_weight(backend, name):
    assert other_backend.call(backend, "recipes_on_every_backend", "trained", name) == []
