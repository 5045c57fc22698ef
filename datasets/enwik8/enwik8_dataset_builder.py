"""enwik8 as a data set of TensorFlow Datasets."""

import dataclasses
import os
import zlib
from typing import ClassVar

import numpy as np
import tensorflow_datasets as tfds
from tensorflow_datasets.core.download import checksums

from ..arguments import check_integers
from . import enwik8

PLACEMENTS = ("random", "consecutive")


@dataclasses.dataclass(eq=False, kw_only=True)
class Enwik8Config(tfds.core.BuilderConfig):
    """What is cut from the text. The name follows from what differs from the paper.

    Args:
        length: bytes that are read of a window; one more follows as the last target.
        placement: `"random"` draws the training windows at random places, as the paper does;
            `"consecutive"` takes all, one behind the other. Those of validation and test data are
            always consecutive.
        train: the number of random training windows.
        size: bytes of the text that are used, from its beginning; 90 % of them for training, 5 %
            each for validation and test.
        seed: of the random places.

    Raises:
        ValueError: a parameter is out of its range.
    """

    name: str = dataclasses.field(default="", init=False)
    description: str = dataclasses.field(default="", init=False)
    length: int = 500
    placement: str = "random"
    train: int = 100_000
    size: int = enwik8.SIZE
    seed: int = 0

    def __post_init__(self):
        if self.placement not in PLACEMENTS:
            raise ValueError(
                f"`placement` must be one of {', '.join(PLACEMENTS)}. Received: {self.placement!r}"
            )
        check_integers(1, length=self.length, train=self.train)
        check_integers(100, size=self.size)
        check_integers(0, seed=self.seed)
        kept = ("length", "placement", "train", "size", "seed")
        fields = {field.name: field for field in dataclasses.fields(self)}
        changed = {
            name: getattr(self, name)
            for name in kept
            if getattr(self, name) != fields[name].default
        }
        self.name = "-".join(f"{key}_{value}" for key, value in changed.items()) or "paper"
        differences = ", ".join(f"{key} = {value}" for key, value in changed.items())
        self.description = f"As the paper, but {differences}." if changed else "As the paper."


class Builder(tfds.core.GeneratorBasedBuilder):
    """Windows of the first 10⁸ bytes of Wikipedia (Graves 2016, section 3.5)."""

    # TFDS would infer it from the package's name, which leads astray in an editable installation.
    pkg_dir_path = tfds.core.Path(__file__).parent
    # And so it would not find this.
    url_infos: ClassVar = checksums.load_url_infos(pkg_dir_path / "checksums.tsv")
    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES: ClassVar = {"1.0.0": "First version."}
    MANUAL_DOWNLOAD_INSTRUCTIONS = (
        "enwik8.zip is downloaded by itself. Without a network: download "
        f"{enwik8.URL} elsewhere and put it, or the file enwik8 that is in it, into this folder."
    )
    BUILDER_CONFIGS: ClassVar = [Enwik8Config(), Enwik8Config(placement="consecutive")]

    def __init__(self, *, config=None, **kwargs):
        if isinstance(config, Enwik8Config):
            # TFDS refuses an object of its own that has the name of one of the builder's.
            config = self.builder_configs.get(config.name, config)
        super().__init__(config=config, **kwargs)

    def _info(self):
        window = tfds.features.Tensor(shape=(self.builder_config.length,), dtype=np.uint8)
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict({"inputs": window, "targets": window}),
            supervised_keys=("inputs", "targets"),
            homepage="http://mattmahoney.net/dc/textdata.html",
            # Windows are drawn at random, or wanted in their order.
            disable_shuffling=True,
        )

    def _split_generators(self, dl_manager):
        path = text_file(dl_manager)
        return {split: self._generate_examples(path, split) for split in enwik8.SPLITS}

    def _generate_examples(self, path, split):
        config = self.builder_config
        text = enwik8.read(split, config.size, path)
        last = len(text) - enwik8.check_length(config.length, text)
        starts = range(0, last, config.length)
        if split == "train" and config.placement == "random":
            seeds = [zlib.crc32(f"{self.name}/{config.name}".encode()), config.seed]
            starts = np.random.default_rng(seeds).integers(0, last, config.train).tolist()
        for key, start in enumerate(starts):
            window = text[start : start + config.length + 1]
            yield key, {"inputs": window[:-1], "targets": window[1:]}


def text_file(dl_manager):
    """The file with the text: what the user has, or else what TFDS downloads.

    Raises:
        FileNotFoundError: it is nowhere and cannot be downloaded; the message says what to do.
    """
    try:
        return enwik8.find(dl_manager.manual_dir)
    except (AssertionError, FileNotFoundError):
        # The folder is not there, empty, or has other things in it.
        if os.environ.get(enwik8.VARIABLE):
            return enwik8.find()
    try:
        return enwik8.find(dl_manager.download(enwik8.URL))
    except (OSError, tfds.download.DownloadError) as error:
        raise FileNotFoundError(
            f"{enwik8.URL} cannot be downloaded ({error}). {enwik8.SOURCE} Where TensorFlow "
            "Datasets has another folder for manual downloads (`manual_dir`), it goes there."
        ) from error
