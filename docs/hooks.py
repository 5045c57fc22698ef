"""Takes into the site what its pages link outside docs/: the models' cards and the data sets'."""

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
KINDS = (".md", ".png", ".gif")


def on_files(files, config):
    """Adds the cards and their pictures to the files of the site."""
    for folder in ("saved_models", "datasets"):
        for path in sorted((ROOT / folder).glob("*/*")):
            if path.suffix in KINDS:
                name = path.relative_to(ROOT).as_posix()
                files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Makes links out of docs/ links inside the site."""
    return re.sub(r"\]\(\.\./(saved_models|datasets)/", r"](\1/", markdown)
