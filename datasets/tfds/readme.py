"""Writes the table of configs into the README of each data set.

    python -m keras_adaptive.datasets.tfds.readme
"""

import re
from collections.abc import Sequence
from typing import Any

import tensorflow_datasets as tfds

from ..catalogue import with_builders
from ..stream import SPLITS

BEGIN = "<!-- configs: written by python -m keras_adaptive.datasets.tfds.readme -->"
END = "<!-- end of configs -->"
MARKED = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)


def configs_table(configs: Sequence[Any]) -> str:
    """A table of configs with what differs from the paper, in Markdown.

    Args:
        configs: instances of `NamedConfig`.
    """
    sizes = SPLITS if all(hasattr(configs[0], name) for name in SPLITS) else ()
    header = ["config", "different from the paper", *sizes]
    rows = [header, ["---"] * len(header)]
    for config in configs:
        items = config.differences().items()
        different = ", ".join(f"{key} = {value}" for key, value in items if key not in sizes)
        rows.append([f"`{config.name}`", different, *(f"{getattr(config, x):,}" for x in sizes)])
    return "\n".join(f"| {' | '.join(row)} |".replace("|  |", "| |") for row in rows)


def with_table(text: str, configs: Sequence[Any]) -> str:
    """The text of a README with the table of these configs between the marks.

    Raises:
        ValueError: the marks are missing.
    """
    if not MARKED.search(text):
        raise ValueError(f"the README needs the lines {BEGIN!r} and {END!r}")
    block = f"{BEGIN}\n{configs_table(configs)}\n{END}"
    return MARKED.sub(lambda _: block, text)


def main() -> None:
    """Writes the tables of all data sets."""
    for name in with_builders():
        builder = tfds.builder_cls(name)
        path = builder.pkg_dir_path / "README.md"
        path.write_text(with_table(path.read_text(), builder.BUILDER_CONFIGS))


if __name__ == "__main__":
    main()
