"""Digits on canvases as a data set of TensorFlow Datasets."""

import dataclasses
import zlib
from typing import ClassVar

import numpy as np
import tensorflow_datasets as tfds

from ..arguments import check_integers
from ..settings import check_parameters
from ..stream import SPLITS
from ..tfds.builder import FolderBuilder
from ..tfds.config import NamedConfig
from . import digit_canvas


@dataclasses.dataclass(eq=False, kw_only=True)
class DigitCanvasConfig(NamedConfig):
    """Parameters of `digit_canvas.sample`, number of examples, and seed; see there."""

    side: int = 32
    noise: float = 0.2
    train: int = 50_000
    validation: int = 5_000
    test: int = 5_000

    def __post_init__(self):
        super().__post_init__()
        check_parameters({"side": self.side, "noise": self.noise})
        digit_canvas.sample(np.random.default_rng(0), 1, side=self.side, noise=self.noise)
        check_integers(1, **{split: getattr(self, split) for split in SPLITS})


class Builder(FolderBuilder):
    """A handwritten digit somewhere on a noisy canvas, and where it stands."""

    BUILDER_CONFIGS: ClassVar = [
        DigitCanvasConfig(),
        # Larger than in training.
        DigitCanvasConfig(side=64, train=1_000, validation=1_000),
        DigitCanvasConfig(side=128, train=1_000, validation=1_000, test=1_000),
    ]

    def _info(self):
        side = self.builder_config.side
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict(
                {
                    "inputs": tfds.features.Tensor(shape=(side, side, 1), dtype=np.float32),
                    "targets": tfds.features.Tensor(shape=(1,), dtype=np.int32),
                    "weights": tfds.features.Tensor(shape=(1,), dtype=np.float32),
                    "box": tfds.features.Tensor(shape=(2,), dtype=np.int32),
                }
            ),
            supervised_keys=("inputs", "targets"),
            homepage="https://archive.ics.uci.edu/dataset/80",
            # Examples are drawn independently.
            disable_shuffling=True,
        )

    def _split_generators(self, dl_manager):
        return {split: self._generate_examples(split) for split in SPLITS}

    def _generate_examples(self, split):
        config = self.builder_config
        seeds = [zlib.crc32(f"{self.name}/{config.name}".encode()), config.seed]
        rng = np.random.default_rng([*seeds, SPLITS.index(split)])
        for key in range(getattr(config, split)):
            batch = digit_canvas.sample(rng, 1, split=split, side=config.side, noise=config.noise)
            yield key, {name: values[0] for name, values in batch.items()}
