"""Tatoeba's English and German sentences as a data set of TensorFlow Datasets."""

import dataclasses
from typing import ClassVar

import tensorflow_datasets as tfds

from ..tfds.builder import FolderBuilder, brought
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
        place = brought(dl_manager, tatoeba, self.names_manual_dir)
        if place is None:
            raise FileNotFoundError(tatoeba.SOURCE)
        return {split: self._generate_examples(place, split) for split in tatoeba.SPLITS}

    def _generate_examples(self, place, split):
        for key, (english, german) in enumerate(tatoeba.read(split, place)):
            yield key, {"english": english, "german": german}
