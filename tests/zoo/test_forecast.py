"""What `tune` and `study` say before they start."""

import time

import pytest

from keras_adaptive.zoo import cli, recipes
from keras_adaptive.zoo.search import forecast
from support import quick_trainings


@pytest.fixture
def told(monkeypatch, capsys, tmp_path):
    """The lines of a command, whose trainings take no time, before the first training."""
    trainer = quick_trainings.install(monkeypatch.setattr)

    def tell(*words, stop_at=None):
        trainer.at = {stop_at: KeyboardInterrupt()}
        assert cli.main([*words, "--out", str(tmp_path)]) in (0, 130)
        lines = capsys.readouterr().err.splitlines()
        first = next((line for line in lines if line.startswith(("trial ", "training "))), None)
        return lines[: lines.index(first) if first else None]

    return tell


def test_tune(told):
    words = ["tune", "act_logic", "--tau", "1e-4:1e-1", "--trials", "4", "--seeds", "3"]
    assert told(*words, stop_at=6) == [
        "act_logic: 4 trials (time_penalty=0.0001:0.1) with 3 seeds each",
        "12 trainings of at most 70,000 batches of 16 examples",
        "about 2.3 hours for 12 trainings: a batch takes about 0.01 seconds",
    ]
    assert told(*words, "--resume")[-2:] == [
        "12 trainings of at most 70,000 batches of 16 examples; 5 are done",
        "about 82 minutes for 7 trainings: a batch takes about 0.01 seconds",
    ]
    assert "12 are done" in told(*words, "--resume")[-1]


def test_what_hyperband_tries_is_not_known(told):
    lines = told("tune", "act_sort", "--method", "hyperband", "--tau", "1e-4:1e-1", stop_at=1)
    assert lines[0] == "act_sort: trials by hyperband (time_penalty=0.0001:0.1) with 1 seed each"
    assert lines[1].startswith("trainings of at most") and "for a whole training" in lines[2]


def test_study(told):
    words = ["study", "act_logic", "--tau", "0.1,0.01", "--target", "none", "--seeds", "2"]
    lines = told(*words, "--steps-scale", "0.1", stop_at=1)
    assert lines == [
        "act_logic: 4 settings (no ACT, 5 steps, τ = 0.1, τ = 0.01) with 2 seeds each",
        "8 trainings of at most 7,000 batches of 16 examples",
        "about 9 minutes for 8 trainings: a batch takes about 0.01 seconds",
    ]


def test_a_batch_is_measured_without_compilation(small, monkeypatch):
    monkeypatch.setattr(forecast, "SECONDS", 0.2)
    recipe = recipes.load("act_parity").with_overrides({**small, "chunk": 20, "bits": 4})
    began = time.monotonic()
    found = forecast.seconds_a_batch(recipe)
    # Compilation alone takes seconds.
    assert 0 < found < (time.monotonic() - began) / 40


def test_what_is_trained_as_soon_as_measured_is_not_measured(small, capsys):
    recipe = recipes.load("act_parity").with_overrides(small)
    forecast.announce(recipe, ["τ = 0.1"], (1, "setting"), 1, 0)
    assert capsys.readouterr().err == (
        "act_parity: 1 setting (τ = 0.1) with 1 seed each\n"
        "1 training of at most 8 batches of 4 examples\n"
    )
