"""WikiText-2: articles of Wikipedia, word by word (Merity et al. 2016)."""

from . import wikitext2

__all__ = ["wikitext2"]
