"""Subwords of a language, learned from its sentences by byte pair encoding."""

import hashlib
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

PADDING, END, UNKNOWN = 0, 1, 2


class Subwords:
    """The subwords of a language: pieces of words that are frequent.

    They are numbered from 3; 0 is padding, 1 the end of a sentence, and 2 a character that no
    sentence had. `▁` marks the beginning of a word.

    Args:
        model: the bytes of a SentencePiece model, as `save` writes them.

    Raises:
        ImportError: SentencePiece is not installed.

    >>> words = Subwords.learn(["low lower lowest", "new newer newest"] * 5, vocabulary=24)
    >>> words.pieces(words.encode("lower"))
    ['▁lower']
    >>> words.decode(words.encode("newest lower"))
    'newest lower'

    Source: Sennrich, Haddow & Birch (2016), arXiv:1508.07909, as SentencePiece learns them (Kudo &
    Richardson 2018, arXiv:1808.06226).
    """

    def __init__(self, model: bytes):
        self.model = sentencepiece().SentencePieceProcessor(model_proto=model)

    @classmethod
    def learn(cls, sentences: Iterable[str], vocabulary: int) -> Self:
        """The subwords that are learned from sentences.

        Args:
            sentences: strings.
            vocabulary: how many numbers there are at most.

        Raises:
            ImportError: SentencePiece is not installed.
            ValueError: the sentences have more different characters than there are numbers.
        """
        model = io.BytesIO()
        try:
            sentencepiece().SentencePieceTrainer.train(
                sentence_iterator=iter(sentences),
                model_writer=model,
                model_type="bpe",
                vocab_size=vocabulary,
                # With few sentences there are fewer.
                hard_vocab_limit=False,
                character_coverage=1.0,
                normalization_rule_name="identity",
                pad_id=PADDING,
                eos_id=END,
                unk_id=UNKNOWN,
                bos_id=-1,
                unk_surface="?",
                num_threads=1,
                minloglevel=2,
            )
        except RuntimeError as error:
            raise ValueError(
                f"`vocabulary` must be above the number of different characters of the sentences. "
                f"Received: {vocabulary}"
            ) from error
        return cls(model.getvalue())

    def save(self, path: str | Path) -> None:
        """Writes the SentencePiece model."""
        Path(path).write_bytes(self.model.serialized_model_proto())

    def encode(self, text: str) -> list[int]:
        """The subwords of a sentence, without an end."""
        return self.model.encode(text)

    def encode_all(self, texts: list[str]) -> list[list[int]]:
        """The subwords of several sentences."""
        return self.model.encode(texts)

    def decode(self, numbers: Iterable[int]) -> str:
        """The sentence of some subwords, up to its end."""
        return self.model.decode(_until_end(numbers))

    def pieces(self, numbers: Iterable[int]) -> list[str]:
        """The text form of each subword, up to the end."""
        return [self.model.id_to_piece(number) for number in _until_end(numbers)]

    @property
    def digest(self) -> str:
        """SHA-256 of all subwords in their order: equal digests, equal numbers of each text."""
        every = map(self.model.id_to_piece, range(self.model.get_piece_size()))
        return hashlib.sha256("\n".join(every).encode()).hexdigest()

    def unknown(self, text: str) -> list[str]:
        """The characters of a text that no sentence had, each once."""
        characters = dict.fromkeys("".join(text.split()))
        return [c for c in characters if self.model.piece_to_id(c) == UNKNOWN]


def _until_end(numbers):
    kept = []
    for number in numbers:
        if number in (PADDING, END):
            break
        kept.append(int(number))
    return kept


def sentencepiece() -> Any:
    """The library of that name.

    Raises:
        ImportError: it is not installed; the message says how to.
    """
    try:
        import sentencepiece
    except ImportError as error:
        raise ImportError(
            "subwords need SentencePiece: pip install 'keras_adaptive[translation]', or "
            "pip install sentencepiece"
        ) from error
    return sentencepiece
