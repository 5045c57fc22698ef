"""The bar of a training: its estimate leaves out what happens once."""

import re

import pytest

from keras_adaptive.callbacks import progress_bar


@pytest.fixture
def shown(monkeypatch, capsys):
    """Takes a bar to steps at given seconds; returns the estimates that it showed."""

    def run(times, **settings):
        now = 0.0
        monkeypatch.setattr(progress_bar.time, "monotonic", lambda: now)
        bar = progress_bar.Bar(1000, interval=0, **settings)
        for step, now in times:  # noqa: B007
            bar.update(step, [("loss", 1.0)], finalize=False)
        text = re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out)
        return re.findall(r"(\d+)/1000 \S+ (\S+) (\d+ms)/step", text)

    return run


def test_compilation_is_not_counted(shown):
    """The first steps take 30 seconds, those after the first validation 10, all others one."""
    times = [(20, 30.0), (40, 31.0), (60, 41.0), (80, 42.0)]
    assert shown(times) == [("60", "47s", "50ms"), ("80", "46s", "50ms")]


def test_what_was_trained_before_is_not_counted(shown):
    times = [(820, 30.0), (840, 31.0), (860, 32.0)]
    assert shown(times, start=800) == [("860", "7s", "50ms")]
