"""Every argument of every picture is right or refused by name, and then no file is written."""

import inspect
import resource

import numpy as np
import pytest

from keras_adaptive import arguments, plots
from keras_adaptive.plots import study, text, tree

NAN, INF = float("nan"), float("inf")
ODD = ["3", [1], {}, NAN, INF, True]
COUNT = [*ODD, None, 2.5, 0, -1, 10**30]
ABOVE_0 = [*ODD, None, 0, -1, 1e39]
TEXT = [3, True, NAN, [], ""]
PATH = [None, 3, "picture", "picture.exe", ""]
TITLE = [3, True, NAN, []]
GROUPS = [None, [], "groups", [3], [{}], [{"name": "a", "kind": "tau", "runs": []}]]
ROWS = [None, [], "rows", [3], [{}]]
RUN = {"error": 0.1, "ponder_steps": 2.0, "time_penalty": 0.1, "curve": []}
RUN["difficulty"] = [{"difficulty": 1, "error": 0.1, "ponder_steps": 2.0}]
AT_1 = {"difficulty": 1, "sequence_error": 0.1, "ponder": 2}
OF_1 = {"inputs": ["0"], "answers": ["1"], "ponder": [2]}
ODD_PONDER = [{"ponder": x} for x in ([None], ["1"], [NAN], None, "1")] + [{"floor": None}]
OF_A = {"kind": "a", "accuracy": 0.9, "flops_share": 0.5, "time_share": 0.6}
A_GROUP = {"name": "a", "kind": "tau", "value": 0.1, "runs": [RUN]}
IMAGES = np.zeros((2, 3, 4, 5))
SQUARE = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])

TABLE = {
    plots.ponder_against_difficulty: (
        lambda: {
            "path": "picture.png",
            "curves": {"a": [AT_1, AT_1 | {"examples": 100.0}]},
        },
        {
            "path": PATH,
            "curves": [
                *(None, 3, {}, [], {"a": []}, {"a": [{}]}, {"a": 3}),
                *({"a": [AT_1 | {key: odd}]} for key in AT_1 for odd in (None, "0.1", NAN)),
                {"a": [AT_1 | {"sequence_error": 1.5}]},
                {"a": [AT_1 | {"examples": "3"}]},
            ],
            "label": [*TEXT, None],
            "title": TITLE,
            "cost": [*TEXT, None, "time"],
        },
    ),
    plots.ponder_along_sequence: (
        lambda: {
            "path": "picture.png",
            "sequences": [OF_1, OF_1 | {"ponder": [0.0]}],
        },
        {
            "path": PATH,
            "sequences": [*ROWS, *([OF_1 | odd] for odd in ODD_PONDER)],
            "title": TITLE,
        },
    ),
    plots.error_against_limit: (
        lambda: {"path": "a.png", "curves": {"a": [{"max_ponder": 1, "sequence_error": 0.5}]}},
        {
            "path": PATH,
            "curves": [
                *(None, 3, {}, [], {"a": []}, {"a": [{}]}, {"a": [3]}, {"a": 3}),
                *({"a": [{"max_ponder": x, "sequence_error": 0.5}]} for x in (None, 0, NAN, "1")),
                *({"a": [{"max_ponder": 1, "sequence_error": x}]} for x in (None, 1.5, NAN, "1")),
                {
                    "a": [{"max_ponder": 1, "sequence_error": 0.5}],
                    "b": [{"max_ponder": 1, "bits_per_character": 0.5}],
                },
            ],
            "title": TITLE,
        },
    ),
    plots.accuracy_against_cost: (
        lambda: {
            "path": "a.png",
            "networks": [OF_A],
        },
        {
            "path": PATH,
            "networks": [
                *ROWS,
                [{"kind": "a", "accuracy": 0.9, "flops_share": 0.5}],
                *([OF_A | {key: x}] for key in list(OF_A)[1:] for x in (None, NAN, "1", -1)),
                [OF_A | {"setting": [1, 2]}],
            ],
            "title": TITLE,
        },
    ),
    plots.learning_curve: (
        lambda: {"path": "picture.png", "history": [{"step": 1, "loss": 1.0}], "curves": {}},
        {
            "path": PATH,
            "history": [*ROWS, [{"step": 1, "loss": NAN}], [{"step": "1", "loss": 1.0}]],
            "curves": [None, 3, []],
            "title": TITLE,
        },
    ),
    plots.mental_image_animation: (
        lambda: {"path": "a.gif", "images": IMAGES, "read": "abc", "written": ["abc"] * 2},
        {
            "path": PATH,
            "images": [None, 3, "images", IMAGES[0]],
            "read": [None, 3, "ab"],
            "written": [None, 3, ["abc"], ["ab"] * 2, [3] * 2],
            "title": TITLE,
            "seconds": ABOVE_0,
        },
    ),
    plots.mental_image_stills: (
        lambda: {"path": "a.png", "images": IMAGES, "read": "abc", "written": ["abc"] * 2},
        {
            "path": PATH,
            "images": [None, 3, "images", IMAGES[0]],
            "read": [None, 3, "ab"],
            "written": [None, 3, ["abc"], ["ab"] * 2, [3] * 2],
            "title": TITLE,
            "most": COUNT,
        },
    ),
    plots.answers_after_steps: (
        lambda: {"path": "a.png", "probabilities": [[0.5, 0.5], [0.9, 0.1]], "read": "10"},
        {
            "path": PATH,
            "probabilities": [None, 3, "11", [0.5, 0.5], [[0.5, 2.0]], [[0.5]], [[]]],
            "read": [None, 3, "101"],
            "title": TITLE,
        },
    ),
    plots.ponder_over_pictures: (
        lambda: {
            "path": "a.png",
            "pictures": np.zeros((2, 4, 4, 1)),
            "maps": np.ones((2, 4, 4)),
        },
        {
            "path": PATH,
            "pictures": [None, 3, "ab", np.zeros((2, 4, 4)), np.zeros((0, 4, 4, 1))],
            "maps": [None, 3, "ab", np.zeros((2, 4, 5))],
            "labels": [3, ["one"]],
            "title": TITLE,
            "columns": COUNT,
        },
    ),
    plots.answers_over_points: (
        lambda: {
            "path": "a.png",
            "points": [SQUARE],
            "answers": [[1, 2, 3, 1]],
            "ponder": [[1, 2, 3, 4]],
        },
        {
            "path": PATH,
            "points": [None, 3, "ab", [], [[1, 2]], [np.zeros((2, 3))]],
            "answers": [None, 3, [[1, 2, 1]] * 2, [[]], [[0]], [[5]], [[1.5]], [["a"]]],
            "ponder": [None, 3, [[1, 2]], [[1, 2, 3, NAN]]],
            "title": TITLE,
            "columns": COUNT,
        },
    ),
    study.error_bars: (
        lambda: {"path": "a.png", "groups": [A_GROUP]},
        {"path": PATH, "groups": GROUPS, "title": TITLE},
    ),
    study.learning_and_ponder: (
        lambda: {"path": "a.png", "groups": [A_GROUP]},
        {"path": PATH, "groups": GROUPS, "title": TITLE},
    ),
    study.against_difficulty: (
        lambda: {"path": "a.png", "groups": [A_GROUP]},
        {"path": PATH, "groups": GROUPS, "label": [*TEXT, None], "title": TITLE},
    ),
    study.time_penalties: (
        lambda: {"path": "a.png", "groups": [A_GROUP, {**A_GROUP, "kind": "targets", "value": 2}]},
        {"path": PATH, "groups": [*GROUPS, [A_GROUP]], "title": TITLE},
    ),
    text.ponder_under_text: (
        lambda: {
            "path": "a.png",
            "reading": {"inputs": ["a"], "ponder": [2.0], "bits": [1.0], "entropy": [1.0]},
        },
        {"path": PATH, "reading": [None, 3, {}, {"inputs": []}], "title": TITLE},
    ),
    text.ponder_under_words: (
        lambda: {
            "path": "a.png",
            "reading": {"inputs": ["a"], "ponder": [2.0], "bits": [1.0], "entropy": [1.0]},
        },
        {"path": PATH, "reading": [None, 3, {}, {"inputs": []}], "title": TITLE},
    ),
    text.bits_while_training: (
        lambda: {
            "path": "a.png",
            "histories": {"a": [{"step": 1, "bits_per_character": 2.0, "ponder": 2.0}]},
        },
        {"path": PATH, "histories": [None, 3, {}, {"a": []}, {"a": [{}]}], "title": TITLE},
    ),
    tree.accesses: (
        lambda: {
            "path": "a.png",
            "nodes": np.zeros((2, 4, 3)),
            "turns": np.zeros((1, 1)),
            "read": ["a"],
        },
        {
            "path": PATH,
            "nodes": [None, "nodes", np.zeros((2, 4))],
            "turns": [None, "turns", np.zeros((2, 4))],
            "read": [None, 3, ["a"] * 3],
            "written": [3, [], ["a"] * 2],
            "marked": ["a", 1.5, True, -1, 3],
            "title": TITLE,
            "most": COUNT,
        },
    ),
}


def test_every_argument_has_a_row():
    for module in (plots, study, text, tree):
        for name, item in vars(module).items():
            own = getattr(item, "__module__", "").startswith("keras_adaptive.plots")
            if inspect.isfunction(item) and own and item.__doc__ and "Draw" in item.__doc__[:8]:
                assert set(inspect.signature(item).parameters) <= TABLE[item][1].keys(), name


CASES = [(item, name) for item, (_, bad) in TABLE.items() for name in bad]


@pytest.mark.parametrize(
    ("item", "name"), CASES, ids=[f"{item.__name__}-{name}" for item, name in CASES]
)
def test_bad_values_are_refused_by_name(item, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make, bad = TABLE[item]
    taken = []
    for value in bad[name]:
        try:
            item(**{**make(), name: value})
        except (ValueError, TypeError) as error:
            if not any(f"`{name}{end}" in str(error) for end in "`["):
                taken.append((arguments.shown(value), f"{type(error).__name__}: {error}"))
        else:
            taken.append((arguments.shown(value), "is taken"))
    assert not taken, "\n".join(map(str, taken))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("item", TABLE)
def test_what_the_table_starts_from_is_right(item, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    item(**TABLE[item][0]())


@pytest.mark.parametrize("item", [plots.ponder_along_sequence, plots.mental_image_animation])
def test_a_picture_that_the_disk_does_not_take_is_named(item, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = TABLE[item][0]()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(OSError, match=rf"could not write {given['path']} \(File too large\)"):
            item(**given)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.iterdir())
