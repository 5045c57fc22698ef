"""Baselines of the papers: recurrent networks that generate until their own end symbol.

`Seq2SeqLSTM` (an encoder and a decoder, with or without attention) and `NextSymbolRNN` (one
network, for instance a stack RNN, that reads and then continues) are models for `fit`, `predict`
and `export`. `Symbols` and `Vectors` describe what they read and write.
"""

from ..attention import BahdanauAttention
from .alphabets import Symbols, Vectors
from .generator import SequenceGenerator
from .next_symbol import NextSymbolRNN
from .seq2seq import Seq2SeqLSTM
from .stack_rnn import StackRNN, StackRNNCell

__all__ = [
    "BahdanauAttention",
    "NextSymbolRNN",
    "Seq2SeqLSTM",
    "SequenceGenerator",
    "StackRNN",
    "StackRNNCell",
    "Symbols",
    "Vectors",
]
