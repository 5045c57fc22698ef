"""Measures how the code is laid out, by reading it: nothing is imported.

    python benchmarks/structure.py                          # a table
    python benchmarks/structure.py --write                  # and benchmarks/results/structure.json
    python benchmarks/structure.py --root OTHER_CHECKOUT    # of another version

Lines include docstrings and comments. An import is late if it is inside a
function. The size of a function is from its `def` to its last line, docstring included.
"""

import argparse
import ast
import graphlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "structure.json"
PACKAGES = {
    "keras_adaptive": "keras_adaptive",
    "datasets": "keras_adaptive.datasets",
    "zoo": "keras_adaptive.zoo",
}
# A recipe of at most this many lines changes another one.
SHORT_RECIPE = 16
LONG_FUNCTION = 60
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Source:
    """A file of Python.

    Args:
        path: of the file.
        root: of the repository.
    """

    def __init__(self, path, root):
        self.path, self.text = path, path.read_text(encoding="utf-8")
        folder, *rest = path.relative_to(root).with_suffix("").parts
        self.folder, self.place = folder, path.relative_to(root).as_posix()
        self.name = ".".join([PACKAGES[folder], *rest]).removesuffix(".__init__")
        self.lines = self.text.count("\n")
        self.tree = ast.parse(self.text)
        package = self.name.split(".")
        self.package = package if path.name == "__init__.py" else package[:-1]

    def functions(self):
        """All functions and methods."""
        return [node for node in ast.walk(self.tree) if isinstance(node, FUNCTIONS)]

    def late_imports(self):
        """The imports within functions."""
        return {
            node
            for function in self.functions()
            for node in ast.walk(function)
            if isinstance(node, (ast.Import, ast.ImportFrom))
        }

    def imported(self, known):
        """The modules of ours that are imported, at once or late."""
        imported = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                base = self.package[: len(self.package) + 1 - node.level] if node.level else []
                base = ".".join([*base, *([node.module] if node.module else [])])
                for alias in node.names:
                    module = f"{base}.{alias.name}"
                    imported.add(module if module in known else base)
        return imported & known - {self.name}

    def third_party(self):
        """The first parts of the names of all absolute imports."""
        imported = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(node.module.split(".")[0])
        return imported

    def bases(self):
        """The last parts of the names of the classes that are inherited from."""
        return [
            getattr(base, "attr", getattr(base, "id", None))
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ClassDef)
            for base in node.bases
        ]

    def finds_modules_by_name(self):
        """Whether it imports modules whose names are computed."""
        return any(
            isinstance(node, ast.Call)
            and getattr(node.func, "attr", getattr(node.func, "id", None)) == "import_module"
            for node in ast.walk(self.tree)
        )

    def values_of_threads(self):
        """The classes that derive from `threading.local`, and the places that call it."""
        return self.bases().count("local") + sum(
            isinstance(node, ast.Call) and getattr(node.func, "attr", None) == "local"
            for node in ast.walk(self.tree)
        )

    def public(self):
        """The functions of the module and of its classes whose names are public."""
        owners = [node for node in self.tree.body if isinstance(node, ast.ClassDef)]
        bodies = [self.tree.body, *(owner.body for owner in owners if owner.name[0] != "_")]
        return [
            node
            for body in bodies
            for node in body
            if isinstance(node, FUNCTIONS)
            and (not node.name.startswith("_") or node.name == "__init__")
        ]


def is_annotated(function):
    """Whether all arguments of a function, and what it returns, have types."""
    given = function.args
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    named = [x for x in named if x.arg not in ("self", "cls")]
    typed = all(x.annotation for x in named)
    return typed and (function.returns is not None or function.name == "__init__")


def in_cycles(sources):
    """How many modules the first cycle of imports has, 0 if there is none."""
    known = {source.name for source in sources}
    graph = {source.name: source.imported(known) for source in sources}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return len(set(error.args[1]))
    return 0


def measure(root):
    """The numbers of a checkout, a dict."""
    sources = [
        Source(path, root) for name in PACKAGES for path in sorted((root / name).rglob("*.py"))
    ]
    lines = {name: sum(s.lines for s in sources if s.folder == name) for name in PACKAGES}
    zoo = [source for source in sources if source.folder == "zoo"]
    library = [source for source in sources if source.folder == "keras_adaptive"]
    sizes = sorted(
        (
            (node.end_lineno - node.lineno + 1, f"{source.place}:{node.name}")
            for source in sources
            for node in source.functions()
        ),
        reverse=True,
    )
    public = [node for source in library for node in source.public()]
    late = [node for source in zoo for node in source.late_imports()]
    recipes = [source for source in zoo if ".recipes." in source.name]
    search = [source for source in zoo if ".zoo.search." in source.name]
    parser = next(size for size, place in sizes if place == "zoo/parser.py:parser")
    readme = (root / "README.md").read_text(encoding="utf-8")
    return {
        "lines": lines,
        "zoo_to_library": round(lines["zoo"] / lines["keras_adaptive"], 3),
        "lines_of_recipes": sum(source.lines for source in recipes),
        "files_of_zoo": len(zoo),
        "recipe_files_of_a_variant": sum(source.lines <= SHORT_RECIPE for source in recipes),
        "late_imports_of_zoo": len(late),
        "modules_in_a_cycle": in_cycles(sources),
        "callbacks_and_feeds_of_zoo": sum(
            base in ("Callback", "PyDataset", "Progbar", "Sequence")
            for source in zoo
            for base in source.bases()
        ),
        "folders_that_import_keras_tuner": sorted(
            {str(Path(s.place).parent) for s in sources if "keras_tuner" in s.third_party()}
        ),
        "modules_of_zoo_found_by_name": [
            source.place for source in zoo if source.finds_modules_by_name()
        ],
        "modules_that_train_many": len(search),
        "lines_that_train_many": sum(source.lines for source in search),
        "ways_to_carry_a_value_past_keras": sum(source.values_of_threads() for source in sources),
        "lines_of_the_function_cli_parser": parser,
        "words_of_readme": len(readme.split()),
        "functions_over_60_lines": sum(size > LONG_FUNCTION for size, _ in sizes),
        "longest_function": {"lines": sizes[0][0], "where": sizes[0][1]},
        "longest_file": max(source.lines for source in sources),
        "public_functions_of_library": len(public),
        "of_them_annotated": sum(map(is_annotated, public)),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="of the repository")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    options = parser.parse_args()
    numbers = measure(options.root.resolve())
    for name, value in numbers.items():
        print(f"{name.replace('_', ' '):36} {value}")
    if options.write:
        RESULTS.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
