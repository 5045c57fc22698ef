"""Pictures are written, and matplotlib's global state is left alone."""

import subprocess
import sys
from pathlib import Path

import pytest

from keras_adaptive import plots

ROWS = [
    {"difficulty": n, "sequence_error": n / 100, "ponder": 2 + n / 10, "ponder_steps": 2}
    for n in range(1, 6)
]
SEQUENCE = {"inputs": ["12", "345"], "answers": ["", "357"], "ponder": [2.1, 3.4]}


@pytest.mark.parametrize("suffix", plots.FORMATS)
def test_ponder_against_difficulty(suffix, tmp_path):
    path = tmp_path / f"picture{suffix}"
    curves = {"with ACT": ROWS, "without": ROWS}
    assert plots.ponder_against_difficulty(path, curves, "bits", "Parity") == path
    assert path.stat().st_size > 1000


def test_ponder_along_sequence(tmp_path):
    path = tmp_path / "picture.svg"
    plots.ponder_along_sequence(path, [SEQUENCE, {**SEQUENCE, "floor": [2, 3]}])
    assert path.stat().st_size > 1000


def test_bad_arguments(tmp_path):
    with pytest.raises(ValueError, match=r"picture\.gif"):
        plots.ponder_along_sequence(tmp_path / "picture.gif", [SEQUENCE])
    with pytest.raises(ValueError, match="curves"):
        plots.ponder_against_difficulty(tmp_path / "picture.png", {})
    with pytest.raises(ValueError, match="sequences"):
        plots.ponder_along_sequence(tmp_path / "picture.png", [])


def test_matplotlib_is_imported_when_used_and_pyplot_never():
    script = (
        "import sys, importlib.util as u\n"
        f"spec = u.spec_from_file_location('plots', {str(Path(plots.__file__))!r})\n"
        "plots = u.module_from_spec(spec); spec.loader.exec_module(plots)\n"
        "assert 'matplotlib' not in sys.modules\n"
        "plots._figure('a.png', 1, 1)\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
