"""The files of a search: killed between any two of them, lost, damaged, and in odd folders."""

import json
from pathlib import Path

import pytest

from keras_adaptive import zoo
from keras_adaptive.zoo import cli
from keras_adaptive.zoo.search import keras_tuner as searches
from keras_adaptive.zoo.search import space
from support import quick_trainings


class Killed(BaseException):
    """Stands for the end of the process: nothing here catches it."""


@pytest.fixture
def trainer(monkeypatch):
    return quick_trainings.install(monkeypatch.setattr)


def search(folder, method="random", trials=4, **options):
    over = {"tau": [1e-3, 1e-2, 1e-1] if method == "grid" else "1e-4:1e-1"}
    tuner = zoo.tuner("act_logic", folder, over=over, method=method, trials=trials, **options)
    tuner.search()
    return [(row["trial"], row["overrides"], row["share"]) for row in tuner.rows()]


def killed_after(write, at, monkeypatch, *options):
    """A search whose process ends after the write number `at`."""
    written = []

    def write_and_die(path, content):
        write(path, content)
        written.append(Path(path).name)
        if len(written) == at:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(searches, "write_json", write_and_die)
        with pytest.raises(Killed):
            search(*options)
    return written


@pytest.mark.parametrize("method", space.METHODS)
def test_killed_between_two_files(method, trainer, tmp_path, monkeypatch):
    """The first trial writes the files 2 to 6: itself and the state, its numbers, both again."""
    whole = search(tmp_path / "whole", method)
    write, names = searches.write_json, []
    for at in range(1, 9):
        folder = tmp_path / str(at)
        names = killed_after(write, at, monkeypatch, folder, method)
        assert search(folder, method, resume=True) == whole
    assert names[:3] == ["oracle.json", "trial.json", "oracle.json"]


def test_a_bayesian_search_goes_on_as_one_that_was_not_interrupted(trainer, tmp_path):
    """The first three of its trials are random; the table rounds what is the same to 9 digits."""
    search(tmp_path / "whole", "bayesian", trials=5)
    search(tmp_path / "part", "bayesian", trials=4)
    search(tmp_path / "part", "bayesian", trials=5, resume=True)
    whole, part = (tmp_path / name / "trial_4/trial.json" for name in ("whole", "part"))
    values = [json.loads(path.read_text())["hyperparameters"]["values"] for path in (whole, part)]
    assert values[0] == values[1]


@pytest.mark.parametrize("name", ["x[1]", "[!a]*"])
def test_a_folder_with_any_name(name, trainer, tmp_path):
    whole = search(tmp_path / "plain")
    search(tmp_path / name, trials=2)
    assert search(tmp_path / name, resume=True) == whole


@pytest.mark.parametrize("content", [None, "", "{}", "[]", '{"start_order": ["0"'])
@pytest.mark.parametrize("name", ["trial_0/trial.json", "oracle.json"])
def test_a_lost_or_damaged_file(name, content, trainer, tmp_path, capsys):
    search(tmp_path, trials=2)
    path = tmp_path / name
    path.unlink()
    if content is not None:
        path.write_text(content)
    command = ["tune", "act_logic", "--trials", "4", "--out", str(tmp_path), "--resume"]
    assert cli.main(command) == 2
    error = capsys.readouterr().err
    assert str(tmp_path) in error and "search again in another folder" in error
    assert len(trainer.calls) == 2


def test_a_state_that_has_lost_a_trial(trainer, tmp_path):
    search(tmp_path, trials=3)
    state = json.loads((tmp_path / "oracle.json").read_text())
    state["start_order"].remove("1")
    (tmp_path / "oracle.json").write_text(json.dumps(state))
    with pytest.raises(ValueError, match=r"trial 1 is missing.*another folder"):
        search(tmp_path, resume=True)


@pytest.mark.parametrize("content", [None, "", "{", "{}"])
def test_a_tuner_needs_no_file_of_its_own(content, trainer, tmp_path):
    whole = search(tmp_path / "whole")
    search(tmp_path / "part", trials=2)
    assert not (tmp_path / "part/tuner0.json").exists()
    if content is not None:
        # Earlier versions wrote one.
        (tmp_path / "part/tuner0.json").write_text(content)
    assert search(tmp_path / "part", resume=True) == whole
