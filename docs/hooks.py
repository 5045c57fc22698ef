"""Adds to the site what its pages link outside docs/, and the notebooks as pages."""

import importlib.util
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
# The target of a link or picture, if it is a file beside the card.
LINK = re.compile(r"\]\(([^)#/:\s]+)\)")
# Records of measurements that pages link.
RECORDS = "benchmarks/results"


def on_files(files, config):
    """Adds the cards with what they link beside them, records, and notebooks to the files."""
    for path in sorted((ROOT / RECORDS).glob("*.json")):
        name = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    for folder in ("saved_models", "datasets"):
        for card in sorted((ROOT / folder).glob("*/README.md")):
            linked = sorted(set(LINK.findall(card.read_text(encoding="utf-8"))))
            for path in (card, *(card.parent / name for name in linked)):
                name = path.relative_to(ROOT).as_posix()
                files.append(File.generated(config, name, abs_src_path=str(path)))
    notebooks = ROOT / "docs" / "notebooks"
    specification = importlib.util.spec_from_file_location("notebooks", notebooks / "run.py")
    runner = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(runner)
    for path in sorted(notebooks.glob("*.ipynb")):
        page = runner.as_markdown(runner.read(path))
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=page))
    return files


def on_page_markdown(markdown, page, config, files):
    """Makes links out of docs/ links inside the site."""
    return re.sub(r"\]\(\.\./(saved_models|datasets|benchmarks)/", r"](\1/", markdown)
