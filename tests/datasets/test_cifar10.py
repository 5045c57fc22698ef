"""cifar10: batches that a user has, read in their order, checked, augmented and standardized."""

import hashlib

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_datasets as tfds

from keras_adaptive import datasets
from keras_adaptive.datasets import catalogue
from keras_adaptive.datasets.cifar10 import cifar10
from support.tasks import rng

IMAGES = 8  # in each batch


@pytest.fixture
def batches(tmp_path, monkeypatch):
    """A folder with six small batches; returns it, images (48, 32, 32, 3) and classes."""
    folder = tmp_path / cifar10.FOLDER
    folder.mkdir()
    images = rng(0).integers(0, 256, (6 * IMAGES, 32, 32, 3), np.uint8)
    labels = rng(1).integers(0, 10, 6 * IMAGES).astype(np.uint8)
    # The class, and all red values, all green ones, all blue ones.
    records = np.concatenate(
        [labels[:, None], images.transpose(0, 3, 1, 2).reshape(len(images), -1)], 1
    )
    digests = {}
    for number, name in enumerate(cifar10.CHECKSUMS):
        raw = records[number * IMAGES : (number + 1) * IMAGES].tobytes()
        (folder / name).write_bytes(raw)
        digests[name] = hashlib.sha256(raw).hexdigest()
    monkeypatch.setattr(cifar10, "CHECKSUMS", digests)
    monkeypatch.setattr(cifar10, "VALIDATION", 10)
    monkeypatch.setenv(cifar10.VARIABLE, str(folder))
    cifar10._read.cache_clear()
    yield folder, images, labels
    cifar10._read.cache_clear()


def test_splits_lie_in_the_order_of_the_files(batches):
    _, images, labels = batches
    places = {"train": slice(0, 30), "validation": slice(30, 40), "test": slice(40, 48)}
    for split, place in places.items():
        read, classes = cifar10.read(split)
        np.testing.assert_array_equal(read, images[place])
        np.testing.assert_array_equal(classes, labels[place])
        assert not read.flags.writeable


@pytest.mark.parametrize("named", ["the folder", "its parent"])
def test_the_variable_names_the_folder_or_its_parent(batches, monkeypatch, named):
    folder, *_ = batches
    monkeypatch.setenv("CIFAR10", str(folder if named == "the folder" else folder.parent))
    assert cifar10.find() == folder


def test_missing_and_damaged_batches_are_named(batches):
    folder, *_ = batches
    raw = bytearray((folder / "data_batch_3.bin").read_bytes())
    raw[5000] ^= 1
    (folder / "data_batch_3.bin").write_bytes(bytes(raw))
    with pytest.raises(ValueError, match=r"data_batch_3\.bin is damaged"):
        cifar10.read("train")
    cifar10.read("test")
    (folder / "test_batch.bin").unlink()
    with pytest.raises(FileNotFoundError, match=r"no file test_batch\.bin"):
        cifar10.read("test")
    with pytest.raises(FileNotFoundError, match="CIFAR10"):
        cifar10.find(folder / "nothing")
    with pytest.raises(ValueError, match="'all'"):
        cifar10.read("all")


def test_evaluation_sees_each_image_once_and_unchanged(batches):
    _, images, labels = batches
    batch = cifar10.sample(rng(3), 8, split="test")
    standard = tf.image.per_image_standardization(images[40:].astype("float32")).numpy()
    order = np.lexsort(batch["inputs"].reshape(8, -1).T), np.lexsort(standard.reshape(8, -1).T)
    np.testing.assert_allclose(batch["inputs"][order[0]], standard[order[1]], atol=1e-5)
    np.testing.assert_array_equal(batch["targets"][order[0], 0], labels[40:][order[1]])
    assert len(cifar10.sample(rng(3), 30, split="test")["inputs"]) == 30
    assert cifar10.sample(rng(3), 0, split="test")["inputs"].shape == (0, 32, 32, 3)
    every = cifar10.windows("test")
    np.testing.assert_allclose(every["inputs"], standard, atol=1e-5)
    np.testing.assert_array_equal(every["targets"][:, 0], labels[40:])


def test_training_images_are_cropped_and_flipped():
    images = rng(0).integers(1, 256, (60, 32, 32, 3), np.uint8)
    seen = set()
    for image, changed in zip(images, cifar10.augmented(rng(1), images)):
        padded = np.pad(image, [(4, 4), (4, 4), (0, 0)])
        crops = {
            (row, column, flipped): padded[row : row + 32, column : column + 32][:, ::step]
            for row in range(9)
            for column in range(9)
            for flipped, step in ((False, 1), (True, -1))
        }
        found = [place for place, crop in crops.items() if np.array_equal(crop, changed)]
        assert len(found) == 1
        seen.update(found)
    rows, columns, flips = (set(values) for values in zip(*seen))
    assert {0, 8} <= rows and {0, 8} <= columns and flips == {True, False}


def test_an_image_of_one_color_is_finite():
    same = np.full((2, 32, 32, 3), 9, np.uint8)
    assert not cifar10.standardized(same).any()


def test_reads_what_tensorflow_datasets_has_prepared(tmp_path, monkeypatch):
    monkeypatch.delenv("CIFAR10", raising=False)
    monkeypatch.setattr(cifar10, "MANUAL", tmp_path / "manual")
    monkeypatch.setattr(cifar10, "VALIDATION", 2)
    monkeypatch.setenv("TFDS_DATA_DIR", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="cifar10"):
        cifar10.read("train")
    (tmp_path / "cifar10" / "3.0.2").mkdir(parents=True)
    (tmp_path / "cifar10" / "3.0.2" / "dataset_info.json").write_text("{}")
    images = rng(0).integers(0, 256, (6, 32, 32, 3), np.uint8)
    order = rng(1).permutation(6)

    class Prepared:
        def as_dataset(self, split, batch_size):
            assert (split, batch_size) == ("train", -1)
            ids = np.array([b"train_%05d" % number for number in order])
            values = {"image": images[order], "label": order.astype(np.int64), "id": ids}
            return {name: tf.constant(value) for name, value in values.items()}

    monkeypatch.setattr(tfds, "builder", lambda name: {"cifar10": Prepared()}[name])
    cifar10._read_prepared.cache_clear()
    read, labels = cifar10.read("train")
    np.testing.assert_array_equal(read, images[:4])
    assert labels.tolist() == [0, 1, 2, 3]
    cifar10._read_prepared.cache_clear()


def test_a_picture_of_any_size_is_fitted(tmp_path):
    from PIL import Image

    # Red at the sides, which are cut off; the left half of the middle is blue, the right one green.
    pixels = np.zeros((40, 80, 3), np.uint8)
    pixels[:, :20, 0] = pixels[:, 60:, 0] = 255
    pixels[:, 20:40, 2] = pixels[:, 40:60, 1] = 255
    Image.fromarray(pixels).save(tmp_path / "picture.png")
    inputs = cifar10.encode(str(tmp_path / "picture.png"))
    assert inputs.shape == (1, 32, 32, 3)
    np.testing.assert_allclose([inputs.mean(), inputs.std()], [0, 1], atol=1e-5)
    assert (inputs[0, :, 2].argmax(-1) == 2).all() and (inputs[0, :, -3].argmax(-1) == 1).all()


def test_is_a_data_set_without_a_builder_of_its_own():
    assert "cifar10" in catalogue.all_names() and "cifar10" not in catalogue.with_builders()
    assert datasets.task("cifar10") is cifar10
    assert "cifar10" not in datasets.names()
