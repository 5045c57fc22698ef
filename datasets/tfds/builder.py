"""Builders of TensorFlow Datasets: what every data set's has, and those of generated tasks."""

import dataclasses
import hashlib
import inspect
import itertools
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow_datasets as tfds

from ..stream import SPLITS
from .config import NamedConfig

# A block of examples is sampled at once, and those of the split are kept.
BLOCK = 4096
# Blocks of long examples are smaller: at most this many elements of the inputs.
BLOCK_ELEMENTS = 2**22
# After this many blocks in a row without an example of the split, there is none.
MAX_EMPTY_BLOCKS = 20


# mypy does not read TFDS, whose base class takes `skip_registration`.
class FolderBuilder(tfds.core.GeneratorBasedBuilder, skip_registration=True):  # type: ignore[call-arg]
    """A data set whose `README.md`, `TAGS.txt` and `CITATIONS.bib` lie beside its builder."""

    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES = {"1.0.0": "First version."}  # noqa: RUF012 - as TFDS has it
    # Whether the caller names the folder of manual downloads; TFDS does not say.
    names_manual_dir = False

    def __init_subclass__(cls, **kwargs):
        # TFDS would infer it from the package's name, which fails in an editable installation.
        cls.pkg_dir_path = tfds.core.Path(inspect.getfile(cls)).parent
        super().__init_subclass__(**kwargs)

    def __init__(self, *, config: Any = None, **kwargs: Any):
        if isinstance(config, NamedConfig):
            kind = type(self.BUILDER_CONFIGS[0])
            if not isinstance(config, kind):
                raise ValueError(
                    f"`config` of {self.name} must be a {kind.__name__}. Received: {config!r}"
                )
            # A field may have been set since the config was made.
            config.__post_init__()
            # TFDS refuses a config object that has the name of one of the builder's own.
            config = self.builder_configs.get(config.name, config)
        super().__init__(config=config, **kwargs)

    def download_and_prepare(
        self, *, download_config: tfds.download.DownloadConfig | None = None, **options: Any
    ) -> None:
        """As in TFDS; a `manual_dir` that is given goes before what the environment names."""
        self.names_manual_dir = bool(download_config and download_config.manual_dir)
        super().download_and_prepare(download_config=download_config, **options)

    def as_dataset(
        self,
        split: Any = None,
        *,
        shuffle_files: bool = False,
        read_config: tfds.ReadConfig | None = None,
        **options: Any,
    ) -> Any:
        """As in TFDS, and `shuffle_files` is allowed though the examples have an order."""
        if shuffle_files:
            read_config = dataclasses.replace(
                read_config or tfds.ReadConfig(), enable_ordering_guard=False
            )
        return super().as_dataset(
            split, shuffle_files=shuffle_files, read_config=read_config, **options
        )


def brought(
    dl_manager: tfds.download.DownloadManager, task: Any, is_named: bool = False
) -> Path | None:
    """Where the files of a data set lie that a user has, or None.

    Args:
        dl_manager: of the builder.
        task: the module of the data set, with `find` and the name of its environment `VARIABLE`,
            which goes before TFDS' own folder for manual downloads.
        is_named: whether the caller names that folder, which then goes first.

    Raises:
        FileNotFoundError: the variable names a place without them.
    """
    in_environment = bool(os.environ.get(task.VARIABLE))
    if in_environment and not is_named:
        return task.find()
    try:
        return task.find(dl_manager.manual_dir)
    except (AssertionError, FileNotFoundError):
        # The folder is not there, empty, or has other things in it.
        return task.find() if in_environment else None


class TaskBuilder(FolderBuilder, skip_registration=True):
    """The data set of a task. A subclass has its `BUILDER_CONFIGS` and its `HOMEPAGE`.

    A hash of an example's inputs decides which split it may be in, so no two splits share one.
    """

    # The splits without repeated examples. Where short examples are few, the same ones would come
    # too often in a split of a tenth.
    WITHOUT_REPETITION: tuple[str, ...] = ()

    def _info(self):
        config = self.builder_config
        example = config.sample(np.random.default_rng(0), 1)
        features = {
            name: tfds.features.Tensor(
                shape=(None, *values.shape[2:]),
                dtype=values.dtype.type,
                # Inputs are mostly zeros, or few symbols.
                encoding="zlib" if name == "inputs" else "none",
            )
            for name, values in example.items()
        }
        return self.dataset_info_from_configs(
            features=tfds.features.FeaturesDict(features),
            supervised_keys=("inputs", "targets", "weights"),
            homepage=self.HOMEPAGE,
            # Examples are drawn independently.
            disable_shuffling=True,
        )

    def _split_generators(self, dl_manager):
        return {split: self._generate_examples(split) for split in SPLITS}

    def _generate_examples(self, split):
        wanted = getattr(self.builder_config, split)
        seen = set()
        made = empty_blocks = 0
        for block in self._blocks(split):
            examples = unpadded(block, self.builder_config.output_length)
            examples = [x for x in examples if split_of(x["inputs"]) == split]
            if split in self.WITHOUT_REPETITION:
                examples = [x for x in examples if _is_new(x["inputs"].tobytes(), seen)]
            yield from enumerate(examples[: wanted - made], start=made)
            made += len(examples)
            if made >= wanted:
                return
            empty_blocks = 0 if examples else empty_blocks + 1
            if empty_blocks == MAX_EMPTY_BLOCKS:
                raise ValueError(
                    f"{self.name}/{self.builder_config.name} has too few different examples: none "
                    f"belongs to the split {split!r}. Choose parameters that allow for more."
                )

    def _blocks(self, split):
        """Endless batches of examples, of which those of the split are used."""
        config = self.builder_config
        name = f"{self.name}/{config.name}"
        seeds = [zlib.crc32(name.encode()), config.seed, SPLITS.index(split)]
        elements = config.sample(np.random.default_rng(0), 1)["inputs"].size
        size = max(1, min(BLOCK, BLOCK_ELEMENTS // elements))
        for number in itertools.count():
            yield config.sample(np.random.default_rng([*seeds, number]), size)


def _is_new(item, seen):
    """Adds `item` to the set `seen`; whether it was not in it before."""
    count = len(seen)
    seen.add(item)
    return len(seen) > count


def unpadded(
    batch: dict[str, np.ndarray], output_length: Callable[[int], int]
) -> Iterator[dict[str, np.ndarray]]:
    """The examples of a batch, each without padding at its end.

    Args:
        batch: a dict of arrays (batch, time, …), as `sample` returns it.
        output_length: function from the number of inputs to the number of targets.

    Yields:
        Dicts of arrays (time, …).
    """
    lengths = (batch["difficulty"] > 0).sum(axis=1)
    for row, length in enumerate(lengths.tolist()):
        ends = dict.fromkeys(("targets", "weights"), output_length(length))
        yield {name: values[row, : ends.get(name, length)] for name, values in batch.items()}


def split_of(inputs: np.ndarray) -> str:
    """The split that an example belongs to: validation and test get a tenth each.

    Args:
        inputs: (time, …), without padding.
    """
    digest = hashlib.blake2b(np.ascontiguousarray(inputs).tobytes(), digest_size=8).digest()
    return {0: "test", 1: "validation"}.get(int.from_bytes(digest, "little") % 10, "train")
