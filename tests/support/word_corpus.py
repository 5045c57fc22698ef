"""A made-up corpus in the form of WikiText-2."""

import hashlib

from keras_adaptive.datasets.wikitext2 import wikitext2

LINE = "the cat sat on the mat , and the dog of the king was in the city . "
SIZES = {"train": 120, "validation": 40, "test": 30}


def write(folder, patch):
    """Write three small files where the environment says, with checksums of their own.

    Args:
        folder: an empty folder.
        patch: a `pytest.MonkeyPatch`.

    Returns:
        The folder of the files.
    """
    place = folder / wikitext2.FOLDER
    place.mkdir()
    words, digests = LINE.split(), {}
    for split, file in wikitext2.FILES.items():
        # Lines differ, and some end in a word that no list has.
        lines = [
            " ".join([*words[n % 7 :], "qwfpgj"][: 9 + n % 5]) for n in range(SIZES[split])
        ]
        data = "".join(f" {line} \n" for line in lines).encode()
        (place / file).write_bytes(data)
        digests[file] = hashlib.sha256(data).hexdigest()
    patch.setattr(wikitext2, "checksums", lambda: digests)
    patch.setenv(wikitext2.VARIABLE, str(folder))
    return place
