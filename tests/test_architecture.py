"""Who may know whom, how long a file may be, and what the package consists of."""

import ast
import configparser
import functools
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLOTS = ROOT / "keras_adaptive" / "plots"
# folder of the repository -> import name, as setup.cfg maps them
PACKAGES = {
    "keras_adaptive": "keras_adaptive",
    "datasets": "keras_adaptive.datasets",
    "saved_models": "keras_adaptive.saved_models",
    "zoo": "keras_adaptive.zoo",
}
SOURCES = sorted(path for folder in PACKAGES for path in (ROOT / folder).rglob("*.py"))
MAX_LINES = 400
# The one library that makes the labels of a task, or reads what it has prepared.
OTHERS = {"convex_hull": {"scipy"}, "cifar10": {"tensorflow_datasets"}}
FOR_TRANSLATION = {
    "datasets/tatoeba/pairs.py": {"scipy"},
    "datasets/text/subwords.py": {"sentencepiece"},
    "keras_adaptive/evaluation/translation.py": {"sacrebleu"},
}
# Of extras, and backends.
OPTIONAL = {"argcomplete", "jax", "sacrebleu", "sentencepiece"}
# import name -> distribution of setup.cfg, where they differ
DISTRIBUTIONS = {
    "keras_tuner": "keras-tuner",
    "sklearn": "scikit-learn",
    "tensorflow_datasets": "tensorflow-datasets",
    "etils": "tensorflow-datasets",
    "PIL": "pillow",
}


def relative(path):
    return path.relative_to(ROOT).as_posix()


def module_name(path):
    """datasets/act_sort/act_sort.py -> keras_adaptive.datasets.act_sort.act_sort"""
    folder, *rest = path.relative_to(ROOT).with_suffix("").parts
    name = ".".join([PACKAGES[folder], *rest])
    return name.removesuffix(".__init__")


@functools.cache
def syntax(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path, unconditional=False):
    """Full names of the modules that a file imports (`from a import b` gives a.b).

    With `unconditional`, only what importing the file imports: not what stands in functions or
    behind a condition.
    """
    tree = syntax(path)
    package = module_name(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    found = set()
    for node in tree.body if unconditional else ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            base = [*base, node.module] if node.module else base
            found |= {".".join([*base, alias.name]) for alias in node.names}
    return found


def top_levels(names):
    return {name.split(".")[0] for name in names}


def third_party(path, **options):
    return top_levels(imports(path, **options)) - sys.stdlib_module_names - {"keras_adaptive"}


def is_task(path):
    """datasets/<name>/<name>.py"""
    return path.parent.parent == ROOT / "datasets" and path.stem == path.parent.name


def is_typed(path):
    """Whether all that is public in a file has types; of the zoo, what users call."""
    of_zoo = ("zoo/__init__.py", "zoo/entries/store.py", "zoo/recipes/__init__.py")
    folder = path.relative_to(ROOT).parts[0]
    return folder in ("keras_adaptive", "datasets") or relative(path) in of_zoo


def of_every(files):
    """Makes a test of a check of one file: it checks them all, and names those that fail."""

    def decorate(check):
        def test():
            wrong = []
            for source in files:
                try:
                    check(source)
                except AssertionError as error:
                    wrong.append(f"{relative(source)}: {error}")
            assert not wrong, "\n".join(wrong)

        test.__doc__ = check.__doc__
        return test

    return decorate


@of_every(SOURCES)
def test_arrows_between_the_packages(source):
    folder = source.relative_to(ROOT).parts[0]
    forbidden = {
        "keras_adaptive": ("keras_adaptive.datasets", "keras_adaptive.zoo"),
        "datasets": (
            "keras_adaptive.zoo",
            *(module_name(path) for path in SOURCES if path.parent == ROOT / "keras_adaptive"),
        ),
        "saved_models": ("keras_adaptive.",),
        "zoo": (),
    }[folder]
    allowed = ("keras_adaptive.datasets", "keras_adaptive.import_hook")
    for name in imports(source):
        if folder == "datasets" and name.startswith(allowed):
            continue
        # `python -m keras_adaptive` is the command line.
        if source.name == "__main__.py" and name == "keras_adaptive.zoo.cli.main":
            continue
        assert not name.startswith(forbidden), f"{relative(source)} imports {name}"


@of_every(SOURCES)
def test_packages_meet_by_relative_imports(source):
    """Absolute ones would mix a clone with an installed copy, or name Hugging Face's `datasets`."""
    tree = syntax(source)
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module]
        assert not top_levels(names) & set(PACKAGES), f"{relative(source)}:{node.lineno} {names}"


@of_every(SOURCES)
def test_third_parties(source):
    allowed = {
        "keras_adaptive": {"keras", "numpy", "tensorflow", "jax"},
        "datasets": {"numpy", "tensorflow", "tensorflow_datasets", "etils"},
        "saved_models": set(),
        "zoo": {"argcomplete", "h5py", "keras", "keras_tuner", "numpy", "scipy"}
        | {"jax", "tensorflow"},
    }[source.relative_to(ROOT).parts[0]]
    if is_task(source):
        allowed = {"numpy"} | OTHERS.get(source.stem, set())
    if source.parent == ROOT / "datasets" / "images":
        allowed = allowed | {"PIL"}
    if relative(source) == "datasets/tsp/cutting_planes.py":
        allowed = allowed | {"scipy"}
    # What groups pairs of sentences, learns subwords and scores translations, when it is asked to.
    allowed = allowed | FOR_TRANSLATION.get(relative(source), set())
    if source.parent == PLOTS:
        allowed = allowed | {"matplotlib"}
    if source.parent == ROOT / "keras_adaptive":
        # The one module that computes p-values, and the one that reads weights without Keras.
        allowed = allowed | {"statistics": {"scipy"}, "numpy_act": {"h5py"}}.get(source.stem, set())
    found = third_party(source)
    assert found <= allowed, f"{relative(source)} imports {sorted(found - allowed)}"


@of_every(SOURCES)
def test_heavy_packages_load_when_used(source):
    """Training on JAX needs no TensorFlow, and `import keras_adaptive` stays as quick as Keras."""
    heavy = {"tensorflow", "tensorflow_datasets", "keras_tuner", "matplotlib", "jax"}
    if source.name.endswith("builder.py") or source.parent == ROOT / "datasets" / "tfds":
        heavy -= {"tensorflow", "tensorflow_datasets"}
    # A file or a folder named after its backend loads with that backend.
    heavy -= {source.stem, *source.relative_to(ROOT).parts[:-1]}
    found = third_party(source, unconditional=True) & heavy
    assert not found, f"{relative(source)} imports {sorted(found)} at once"


def test_keras_tuner_is_imported_in_one_file():
    files = [relative(path) for path in SOURCES if "keras_tuner" in third_party(path)]
    assert len(files) <= 1, files


def test_imported_packages_are_declared():
    required = configuration()["options"]["install_requires"].split("\n")
    declared = {line.split()[0] for line in required if line and not line.startswith("#")}
    for source in SOURCES:
        for package in third_party(source) - OPTIONAL:
            assert DISTRIBUTIONS.get(package, package) in declared, (relative(source), package)


@of_every(SOURCES)
def test_file_length(source):
    assert len(source.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


@of_every(SOURCES)
def test_no_drawers(source):
    """A function that fits nowhere shows a missing noun."""
    assert source.stem not in {"utils", "util", "common", "misc", "helpers", "tools"}


def public_functions(path):
    """The functions of a module, and the methods of its classes, whose names are public."""
    tree = syntax(path)
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for owner in [tree, *(node for node in classes if not node.name.startswith("_"))]:
        for node in owner.body:
            is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            if is_function and (node.name == "__init__" or not node.name.startswith("_")):
                yield node


@of_every([path for path in SOURCES if is_typed(path)])
def test_public_functions_have_types(source):
    """What has none is not checked by mypy either."""
    for function in public_functions(source):
        given = function.args
        named = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        bare = [x.arg for x in named if x and not x.annotation and x.arg not in ("self", "cls")]
        where = f"{relative(source)}:{function.lineno} {function.name}"
        assert not bare, f"{where}: {bare}"
        assert function.returns or function.name == "__init__", f"{where}: what it returns"


def configuration():
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    return config


def test_packages_of_setup_cfg_are_those_of_the_tree():
    listed = configuration()["options"]["packages"].split()
    in_tree = {module_name(path) for path in SOURCES if path.name == "__init__.py"}
    # Each data set is a folder that needs no line in setup.cfg.
    below = {name for name in in_tree if name.startswith("keras_adaptive.datasets.")}
    assert sorted(in_tree - below) == sorted(listed)
    assert listed == sorted(listed)


def test_package_dir_maps_the_folders():
    lines = configuration()["options"]["package_dir"].strip().splitlines()
    mapping = dict(reversed([part.strip() for part in line.split("=")]) for line in lines)
    assert mapping == PACKAGES


def test_every_package_has_an_init():
    for source in SOURCES:
        assert (source.parent / "__init__.py").is_file(), relative(source.parent)
