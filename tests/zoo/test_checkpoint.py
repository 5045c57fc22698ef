"""No damage to a checkpoint is taken for a training, and none ends in a traceback."""

import dataclasses
import io
import json
import os

import keras
import numpy as np
import pytest

from keras_adaptive import checkpoints
from keras_adaptive.checkpoints import archive
from keras_adaptive.checkpoints.archive import FORMAT
from keras_adaptive.zoo.training.checkpoint import NAME, PREVIOUS, Position, latest

STATE = {
    "settings": dict.fromkeys(("recipe", "variant", "overrides", "steps_scale", "seed")),
    "position": dataclasses.asdict(Position()),
    "history": [{"step": 2, "stage": 0, "loss": 0.5, "reward": -1.0, "ponder": None}],
    "keras": keras.__version__,
    "backend": "tensorflow",
}
STATE["settings"]["recipe"] = "act_parity"


@pytest.fixture(scope="module")
def model():
    """A network that is compiled and has learned nothing."""
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4), keras.layers.Dropout(0.5)])
    model.compile("adam", "mse")
    return model


@pytest.fixture(scope="module")
def whole(model, tmp_path_factory):
    """A folder with the checkpoints of steps 7 and 9."""
    folder = tmp_path_factory.mktemp("whole")
    for step in (7, 9):
        at = {**STATE["position"], "step": step}
        checkpoints.save(folder / NAME, model, {**STATE, "position": at})
    return folder


@pytest.fixture
def folder(whole, tmp_path):
    """The same checkpoints, to damage."""
    for name in (NAME, PREVIOUS):
        (tmp_path / name).write_bytes((whole / name).read_bytes())
    return tmp_path


def assert_refused(folder):
    """The one before is taken, and if there is none the file is named and what to do is said."""
    found = latest(folder)
    assert found.path == folder / PREVIOUS and found.state["position"]["step"] == 7
    assert str(folder / NAME) in found.instead and "\n" not in found.instead
    kept = (folder / PREVIOUS).read_bytes()
    (folder / PREVIOUS).unlink()
    with pytest.raises(ValueError) as caught:
        latest(folder)
    (folder / PREVIOUS).write_bytes(kept)
    assert f"the checkpoint {folder / NAME} is damaged: " in str(caught.value)
    assert "there is none before it. Train again into another folder" in str(caught.value)


def damages(content, rng):
    """Damaged copies of the bytes of a file."""
    size = len(content)
    for place in [*rng.integers(0, size, 60), *range(size - 100, size, 5), *range(0, 60, 3)]:
        flipped = bytearray(content)
        flipped[place] ^= 1 << int(rng.integers(8))
        yield bytes(flipped)
    for place in [0, 1, 4, size // 2, size - 1, size - 71, size - 72, *rng.integers(0, size, 33)]:
        yield content[:place]
        garbled = bytearray(content)
        length = min(int(rng.integers(1, 400)), size - int(place))
        garbled[place : place + length] = rng.bytes(length)
        if bytes(garbled) != content:
            yield bytes(garbled)
    for length in (1, 2, 71, 5000):
        yield content + rng.bytes(length)
        yield rng.bytes(length) + content
        yield content + bytes(length)
    yield content + content
    yield content[size // 2 :] + content[: size // 2]
    yield bytes(size)


def test_damaged_bytes(folder):
    content = (folder / NAME).read_bytes()
    count = 0
    for damaged in damages(content, np.random.default_rng(0)):
        (folder / NAME).write_bytes(damaged)
        assert_refused(folder)
        count += 1
    assert count >= 180
    (folder / NAME).write_bytes(content)
    assert latest(folder).state["position"]["step"] == 9


def rewritten(content, **changes):
    """The archive with members added, replaced, or left out where they are None."""
    with np.load(io.BytesIO(content)) as file:
        members = {name: file[name] for name in file.files}
    buffer = io.BytesIO()
    np.savez(buffer, **{k: v for k, v in {**members, **changes}.items() if v is not None})
    return buffer.getvalue()


def states():
    """States of which something is missing, too much, or of another type."""
    for key in STATE:
        yield {name: value for name, value in STATE.items() if name != key}
        for value in (None, 1, {}, [1], [{}], {"a": 1}):
            yield {**STATE, key: value}
    for part in ("settings", "position"):
        yield {**STATE, part: {**STATE[part], "more": 1}}
        for key in STATE[part]:
            rest = {name: value for name, value in STATE[part].items() if name != key}
            yield {**STATE, part: rest}
            for value in ([], float("nan"), -1, True if key != "done" else 1):
                yield {**STATE, part: {**STATE[part], key: value}}
    for row in ({"step": 1}, {"step": 1.5, "stage": 0}, {"step": 1, "stage": 0, "loss": "a"}):
        yield {**STATE, "history": [row]}
    yield {**STATE, "more": 1}


@pytest.mark.parametrize("version", [1, FORMAT])
def test_damaged_states(version, folder):
    """Also where all checksums are right."""
    content = (folder / NAME).read_bytes()
    damaged = [{"format": version, **state} for state in states()]
    for state in (*damaged, [], "a", None, 3):
        damaged_file = rewritten(content, state=np.array(json.dumps(state)))
        (folder / NAME).write_bytes(damaged_file if version == 1 else archive.signed(damaged_file))
        assert_refused(folder)
    assert len(damaged) > 90


def test_members(folder, model):
    """Without their digest, members that are missing, too many or of another kind are refused."""
    content = (folder / NAME).read_bytes()
    name = next(iter(latest(folder).arrays))
    nan = np.full_like(latest(folder).arrays[name], np.nan)
    for changes in ({name: None}, {"more": np.ones(2)}, {name: np.ones(2)}, {"state": None}):
        (folder / NAME).write_bytes(rewritten(content, **changes))
        assert_refused(folder)
    (folder / NAME).write_bytes(archive.signed(rewritten(content, **{name: nan})))
    assert_refused(folder)
    for changes in ({name: None}, {"more|1|x": np.ones(2)}, {name: np.ones(2)}):
        (folder / NAME).write_bytes(archive.signed(rewritten(content, **changes)))
        with pytest.raises(ValueError, match=r"checkpoint\.npz does not fit the network"):
            checkpoints.restore(latest(folder), model)


def test_what_is_no_file(folder):
    for make in (os.mkdir, os.mkfifo):
        (folder / NAME).unlink()
        make(folder / NAME)
        assert_refused(folder)
        checkpoints.set_aside(folder)
        assert latest(folder).instead == f"the checkpoint {folder / NAME} is missing"
        (folder / NAME).touch()
        assert_refused(folder)
    assert sorted(path.name for path in folder.glob("*.damaged*")) == [
        "checkpoint.npz.damaged",
        "checkpoint.npz.damaged1",
    ]


def test_both_are_damaged(folder):
    for name in (NAME, PREVIOUS):
        (folder / name).write_bytes(b"PK\x03\x04 not quite")
    with pytest.raises(ValueError, match=rf"{PREVIOUS}, is damaged too: .* Train again into"):
        latest(folder)


def test_a_format_of_the_future(folder):
    state = np.array(json.dumps({"format": 3, "all": "new"}))
    content = rewritten((folder / NAME).read_bytes(), state=state)
    (folder / NAME).write_bytes(archive.signed(content))
    with pytest.raises(ValueError, match="has the format 3; this version reads 1 and 2"):
        latest(folder)


def test_checkpoints_of_the_first_format_are_read(folder, model):
    """They have no digest."""
    state = np.array(json.dumps({"format": 1, **STATE}))
    (folder / NAME).write_bytes(rewritten((folder / NAME).read_bytes(), state=state))
    found = latest(folder)
    assert found.instead is None and found.state == STATE
    checkpoints.restore(found, model)


@pytest.mark.parametrize("place", [0, -1])
def test_what_is_not_finite_is_not_saved(place, folder, model):
    before = (folder / NAME).read_bytes()
    name, variable = [
        found for found in archive.variables(model).items() if found[1].shape == (3, 4)
    ][place]
    value = np.array(variable)
    variable.assign(np.full_like(value, np.nan))
    with pytest.raises(FloatingPointError, match=rf"{name.split('/', 2)[2]} is not finite"):
        checkpoints.save(folder / NAME, model, STATE)
    variable.assign(value)
    assert (folder / NAME).read_bytes() == before
