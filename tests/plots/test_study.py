"""The figures of studies are written, and what they show is right."""

import numpy as np
import pytest

from keras_adaptive.plots import study
from keras_adaptive.statistics import standard_error


def networks(error, steps, time_penalty=0.0):
    return [
        {
            "error": error + 0.01 * seed,
            "ponder_steps": steps,
            "time_penalty": time_penalty,
            "curve": [{"step": s + seed, "error": error, "ponder_steps": steps} for s in (1, 9)],
            "difficulty": [{"difficulty": d, "error": error, "ponder_steps": d} for d in (1, 2)],
        }
        for seed in range(3)
    ]


GROUPS = [
    {"name": "no ACT", "kind": "plain", "value": 1, "runs": networks(0.4, 1.0)},
    {"name": "τ = 0.1", "kind": "tau", "value": 0.1, "runs": networks(0.3, 2.0, 0.1)},
    {"name": "τ = 0.01", "kind": "tau", "value": 0.01, "runs": networks(0.1, 4.0, 0.01)},
    {"name": "N → 3", "kind": "targets", "value": 3, "runs": networks(0.2, 3.0, -0.01)},
]
FIGURES = ("error_bars", "learning_and_ponder", "against_difficulty", "time_penalties")


@pytest.mark.parametrize("name", FIGURES)
def test_figures(name, tmp_path):
    path = tmp_path / "picture.svg"
    assert getattr(study, name)(path, GROUPS, title="Parity") == path
    text = path.read_text()
    # A name is an element of its own in the file.
    assert all(f"<!-- {group['name']} -->" in text for group in GROUPS[1:])
    with pytest.raises(ValueError, match=r"`groups` must be rows"):
        getattr(study, name)(path, [{**GROUPS[1], "runs": []}])
    with pytest.raises(ValueError, match=r"`path` must end in one of \.png"):
        getattr(study, name)(tmp_path / "picture.txt", GROUPS)


def test_a_single_network_has_no_ellipse(tmp_path):
    groups = [{**group, "runs": group["runs"][:1]} for group in GROUPS]
    for name in FIGURES:
        getattr(study, name)(tmp_path / "picture.png", groups)
    assert standard_error([0.3]) == 0
    assert standard_error([0.1, 0.2, 0.3]) == pytest.approx(0.1 / np.sqrt(3))


def test_time_penalties_need_both_kinds(tmp_path):
    with pytest.raises(ValueError, match=r"both kinds, tau and targets. Received: \['plain', 'tau"):
        study.time_penalties(tmp_path / "picture.png", GROUPS[:3])
