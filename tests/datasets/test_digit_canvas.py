"""digit_canvas: where the digits come from and go, the splits, and the builder."""

import numpy as np
import pytest
import tensorflow_datasets as tfds

from keras_adaptive import datasets
from keras_adaptive.datasets.digit_canvas import digit_canvas
from keras_adaptive.datasets.digit_canvas.digit_canvas_dataset_builder import (
    Builder,
    DigitCanvasConfig,
)
from keras_adaptive.datasets.tfds.readme import with_table
from support.tasks import path, rng


def test_digits_are_those_of_scikit_learn_and_splits_are_disjoint():
    from sklearn.datasets import load_digits

    known = load_digits()
    images = np.concatenate([digit_canvas.digits(split)[0] for split in digit_canvas.SPLITS])
    labels = np.concatenate([digit_canvas.digits(split)[1] for split in digit_canvas.SPLITS])
    order = np.random.default_rng(digit_canvas.ORDER).permutation(len(known.target))
    np.testing.assert_array_equal(images * 16, known.images[order])
    np.testing.assert_array_equal(labels, known.target[order])
    assert len(np.unique(order)) == len(order) == 1797


@pytest.mark.parametrize("side", [8, 20, 33])
def test_a_digit_stands_in_its_box(side):
    batch = digit_canvas.sample(rng(3), 40, split="test", side=side, noise=0.0)
    images, labels = digit_canvas.digits("test")
    of = {(image.tobytes(), int(label)) for image, label in zip(images, labels)}
    for canvas, target, (row, column) in zip(batch["inputs"], batch["targets"], batch["box"]):
        digit = canvas[row : row + 8, column : column + 8, 0]
        assert (np.ascontiguousarray(digit).tobytes(), int(target[0])) in of
        assert canvas.sum() == pytest.approx(digit.sum())
    assert side == 8 or len(np.unique(batch["box"])) > 3
    assert batch["inputs"].dtype == np.float32 and (batch["weights"] == 1).all()


def test_noise_has_its_deviation_everywhere():
    quiet = digit_canvas.sample(rng(5), 50, noise=0.0)["inputs"]
    noisy = digit_canvas.sample(rng(5), 50, noise=0.4)["inputs"]
    assert np.std(noisy - quiet) == pytest.approx(0.4, rel=0.02)


def test_inside():
    box = np.array([[0, 0], [5, 12]])
    within = digit_canvas.inside(box, 20)
    assert within.shape == (2, 20, 20) and (within.sum((1, 2)) == 64).all()
    assert within[1, 5:13, 12:20].all()
    assert digit_canvas.inside(box, 20, 2)[0, :4, :4].sum() == 16


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"side": 7}, "side=7"),
        ({"side": 8.5}, "side"),
        ({"noise": -0.1}, "noise"),
        ({"split": "all"}, "'all'"),
    ],
)
def test_wrong_parameters(wrong, message):
    with pytest.raises(ValueError, match=message):
        digit_canvas.sample(rng(), 2, **wrong)


def test_a_damaged_file_and_none_are_refused(monkeypatch):
    digit_canvas._read.cache_clear()
    monkeypatch.setattr(digit_canvas, "SHA256", "0" * 64)
    with pytest.raises(ValueError, match="SHA-256"):
        digit_canvas.digits("train")
    monkeypatch.setattr(digit_canvas.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FileNotFoundError, match="pip install scikit-learn"):
        digit_canvas.digits("train")


def test_the_stream_knows_the_split():
    kinds = {split: datasets.batch("digit_canvas", 64, split=split) for split in ("train", "test")}
    assert kinds["train"]["inputs"].shape == (64, 32, 32, 1)
    assert not np.array_equal(kinds["train"]["targets"], kinds["test"]["targets"])


def test_builder(tmp_path):
    config = DigitCanvasConfig(side=12, train=6, validation=3, test=4)
    builder = Builder(data_dir=tmp_path, config=config)
    builder.download_and_prepare()
    for split, count in {"train": 6, "validation": 3, "test": 4}.items():
        read = list(tfds.as_numpy(builder.as_dataset(split)))
        drawn = [example for _, example in builder._generate_examples(split)]
        assert len(read) == count
        for found, expected in zip(read, drawn, strict=True):
            for name, values in expected.items():
                np.testing.assert_array_equal(found[name], values)


def test_folder():
    builder = tfds.builder("digit_canvas", data_dir="unused")
    readme = path("digit_canvas").read_text(encoding="utf-8")
    assert builder.info.description == readme.strip()
    assert readme == with_table(readme, Builder.BUILDER_CONFIGS), "run the command in the README"
    *_, digest, _ = (path("digit_canvas").parent / "checksums.tsv").read_text().split("\t")
    assert digest == digit_canvas.SHA256
    tags = path("digit_canvas", "TAGS.txt").read_text(encoding="utf-8").split()
    assert tags and set(tags) <= set(tfds.core.dataset_metadata.valid_tags())
