"""Gives the description on a package index links and pictures that work there.

    REPOSITORY_URL=https://github.com/OWNER/keras_adaptive python -m build

An index shows README.md, whose links are relative to the repository. With the address of the
repository they become absolute, at the tag of the version. Everything else is in setup.cfg.
"""

import os
import re
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
# A link or, with its first group, a picture whose target is in the repository.
RELATIVE = re.compile(r"(!?)(\[[^\]]*\])\((?![a-z]+:|#)([^)]+)\)")


def description(readme, url, version):
    """The README with absolute addresses.

    Args:
        readme: the text.
        url: the address of the repository, as GitHub and GitLab have it.
        version: of the package, whose tag is `v` and the version.
    """

    def absolute(link):
        kind = "raw" if link[1] else "blob"
        return f"{link[1]}{link[2]}({url.rstrip('/')}/{kind}/v{version}/{link[3]})"

    return RELATIVE.sub(absolute, readme)


def settings():
    """What setup.cfg does not say: nothing, unless the repository has an address."""
    url = os.environ.get("REPOSITORY_URL")
    if not url:
        return {}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    package = (ROOT / "keras_adaptive" / "__init__.py").read_text(encoding="utf-8")
    version = re.search(r'^__version__ = "(.+)"$', package, re.MULTILINE)[1]
    return {"url": url, "long_description": description(readme, url, version)}


if __name__ == "__main__":
    setup(**settings())
