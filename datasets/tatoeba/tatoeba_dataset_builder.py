"""Tatoeba's English and German sentences as a data set of TensorFlow Datasets."""

import dataclasses
import os
from pathlib import Path
from typing import Any, ClassVar

import tensorflow_datasets as tfds

from ..tfds.builder import FolderBuilder
from ..tfds.config import NamedConfig
from . import tatoeba


@dataclasses.dataclass(eq=False, kw_only=True)
class TatoebaConfig(NamedConfig):
    """The pairs of sentences, as text.

    Args:
        seed: has no effect, as nothing is drawn.
    """


class Builder(FolderBuilder):
    """English sentences of Tatoeba and their German translations."""

    MANUAL_DOWNLOAD_INSTRUCTIONS = tatoeba.SOURCE
    BUILDER_CONFIGS: ClassVar = [TatoebaConfig()]

    def _info(self):
        return self.dataset_info_from_configs(
            features=tfds.features.Translation(languages=("english", "german")),
            supervised_keys=("english", "german"),
            homepage="https://tatoeba.org",
            disable_shuffling=True,
        )

    def _split_generators(self, dl_manager):
        place = file_given(dl_manager)
        return {split: self._generate_examples(place, split) for split in tatoeba.SPLITS}

    def _generate_examples(self, place, split):
        for key, (english, german) in enumerate(tatoeba.read(split, place)):
            yield key, {"english": english, "german": german}


def file_given(dl_manager: Any) -> Path:
    """The file that the user has.

    Raises:
        FileNotFoundError: it is nowhere; the message says what to get.
    """
    try:
        return tatoeba.find(dl_manager.manual_dir)
    except (AssertionError, FileNotFoundError):
        # The folder is not there, empty, or has other things in it.
        if os.environ.get(tatoeba.VARIABLE):
            return tatoeba.find()
        raise FileNotFoundError(tatoeba.SOURCE) from None
