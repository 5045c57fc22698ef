"""How good translations are: BLEU and chrF, by SacreBLEU."""

import json
import math
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import keras
import numpy as np
from keras import ops

from .. import arguments
from ..models import TranslationNetwork
from .errors import Evaluation
from .probe import Probe

# Ends of groups of sources by their number of symbols.
ENDS = (5, 8, 12)
# Resamples of the test sentences for the confidence interval.
RESAMPLES = 1000


def bleu_and_chrf(
    answers: Sequence[str], references: Sequence[Sequence[str]], interval: bool = False
) -> dict[str, Any]:
    """BLEU and chrF of translations, against all references of each.

    Args:
        answers: translations.
        references: one or more right translations of each.
        interval: whether to estimate the 95 % confidence interval of BLEU too, by 1,000 resamples
            of the sentences. Defaults to `False`.

    Returns:
        A dict of `bleu`, `chrf`, and how SacreBLEU computed them, `signature` and
        `chrf_signature`; with `interval` also `confidence_interval`.

    Raises:
        ImportError: SacreBLEU is not installed.
        ValueError: there are no answers, or not as many lists of references.

    Source: Papineni et al. (2002); Popović (2015); Post, "A Call for Clarity in Reporting BLEU
    Scores" (2018), arXiv:1804.08771.
    """
    try:
        from sacrebleu.metrics import BLEU, CHRF
    except ImportError as error:
        raise ImportError(
            "BLEU and chrF need SacreBLEU: pip install 'keras_adaptive[translation]', or "
            "pip install sacrebleu"
        ) from error
    if not len(answers) or len(answers) != len(references):
        arguments.refuse("references", len(references), f"as many as answers, {len(answers)}")
    most = max(map(len, references))
    streams = [[row[i] if i < len(row) else None for row in references] for i in range(most)]
    bleu, chrf = BLEU(), CHRF()
    resamples = {"n_bootstrap": RESAMPLES} if interval and len(answers) > 1 else {}
    found = bleu.corpus_score(list(answers), streams, **resamples)
    result = {
        "bleu": round(found.score, 2),
        "chrf": round(chrf.corpus_score(list(answers), streams).score, 2),
        "signature": str(bleu.get_signature()),
        "chrf_signature": str(chrf.get_signature()),
    }
    if interval:
        written = found.format(width=4, signature=str(bleu.get_signature()), is_json=True)
        said = json.loads(written) if resamples else {}
        middle, half = said.get("confidence_mean", found.score), said.get("confidence_var", 0.0)
        result["confidence_interval"] = [round(middle - half, 2), round(middle + half, 2)]
    return result


class TranslationSearch(keras.Model):
    """A model from inputs to all results of the search of a translation network.

    Args:
        network: a `TranslationNetwork`, built.
    """

    def __init__(self, network: TranslationNetwork):
        super().__init__(name=f"{network.name}_search")
        self.network = network
        self.built = True

    def call(self, inputs: Any) -> dict[str, Any]:
        """A dict of `symbols`, `ponder`, `ponder_steps` and `log_probability`."""
        found = self.network.search(inputs, self.network.beams)
        return {
            "symbols": found.symbols,
            "ponder": found.ponder,
            "ponder_steps": found.steps,
            "log_probability": found.log_probability,
        }


class _Judged(keras.Model):
    """What a translation network says of given targets: their bits, and the entropy there."""

    def __init__(self, network):
        super().__init__(name=f"{network.name}_judged")
        self.network = network
        self.built = True

    def call(self, both):
        inputs, targets = both
        shares = ops.maximum(self.network(inputs, targets=targets), 1e-30)
        given = ops.take_along_axis(shares, targets[..., None], axis=-1)[..., 0]
        entropy = -ops.sum(shares * ops.log(shares), axis=-1) / math.log(2)
        return {"bits": -ops.log(given) / math.log(2), "entropy": entropy}


class TranslationProbe(Probe):
    """A translation network with everything that is measured about a translation.

    Args:
        model: a `TranslationNetwork`.
    """

    def __init__(self, model: TranslationNetwork):
        arguments.instance("model", model, TranslationNetwork, "a `TranslationNetwork`")
        super().__init__(TranslationSearch(model))
        self.judged = _Judged(model)

    def judge(self, inputs: Any, targets: Any) -> dict[str, np.ndarray]:
        """The bits, -log2 p, of each symbol of given targets, and the entropy of its distribution.

        Args:
            inputs: `(batch, n)`.
            targets: `(batch, m)`, 0 after the end.

        Returns:
            A dict of arrays `(batch, m)`: `bits` and `entropy`.
        """
        found = self.judged.predict_on_batch([inputs, targets])
        return {name: ops.convert_to_numpy(values) for name, values in found.items()}


class TranslationEvaluation(Evaluation):
    """Evaluation of translations; a batch also has `references`, a list for each example.

    Args:
        decode: a function from symbols `(time,)` to a sentence.
        pieces: a function from symbols `(time,)` to their text forms, for `by_difficulty`.
    """

    main_metric: ClassVar[str] = "bleu"

    def __init__(self, decode: Callable[[Any], str], pieces: Callable[[Any], list[str]]):
        self.decode, self.pieces = decode, pieces

    def collect(
        self,
        probe: Any,
        batches: Iterable[Mapping[str, np.ndarray]],
        examples: int,
        seconds: float = math.inf,
    ) -> dict[str, np.ndarray]:
        """As `Evaluation.collect`, for a `TranslationProbe`; targets are judged as well."""
        judged = ({**batch, **probe.judge(batch["inputs"], batch["targets"])} for batch in batches)
        return super().collect(probe, judged, examples, seconds)

    def example_results(
        self, batch: Mapping[str, np.ndarray], answers: Mapping[str, np.ndarray]
    ) -> dict[str, np.ndarray]:
        """The sentences, the references, and their numbers of symbols, bits and steps."""
        symbols, counted = answers["symbols"], batch["weights"] > 0
        steps, ponder = answers["ponder_steps"], answers["ponder"]
        rows = range(len(symbols))
        return {
            "answer": _objects([self.decode(row) for row in symbols]),
            "references": _objects(batch["references"]),
            "symbols": _objects(symbols),
            "steps_of_symbols": _objects(steps),
            "source": (batch["inputs"] > 0).sum(axis=1),
            "bits": (batch["bits"] * counted).sum(axis=1, dtype="float64"),
            "targets": counted.sum(axis=1),
            "ponder_steps": steps.sum(axis=1),
            "ponder": ponder.sum(axis=1),
            "pondered": np.array([(steps[row] > 0).sum() for row in rows]),
        }

    def means(self, results: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """BLEU with its interval, chrF, the perplexity of the first reference, and ponder."""
        return self._numbers(results, interval=True)

    def _numbers(self, results, interval):
        scores = bleu_and_chrf(results["answer"], results["references"], interval)
        looks = max(int(results["pondered"].sum()), 1)
        return {
            **scores,
            "perplexity": round(2 ** float(results["bits"].sum() / results["targets"].sum()), 3),
            "ponder": round(float(results["ponder"].sum() / looks), 4),
            "ponder_steps": round(float(results["ponder_steps"].sum() / looks), 4),
        }

    def by_difficulty(self, results: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
        """The numbers by the length of the source, and the mean steps by kinds of symbols.

        Returns:
            A list of dicts: `kind`, then of sentences `examples`, `bleu`, `chrf`, `perplexity`,
            `ponder` and `ponder_steps`; of symbols, if each has steps of its own, `symbols` and
            `ponder_steps`.
        """
        rows, start = [], 1
        for end in (*ENDS, None):
            those = results["source"] >= start
            those &= results["source"] <= (end or np.inf)
            if those.any():
                numbers = self._numbers({k: v[those] for k, v in results.items()}, False)
                numbers = {k: v for k, v in numbers.items() if "signature" not in k}
                kind = f"{start} to {end} subwords" if end else f"{start} subwords or more"
                rows.append({"kind": kind, "examples": int(those.sum()), **numbers})
            start = (end or 0) + 1
        return rows + self._by_kind(results)

    def _by_kind(self, results):
        steps: dict[str, list[float]] = {}
        for symbols, of_symbols in zip(results["symbols"], results["steps_of_symbols"]):
            if len(of_symbols) == len(symbols):
                kinds = [*map(kind_of, self.pieces(symbols)), "the end"]
                for kind, number in zip(kinds, of_symbols):
                    if number > 0:
                        steps.setdefault(kind, []).append(float(number))
        return [
            {"kind": kind, "symbols": len(found), "ponder_steps": round(np.mean(found).item(), 4)}
            for kind, found in sorted(steps.items())
        ]


def kind_of(piece: str) -> str:
    """What a subword is: the beginning of a word, a later part of one, or punctuation.

    >>> [kind_of(piece) for piece in ("▁Haus", "tür", "?")]
    ['beginnings of words', 'later parts of words', 'punctuation']
    """
    letters = piece.removeprefix("▁")
    if letters and all(unicodedata.category(c).startswith("P") for c in letters):
        return "punctuation"
    return "beginnings of words" if piece.startswith("▁") else "later parts of words"


def _objects(values):
    """An array of objects, one for each example."""
    result = np.empty(len(values), object)
    for place, value in enumerate(values):
        result[place] = value
    return result
