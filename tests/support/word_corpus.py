"""A made-up corpus in the form of WikiText-2."""

import hashlib

from keras_adaptive.datasets.wikitext2 import wikitext2

LINE = "the cat sat on the mat , and the dog of the king was in the city . "
FREQUENT = (
    "the <unk> , . of and in to a was <unk> on for as by with at from that his the it an were "
    "which had are this first he be also their but or one not who two 's all <unk> "
)
RARE = "The state @-@ of @-@ the @-@ art has 3 @,@ 000 or 2 @.@ 5 U.S. ships . "
SIZES = {"train": 120, "validation": 40, "test": 30}
# A word that the training part does not have.
STRANGE = "qwfpgj"


def write(folder, patch):
    """Write three small files where the environment says, with checksums and a list of words.

    Args:
        folder: an empty folder.
        patch: a `pytest.MonkeyPatch`.

    Returns:
        The folder of the files.
    """
    place = folder / wikitext2.FOLDER
    place.mkdir()
    digests = {}
    for split, file in wikitext2.FILES.items():
        lines = [RARE, *(line_of(n, split) for n in range(SIZES[split]))]
        data = "".join(f" {line.strip()} \n" for line in lines).encode()
        (place / file).write_bytes(data)
        digests[file] = hashlib.sha256(data).hexdigest()
    patch.setattr(wikitext2, "checksums", lambda: digests)
    patch.setenv(wikitext2.VARIABLE, str(folder))
    patch.setattr(wikitext2, "WORDS", folder / "words.txt")
    wikitext2.write_words()
    return place


def line_of(n, split):
    """Line n of a split. Lines differ, and some end in a word that is not known."""
    if n % 3 == 0:
        return FREQUENT
    last = wikitext2.UNKNOWN if split == "train" else STRANGE
    return " ".join([*LINE.split()[n % 7 :], last][: 9 + n % 5])
