"""What is measured: a model with all that it can tell, and the fresh examples that it answers."""

import itertools

import keras
import numpy as np

from ... import datasets, metrics

# Batches without any target after which measuring gives up.
PATIENCE = 100


class Probe:
    """A model together with everything that it can tell about an answer.

    Args:
        model: a `keras.Model`.
    """

    def __init__(self, model: keras.Model):
        self.model = model

    def __call__(self, inputs: np.ndarray) -> dict[str, np.ndarray]:
        """The model's `outputs` for a batch, and what else it tells, as NumPy arrays."""
        return {"outputs": np.asarray(self.model.predict_on_batch(inputs))}


def fresh_batches(dataset, size, seed, split, parameters):
    """Endless batches; of a text, all its windows once, in random order."""
    windows = getattr(datasets.task(dataset), "windows", None)
    if windows is None:
        for index in itertools.count():
            yield datasets.batch(dataset, size, seed=seed, index=index, split=split, **parameters)
        return
    found = windows(split, **parameters)
    order = np.random.default_rng(seed).permutation(len(found["inputs"]))
    for start in range(0, len(order), size):
        yield {name: values[order[start : start + size]] for name, values in found.items()}


def answered_batches(probe, dataset, size, seed, split, parameters):
    """Endless batches as of `fresh_batches`, each with its answers and which examples have targets.

    Raises:
        ValueError: no example has a target.
    """
    any_target = False
    for number, batch in enumerate(fresh_batches(dataset, size, seed, split, parameters)):
        if number == PATIENCE and not any_target:
            raise ValueError(f"hardly any example of {dataset} has a target with {parameters}")
        counts = np.asarray(metrics.has_target(batch["weights"]))
        any_target = any_target or bool(counts.any())
        yield batch, probe(batch["inputs"]), counts
