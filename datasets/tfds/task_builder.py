"""What the builders of TensorFlow Datasets of all tasks share."""

import dataclasses
import hashlib
import zlib

import numpy as np
import tensorflow_datasets as tfds

from ..arguments import check_integers
from ..stream import SPLITS

# A block of examples is sampled at once, and those of the split are kept.
BLOCK = 4096
# Long examples come in smaller blocks, of so many elements of the inputs.
BLOCK_ELEMENTS = 2**22
# After so many blocks without an example of the split there is none.
MOST_EMPTY_BLOCKS = 20


@dataclasses.dataclass(eq=False, kw_only=True)
class TaskConfig(tfds.core.BuilderConfig):
    """Parameters of a task's data set. A subclass adds those of the task's `sample`.

    The name is derived from what differs from the defaults, because TensorFlow Datasets finds
    prepared files by the name alone.

    Args:
        train: number of training examples.
        validation: number of validation examples.
        test: number of test examples.
        seed: of the examples.

    Raises:
        ValueError: a parameter is out of its range.
    """

    name: str = dataclasses.field(default="", init=False)
    description: str = dataclasses.field(default="", init=False)
    train: int = 50_000
    validation: int = 5_000
    test: int = 10_000
    seed: int = 0

    def __post_init__(self):
        fields = {field.name: field for field in dataclasses.fields(self)}
        changed = {
            name: getattr(self, name)
            for name in [*self.parameters, *SPLITS, "seed"]
            if getattr(self, name) != fields[name].default
        }
        self.name = "-".join(f"{key}_{value}" for key, value in changed.items()) or "paper"
        differences = ", ".join(f"{key} = {value}" for key, value in changed.items())
        self.description = f"As the paper, but {differences}." if changed else "As the paper."
        self.sample(np.random.default_rng(0), 1)
        check_integers(1, **{split: getattr(self, split) for split in SPLITS})
        check_integers(0, seed=self.seed)

    @property
    def parameters(self):
        """The parameters of the task's `sample`."""
        shared = {field.name for field in dataclasses.fields(TaskConfig)}
        names = [field.name for field in dataclasses.fields(self) if field.name not in shared]
        return {name: getattr(self, name) for name in names}

    def sample(self, rng, batch_size):
        """Examples with these parameters."""
        return self.task.sample(rng, batch_size, **self.parameters)

    def output_length(self, length):
        """Number of targets of an example with so many inputs."""
        return length


class TaskBuilder(tfds.core.GeneratorBasedBuilder, skip_registration=True):
    """A data set of a task: a subclass says which, its version, its configs, and its `HOMEPAGE`.

    A hash of an example's inputs says which split it belongs to, so no two splits share one.
    """

    # Where short examples are few, those of a split of a tenth would come too often.
    WITHOUT_REPETITION = ()

    def __init__(self, *, config=None, **kwargs):
        if isinstance(config, TaskConfig):
            # TFDS refuses an object of its own that has the name of one of the builder's.
            config = self.builder_configs.get(config.name, config)
        super().__init__(config=config, **kwargs)

    def _info(self):
        config = self.builder_config
        example = config.sample(np.random.default_rng(0), 1)
        features = {
            name: tfds.features.Tensor(
                shape=(None, *values.shape[2:]),
                dtype=values.dtype.type,
                # They are mostly zeros, or few symbols.
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
        config = self.builder_config
        wanted = getattr(config, split)
        name = f"{self.name}/{config.name}"
        seeds = [zlib.crc32(name.encode()), config.seed, SPLITS.index(split)]
        elements = config.sample(np.random.default_rng(0), 1)["inputs"].size
        size = max(1, min(BLOCK, BLOCK_ELEMENTS // elements))
        seen = set()
        found = block = empty = 0
        while found < wanted:
            batch = config.sample(np.random.default_rng([*seeds, block]), size)
            block += 1
            examples = unpadded(batch, config.output_length)
            examples = [x for x in examples if split_of(x["inputs"]) == split]
            if split in self.WITHOUT_REPETITION:
                examples = [x for x in examples if _is_new(x["inputs"].tobytes(), seen)]
            yield from enumerate(examples[: wanted - found], start=found)
            found += len(examples)
            empty = 0 if examples else empty + 1
            if empty == MOST_EMPTY_BLOCKS:
                raise ValueError(
                    f"{name} has too few different examples: none belongs to the split {split!r}. "
                    "Choose parameters that allow for more."
                )


def _is_new(item, seen):
    """Whether `item` is not in the set `seen`, where it is from now on."""
    count = len(seen)
    seen.add(item)
    return len(seen) > count


def unpadded(batch, output_length):
    """The examples of a batch, each without padding at its end.

    Args:
        batch: a dict of arrays (batch, time, …), as `sample` gives it.
        output_length: from the number of inputs to the number of targets.

    Yields:
        Dicts of arrays (time, …).
    """
    lengths = (batch["difficulty"] > 0).sum(axis=1)
    for row, length in enumerate(lengths.tolist()):
        ends = dict.fromkeys(("targets", "weights"), output_length(length))
        yield {name: values[row, : ends.get(name, length)] for name, values in batch.items()}


def split_of(inputs):
    """The split that an example belongs to, a tenth each to validation and test.

    Args:
        inputs: (time, width), without padding.
    """
    digest = hashlib.blake2b(np.ascontiguousarray(inputs).tobytes(), digest_size=8).digest()
    return {0: "test", 1: "validation"}.get(int.from_bytes(digest, "little") % 10, "train")
