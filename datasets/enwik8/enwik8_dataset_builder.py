"""enwik8 as a data set of TensorFlow Datasets."""

import dataclasses
import zlib
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import tensorflow_datasets as tfds
from tensorflow_datasets.core.download import checksums

from ..arguments import check_integers
from ..settings import check_parameters
from ..tfds.builder import FolderBuilder, brought
from ..tfds.config import NamedConfig
from . import enwik8

PLACEMENTS = ("random", "consecutive")


@dataclasses.dataclass(eq=False, kw_only=True)
class Enwik8Config(NamedConfig):
    """Which windows are cut from the text.

    Args:
        length: number of inputs of a window; it has one byte more, the last target.
        placement: `"random"` draws the training windows at random places, as the paper does;
            `"consecutive"` takes all of them, in their order. Validation and test windows are
            always consecutive.
        train: number of random training windows.
        size: how many bytes of the text are used, from its beginning; 90 % of them are for
            training, 5 % each for validation and test.
        seed: seed of the random places.

    Raises:
        ValueError: a parameter is out of its range.
    """

    length: int = 500
    placement: str = "random"
    train: int = 100_000
    size: int = enwik8.SIZE

    def __post_init__(self):
        super().__post_init__()
        if self.placement not in PLACEMENTS:
            raise ValueError(
                f"`placement` must be one of {', '.join(PLACEMENTS)}. Received: {self.placement!r}"
            )
        check_integers(1, length=self.length, train=self.train)
        check_integers(100, size=self.size)
        check_parameters({"size": self.size, "length": self.length})


class Builder(FolderBuilder):
    """Windows of the first 10⁸ bytes of Wikipedia (Graves 2016, section 3.5)."""

    # TFDS would look for it in the wrong folder in an editable installation.
    url_infos: ClassVar = checksums.load_url_infos(Path(__file__).parent / "checksums.tsv")
    MANUAL_DOWNLOAD_INSTRUCTIONS = (
        "enwik8.zip is downloaded by itself. Without a network: download "
        f"{enwik8.URL} elsewhere and put it, or the file enwik8 that is in it, into this folder."
    )
    BUILDER_CONFIGS: ClassVar = [Enwik8Config(), Enwik8Config(placement="consecutive")]

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
        path = text_file(dl_manager, self.names_manual_dir)
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


def text_file(dl_manager: Any, is_named: bool = False) -> Path:
    """The file with the text: what the user has, or else what TFDS downloads.

    Args:
        dl_manager, is_named: as in `brought`.

    Raises:
        FileNotFoundError: it is nowhere and cannot be downloaded; the message says what to do.
    """
    if path := brought(dl_manager, enwik8, is_named):
        return path
    try:
        return enwik8.find(dl_manager.download(enwik8.URL))
    except (OSError, tfds.download.DownloadError) as error:
        raise FileNotFoundError(
            f"{enwik8.URL} cannot be downloaded ({error}). {enwik8.SOURCE} Where TensorFlow "
            "Datasets has another folder for manual downloads (`manual_dir`), it goes there."
        ) from error
