"""Evaluation of a trained model: its errors with confidence intervals, its ponder, its latency.

`keras.Model.evaluate` returns means over batches. Here each example is measured, so that errors
have a confidence interval and can be split by difficulty, and steps can be counted.

Example:

>>> task = keras_adaptive.datasets.task("act_parity")
>>> inputs = keras.Input((None, 16))
>>> layer = keras_adaptive.layers.ACTRNN(keras.layers.SimpleRNNCell(8), return_ponder=True)
>>> states, _ = layer(inputs)
>>> answer = keras.layers.Dense(1, activation="sigmoid")(states[:, None])
>>> model = keras.Model(inputs, answer)
>>> sample = lambda number: task.sample(np.random.default_rng(number), 50, bits=16)
>>> evaluation = PonderEvaluation()
>>> results = evaluation.collect(PonderProbe(model), map(sample, range(4)), examples=200)
>>> sorted(evaluation.summary(results))[:3]
['confidence_interval', 'errors', 'examples']
>>> rows = evaluation.by_difficulty(results)  # as `plots.ponder_against_difficulty` takes them
"""

from .errors import Evaluation
from .latency import LimitedProbe, TimedProbe
from .ponder import PonderEvaluation
from .probe import PonderProbe, Probe, ponder_of
from .translation import TranslationEvaluation, TranslationProbe, bleu_and_chrf

__all__ = [
    "Evaluation",
    "LimitedProbe",
    "PonderEvaluation",
    "PonderProbe",
    "Probe",
    "TimedProbe",
    "TranslationEvaluation",
    "TranslationProbe",
    "bleu_and_chrf",
    "ponder_of",
]
