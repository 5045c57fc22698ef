"""An entry that averages several trainings."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from keras_adaptive import datasets
from keras_adaptive.zoo import cli, recipes
from keras_adaptive.zoo.entries import store
from keras_adaptive.zoo.entries.ensemble import averaged_run
from keras_adaptive.zoo.training.run import restore

NAME = "neural_gpu_addition"


@pytest.fixture(scope="module")
def runs(tmp_path_factory, eagerly):
    """Two trainings of a tiny Neural GPU, the second with other weights."""
    from keras_adaptive.zoo.training.train import train

    small = {"maps": 4, "longer": 5, "bits": 3, "min_bits": 1, "batch_size": 4, "validate_every": 8}
    stages = {"steps": 2, "chunk": 2, "bins": (2, 3)}
    folder = tmp_path_factory.mktemp("runs")
    with eagerly():
        run = train(NAME, folder / "first", overrides={**small, **stages}, until_stage=1)
    shutil.copytree(folder / "first", folder / "second")
    other = restore(folder / "second")
    for variable in other.model.trainable_variables:
        variable.assign(2.0 * variable)
    other.save()
    return run, other


@pytest.mark.usefixtures("eager")
def test_entry(runs, tmp_path, capsys):
    folders = [str(run.folder) for run in runs]
    ensemble = [folders[0], "--ensemble", folders[1], "--examples", "4", "--lengths", "4"]
    assert cli.main(["measure", *ensemble, "--json"]) == 0
    measured = json.loads(capsys.readouterr().out)["lengths"]
    words = ["export", *ensemble, "--into", str(tmp_path)]
    assert cli.main(words) == 0, capsys.readouterr().err
    inputs = datasets.batch(NAME, 3, seed=3, bits=5)["inputs"]
    answers = [run.model.predict_on_batch(inputs) for run in runs]
    assert np.abs(answers[0] - answers[1]).max() > 0.01
    model = store.load(NAME, folder=tmp_path)
    np.testing.assert_allclose(model.predict_on_batch(inputs), np.mean(answers, axis=0), atol=1e-5)
    served = store.saved_model(NAME, tmp_path)
    outputs = served.serve(inputs.astype("int32"))["outputs"]
    np.testing.assert_allclose(outputs, np.mean(answers, axis=0), atol=1e-5)
    metrics = store.results(NAME, tmp_path)
    assert metrics["ensemble"] == 2 and len(metrics["runs"]) == 2
    assert {row["length"] for row in metrics["lengths"]} == {3, 4}
    # Measured once, for the command and for the entry.
    assert [row["seconds"] for row in metrics["lengths"]] == [row["seconds"] for row in measured]
    assert "mean of the outputs of the first 2;" in store.card(NAME, tmp_path)
    # What is measured of the ensemble does not take the place of what was of its first member.
    assert not (runs[0].folder / "lengths.json").exists()


def test_what_is_no_ensemble(runs):
    with pytest.raises(ValueError, match="each training once"):
        averaged_run([runs[0], runs[0]])
    other = SimpleNamespace(recipe=recipes.load("neural_gpu_copy"), folder=Path("copy"))
    with pytest.raises(ValueError, match="copy is a training of neural_gpu_copy"):
        averaged_run([runs[0], other])
    act = [
        SimpleNamespace(
            recipe=recipes.load("act_logic"), folder=Path(name), position=runs[0].position
        )
        for name in ("a", "b")
    ]
    with pytest.raises(ValueError, match="nothing but probabilities, and act_logic"):
        averaged_run(act)
