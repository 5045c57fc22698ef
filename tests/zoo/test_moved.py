"""Modules of the zoo that have moved are found under their old names."""

import importlib
import sys

import pytest

from keras_adaptive import zoo
from keras_adaptive.zoo.moved import MOVED


@pytest.mark.parametrize("old", sorted(MOVED))
def test_old_name_is_the_new_module_and_warns(old, monkeypatch):
    name = f"{zoo.__name__}.{old}"
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.warns(DeprecationWarning, match=f"{name} is now"):
        found = importlib.import_module(name)
    new = importlib.import_module(f"{zoo.__name__}.{MOVED[old]}")
    assert found is new
    assert new.__spec__.name == new.__name__ == f"{zoo.__name__}.{MOVED[old]}"


def test_another_name_is_not_found():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{zoo.__name__}.no_such_module")
