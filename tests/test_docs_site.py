"""The documentation site: what it links exists, and nothing is left out."""

import importlib
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def test_every_page_is_in_the_navigation():
    pages = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)
    # docs/hooks.py makes a page of each notebook.
    notebooks = [f"notebooks/{path.stem}.md" for path in DOCS.glob("notebooks/*.ipynb")]
    assert sorted(pages) == sorted([*(path.name for path in DOCS.glob("*.md")), *notebooks])
    assert pages[0] == "index.md"


def test_links_and_pictures_between_pages_exist():
    for page in DOCS.glob("*.md"):
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (DOCS / target).exists(), (page.name, target)
                # docs/hooks.py adds these to the site.
                added = ("../saved_models/", "../datasets/", "../benchmarks/results/")
                assert target.startswith(added) or "../" not in target, (page.name, target)


def test_the_reference_names_what_there_is():
    names = re.findall(r"^::: (\S+)$", (DOCS / "reference.md").read_text(), re.M)
    for name in names:
        # Folders beside the package, of which they are parts.
        name = re.sub(r"^(datasets|zoo)\.", r"keras_adaptive.\1.", name)
        module, _, attribute = name.rpartition(".")
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:
            assert hasattr(importlib.import_module(module), attribute), name
