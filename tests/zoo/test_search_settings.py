"""Settings of searches: which go together, of which types they are, and what KerasTuner tells."""

import numpy as np
import pytest

from keras_adaptive import zoo
from keras_adaptive.zoo.search import rows, space, study_table
from keras_adaptive.zoo.search.study import Study
from support import quick_trainings


@pytest.fixture
def trainer(monkeypatch):
    return quick_trainings.install(monkeypatch.setattr)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        (
            "act_parity",
            {"over": {"max_ponder": [2, 9]}, "overrides": {"target_ponder": 8}},
            "max_ponder=2: target_ponder must be at most max_ponder, 2. Received: 8",
        ),
        (
            "act_parity",
            {"over": {"max_ponder": [5, 2], "target_ponder": [1, 4, 3]}},
            "max_ponder=2, target_ponder=4: target_ponder must be at most max_ponder, 2",
        ),
        (
            "act_parity",
            {"over": {"max_ponder": "2:9", "target_ponder": "1:5"}, "method": "random"},
            "max_ponder=2, target_ponder=5.0: ",
        ),
        ("act_logic", {"over": {"units": [8, 16]}, "overrides": {"units": 3}}, "units is both set"),
        ("act_logic", {"over": {"tau": [0.1]}, "overrides": {"time_penalty": 0.2}}, "is both set"),
        ("act_logic", {"over": {"seed": [1, 2]}}, "a seed of its own, see `seeds`"),
        ("act_logic", {"overrides": {"seed": 3}}, "a seed of its own, see `seeds`"),
        ("act_logic", {"variant": "plain"}, "halting=fixed has no time_penalty: .* cost nothing"),
        (
            "act_parity",
            {"over": {"tau": [0.1, 0.2]}, "variant": "fixed-4"},
            "has no stages.1.time_penalty: its steps cost nothing",
        ),
        ("act_logic", {"over": {"fixed_steps": [2, 3]}, "variant": "plain"}, "give one of the two"),
        ("act_logic", {"over": {"halting_bias": [0, 0.0, 1]}}, "halting_bias has a value twice"),
    ],
)
def test_what_cannot_be_tried_is_said_before_a_training(name, arguments, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        zoo.tuner(name, tmp_path / "search", **{"method": "grid", **arguments})
    assert not (tmp_path / "search").exists()


def test_values_are_checked_in_the_variant_that_is_trained(tmp_path):
    options = {"over": {"tau": [0.01, 0.1]}, "method": "grid"}
    tuner = zoo.tuner("pondernet_parity", tmp_path, variant="act", **options)
    assert tuner.plan.trials == 2
    assert zoo.tuner("pondernet_parity", tmp_path, resume=True, **options).plan.trials == 2


def test_settings_that_need_each_other_can_be_tried(tmp_path):
    over = {"halting": ["fixed"], "fixed_steps": [2, 3]}
    assert zoo.tuner("act_parity", tmp_path, over=over, method="grid").plan.trials == 2


def test_long_lists_are_checked_at_their_ends():
    found = list(space.combinations({"units": tuple(range(1000)), "bits": tuple(range(1000))}))
    assert len(found) == 2 * 1000 + 4
    assert {"units": 999, "bits": 0} in found and {"units": 500, "bits": 0} in found


def test_numbers_of_numpy_are_numbers(trainer, tmp_path):
    over = {"units": np.array([8, 16]), "tau": np.logspace(-3, -2, 2, dtype=np.float32)}
    settings = {"seeds": np.int64(1), "trials": np.int32(3), "steps_scale": np.float32(0.25)}
    options = {"over": over, "overrides": {"max_ponder": np.int16(5)}, "method": "grid", **settings}
    tuner = zoo.tuner("act_parity", tmp_path, **options)
    tuner.search()
    assert [row["overrides"]["units"] for row in tuner.rows()] == [8, 8, 16]
    assert len(zoo.tuner("act_parity", tmp_path, resume=True, **options).rows()) == 3


def test_a_search_with_tuples_is_resumed_by_the_same_call(tmp_path):
    over = {"kernel_size": [(3, 3), (5, 3)]}
    options = {"over": over, "overrides": {"stages.0.bins": (4, 8)}, "resume": True}
    for _ in range(2):
        assert zoo.tuner("neural_gpu_copy", tmp_path, **options).rows() == []
    with pytest.raises(ValueError, match=r"overrides: .* holds a search with"):
        overrides = {"stages.0.bins": (4, 9)}
        zoo.tuner("neural_gpu_copy", tmp_path, **{**options, "overrides": overrides})


def test_a_study_by_numbers_of_numpy(trainer, tmp_path, monkeypatch):
    monkeypatch.setattr(Study, "measurements_of", lambda self, run: {"error": 0.5})
    monkeypatch.setattr(Study, "sequences", lambda self: None)
    monkeypatch.setattr(study_table, "draw", lambda *words: None)
    settings = {"fixed": list(np.arange(3, 5)), "seeds": np.int64(1), "tau": [np.float32(0.125)]}
    found = zoo.study("act_logic", tmp_path, targets=np.array([3]), **settings)
    arms = ["plain", "fixed-3", "fixed-4", "tau-0.125", "targets-3"]
    assert [row["arm"] for row in found["rows"]] == arms


def test_the_best_values_can_be_used(trainer, tmp_path):
    over = {"halting": ["act", "sampled"], "tau": np.logspace(-3, -1, 3), "clipnorm": [None, 1]}
    tuner = zoo.tuner("act_logic", tmp_path, over=over, method="grid")
    tuner.search()
    found = [best.values for best in tuner.get_best_hyperparameters(12)]
    assert {values["halting"] for values in found} == {"act", "sampled"}
    assert sorted({values["time_penalty"] for values in found}) == pytest.approx([1e-3, 0.01, 0.1])
    assert {row["overrides"]["halting"] for row in tuner.rows()} == {"act", "sampled"}
    assert {row["overrides"]["clipnorm"] for row in tuner.rows()} == {None, 1}


def test_the_best_trial_is_the_one_of_the_table(trainer, tmp_path, monkeypatch):
    """The shorter a training is, the better: whole ones come first for all that."""
    selection = trainer.selection

    def better_early(run):
        found = selection(run)
        return {**found, "validation_error": found["validation_error"] * run.position.step}

    monkeypatch.setattr(trainer, "selection", better_early)
    tuner = zoo.tuner("act_logic", tmp_path, over={"tau": "1e-4:1e-1"}, method="hyperband")
    tuner.search()
    ranked = rows.ranking(tuner.rows(), 1)
    found = tuner.oracle.get_best_trials(len(ranked) + 1)
    assert [trial.trial_id for trial in found] == [trial["trial"] for trial in ranked]
    best = tuner.get_best_hyperparameters()[0].get("time_penalty")
    assert best == pytest.approx(ranked[0]["overrides"]["time_penalty"], rel=1e-5)


def test_an_interrupted_trial_is_none_of_the_best(trainer, tmp_path):
    trainer.at[3] = KeyboardInterrupt()
    tuner = zoo.tuner("act_logic", tmp_path, over={"tau": [0.1, 0.01, 0.001]}, method="grid")
    with pytest.raises(KeyboardInterrupt):
        tuner.search()
    assert [trial.trial_id for trial in tuner.oracle.get_best_trials(3)] == ["0001", "0000"]


@pytest.mark.parametrize("damage", [None, "{"])
def test_what_is_lost_of_a_trial_is_measured_again(damage, trainer, tmp_path):
    options = {"over": {"tau": "1e-4:1e-1"}, "method": "hyperband", "seeds": 2}
    tuner = zoo.tuner("act_logic", tmp_path, **options)
    tuner.search()
    before, trained = tuner.rows(), [steps for *_, steps in trainer.calls]
    path = tmp_path / before[3]["folder"] / rows.RESULT
    path.unlink()
    if damage:
        path.write_text(damage)
        with pytest.raises(ValueError, match=r"result.json is damaged: .* remove it and resume"):
            zoo.tuner("act_logic", tmp_path, resume=True).rows()
        path.unlink()
    tuner = zoo.tuner("act_logic", tmp_path, resume=True)
    tuner.search()
    assert tuner.rows() == before
    # From the checkpoint of a whole training, and no other is repeated.
    assert trainer.calls[len(trained) :] == [
        (before[3]["folder"], before[3]["overrides"], trained[3], trained[3])
    ]
