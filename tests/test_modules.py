"""No module needs itself: imports make no circle, counting those within functions too."""

import ast
import graphlib
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
# folder of the repository -> import name
PACKAGES = {
    "keras_adaptive": "keras_adaptive",
    "datasets": "keras_adaptive.datasets",
    "zoo": "keras_adaptive.zoo",
}
# Who finds modules by their names, and which. (The package itself does too, when a user asks for
# one: nothing in it goes that way.)
FOUND_BY_NAME = {
    "keras_adaptive.zoo.recipes": r"keras_adaptive\.zoo\.recipes\.\w+",
    "keras_adaptive.datasets.catalogue": r"keras_adaptive\.datasets\.(\w+)\.\1",
    "keras_adaptive.datasets.registration": r"keras_adaptive\.datasets\.(\w+)\.\1_dataset_builder",
}


def name_of(path):
    """zoo/families/act/family.py -> keras_adaptive.zoo.families.act.family"""
    folder, *rest = path.relative_to(ROOT).with_suffix("").parts
    return ".".join([PACKAGES[folder], *rest]).removesuffix(".__init__")


SOURCES = {name_of(path): path for folder in PACKAGES for path in (ROOT / folder).rglob("*.py")}


def imported(name, path):
    """The modules of ours that a module imports, at once or in functions."""
    package = name.split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                module = f"{base}.{alias.name}"
                found.add(module if module in SOURCES else base)
    return found & set(SOURCES) - {name}


def graph():
    """From the names of all modules to those of the modules that they import."""
    found = {name: imported(name, path) for name, path in SOURCES.items()}
    for finder, pattern in FOUND_BY_NAME.items():
        found[finder] |= {name for name in SOURCES if re.fullmatch(pattern, name)}
    return found


def test_imports_make_no_circle():
    try:
        graphlib.TopologicalSorter(graph()).prepare()
    except graphlib.CycleError as error:
        # Each imports the one before it.
        raise AssertionError(" <- ".join(error.args[1])) from None


def test_nobody_else_finds_a_module_by_its_name():
    """A call that goes by a string is followed by no tool."""
    finders = [
        name for name, path in SOURCES.items() if "import_module(f" in path.read_text("utf-8")
    ]
    assert set(finders) == {"keras_adaptive", *FOUND_BY_NAME}


def test_a_circle_is_found():
    """The test itself: a package that a late import closes to a circle."""
    modules = graph()
    modules["keras_adaptive.halting"] = {"keras_adaptive.zoo.entries.store"}
    found = graphlib.TopologicalSorter(modules)
    try:
        found.prepare()
    except graphlib.CycleError as error:
        assert "keras_adaptive.zoo.entries.store" in error.args[1]
    else:
        raise AssertionError("no circle was found")
