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


def batches_of(dataset, size, seed, split, parameters, given=None):
    """Endless batches; of a text, all its windows once, in random order.

    If examples are given, a dict of arrays, there are those, once, in their order.
    """
    windows = getattr(datasets.task(dataset), "windows", None)
    if given is None and windows is None:
        for index in itertools.count():
            yield datasets.batch(dataset, size, seed=seed, index=index, split=split, **parameters)
        return
    arrays = windows(split, **parameters) if given is None else given
    order = np.arange(len(arrays["inputs"]))
    if given is None:
        order = np.random.default_rng(seed).permutation(order)
    for start in range(0, len(order), size):
        yield {name: values[order[start : start + size]] for name, values in arrays.items()}


def answered_batches(probe, dataset, size, seed, split, parameters, given=None):
    """Batches as in `batches_of`, each with its answers and which examples have targets.

    Raises:
        ValueError: no example has a target.
    """
    any_target = False
    batches = batches_of(dataset, size, seed, split, parameters, given)
    for number, batch in enumerate(batches):
        if number == PATIENCE and not any_target:
            raise ValueError(f"hardly any example of {dataset} has a target with {parameters}")
        counts = np.asarray(metrics.has_target(batch["weights"]))
        any_target = any_target or bool(counts.any())
        yield batch, probe(batch["inputs"]), counts
