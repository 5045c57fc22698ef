"""WikiText-2 as a data set of TensorFlow Datasets."""

import dataclasses
from typing import ClassVar

import numpy as np
import tensorflow_datasets as tfds

from ..arguments import check_integers
from ..tfds.builder import FolderBuilder, brought
from ..tfds.config import NamedConfig
from . import wikitext2


@dataclasses.dataclass(eq=False, kw_only=True)
class Wikitext2Config(NamedConfig):
    """Which windows are cut from the text; they follow one another.

    Args:
        length: number of inputs of a window; it has one word more, the last target.
        vocabulary: how many of the most frequent words are known; the others are `<unk>`.
        seed: has no effect, as nothing is drawn.

    Raises:
        ValueError: a parameter is out of its range.
    """

    length: int = 35
    vocabulary: int = wikitext2.VOCABULARY

    def __post_init__(self):
        super().__post_init__()
        check_integers(1, length=self.length)
        wikitext2.check_vocabulary(self.vocabulary)


class Builder(FolderBuilder):
    """Windows of WikiText-2, word by word (Merity et al. 2016)."""

    MANUAL_DOWNLOAD_INSTRUCTIONS = wikitext2.SOURCE
    BUILDER_CONFIGS: ClassVar = [Wikitext2Config(), Wikitext2Config(length=1000)]

    def _info(self):
        window = tfds.features.Tensor(shape=(self.builder_config.length,), dtype=np.int32)
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict({"inputs": window, "targets": window}),
            supervised_keys=("inputs", "targets"),
            homepage="https://arxiv.org/abs/1609.07843",
            # Windows are wanted in their order.
            disable_shuffling=True,
        )

    def _split_generators(self, dl_manager):
        folder = brought(dl_manager, wikitext2, self.names_manual_dir)
        if folder is None:
            raise FileNotFoundError(wikitext2.SOURCE)
        return {split: self._generate_examples(folder, split) for split in wikitext2.SPLITS}

    def _generate_examples(self, folder, split):
        config = self.builder_config
        text = wikitext2.read(split, config.vocabulary, folder)
        last = len(text) - wikitext2.check_length(config.length, text, "words")
        for key, start in enumerate(range(0, last, config.length)):
            window = text[start : start + config.length + 1]
            yield key, {"inputs": window[:-1], "targets": window[1:]}
