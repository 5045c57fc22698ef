"""Wheel, sdist, editable install and the source folder give the same package, and nothing else.

Each way gets a virtual environment that sees the packages at hand (TensorFlow is not downloaded
for a test), and tells in a process of its own what it imported. The process runs Keras on JAX,
which starts quicker.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ["keras_adaptive", "datasets", "saved_models", "zoo"]
INIT = "keras_adaptive/__init__.py"
FILES = ["setup.py", "setup.cfg", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE"]
IMPORTS = ["keras_adaptive", "keras_adaptive.datasets", "keras_adaptive.zoo"]
# Names that an installed keras_adaptive must not take: Hugging Face has a `datasets`.
STRANGERS = ["datasets", "saved_models", "zoo"]
# All of them are 150 MB, which take half a minute to pack and unpack.
MODELS = {"act_parity", "ham_reverse", "neural_gpu_copy"}

PROBE = f"""
import importlib, importlib.util, json, sys
import keras
before = set(sys.modules)
modules = [importlib.import_module(name) for name in {IMPORTS}]
loaded = {{name.split(".")[0] for name in set(sys.modules) - before}}
from importlib.resources import files
saved_models = files("keras_adaptive.saved_models")
print(json.dumps({{
    "places": [module.__file__ for module in modules],
    "version": modules[0].__version__,
    "loaded": sorted(loaded),
    "names": list(modules[2].names()),
    "tasks": list(modules[1].names()),
    "strangers": [name for name in {STRANGERS} if importlib.util.find_spec(name)],
    "cards": [name for name in modules[2].names() if (saved_models / name / "README.md").is_file()],
}}))
"""


def run(*command, cwd):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment |= {"KERAS_BACKEND": "jax", "PIP_NO_INDEX": "1"}
    result = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True
    )
    assert not result.returncode, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def probe(python, cwd):
    return json.loads(run(python, "-c", PROBE, cwd=cwd).splitlines()[-1])


def data_files(folder):
    """Everything but code, relative to the folder, in the names that the wheel gives it."""
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return {name for name in found if not name.endswith((".py", ".pyc"))}


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the sources, so that building leaves nothing in the tree; with a few models."""
    target = tmp_path_factory.mktemp("clone")
    others = {path.parent.name for path in ROOT.glob("saved_models/*/README.md")} - MODELS
    for folder in FOLDERS:
        left_out = others if folder == "saved_models" else ()
        shutil.copytree(
            ROOT / folder,
            target / folder,
            ignore=shutil.ignore_patterns("__pycache__", *left_out),
        )
    for file in FILES:
        shutil.copy(ROOT / file, target / file)
    return target


def build(kind, source, target):
    """Build with the setuptools at hand, without the environment that pip would make for it."""
    code = f"from setuptools.build_meta import *; print(build_{kind}({str(target)!r}))"
    return target / run(sys.executable, "-c", code, cwd=source).splitlines()[-1]


@pytest.fixture(scope="module")
def wheel(clone, tmp_path_factory):
    """Built from the sdist, as for an upload."""
    folder = tmp_path_factory.mktemp("build")
    shutil.copytree(clone, folder / "copy")
    with tarfile.open(build("sdist", folder / "copy", folder)) as archive:
        archive.extractall(folder, filter="data")
    (source,) = (path for path in folder.glob("keras_adaptive-*") if path.is_dir())
    return build("wheel", source, folder)


@pytest.fixture(scope="module")
def packages_at_hand(tmp_path_factory):
    """The installed packages, without any keras_adaptive among them."""
    folder = tmp_path_factory.mktemp("packages")
    hidden = ("keras_adaptive", "__editable__", "_keras_adaptive", *STRANGERS)
    for key in ("purelib", "platlib"):
        for entry in Path(sysconfig.get_path(key)).iterdir():
            link = folder / entry.name
            if not entry.name.startswith(hidden) and not link.exists():
                link.symlink_to(entry)
    return folder


@pytest.fixture
def environment(packages_at_hand, tmp_path):
    """The Python of a new virtual environment that sees the packages at hand."""
    venv.create(tmp_path / "venv", symlinks=True)
    (site_packages,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (site_packages / "packages_at_hand.pth").write_text(str(packages_at_hand))
    return tmp_path / "venv" / "bin" / "python"


def install(python, *what):
    options = ["--no-deps", "--no-build-isolation"]
    run(sys.executable, "-m", "pip", "--python", python, "install", *options, *what, cwd="/")


def check(found, root, alone=True):
    """All three packages come from one place, load little, and bring the models."""
    for place in found["places"]:
        assert Path(place).resolve().is_relative_to(root.resolve()), found["places"]
    assert not {"tensorflow_datasets", "keras_tuner", "tensorflow", "matplotlib"} & {
        *found["loaded"]
    }
    tasks = {path.parent.name for path in ROOT.glob("datasets/*/TAGS.txt")}
    # Their examples are not made up: they need a text, or images.
    texts_and_images = {"cifar10", "digit_canvas", "enwik8", "tatoeba", "wikitext2"}
    assert found["tasks"] == sorted(tasks - texts_and_images)
    assert found["cards"] == found["names"]
    assert set(found["names"]) == MODELS
    if alone:
        assert found["strangers"] == []


def test_wheel(wheel, clone, environment, tmp_path):
    install(environment, wheel)
    check(probe(environment, cwd=tmp_path), tmp_path / "venv")
    assert (environment.parent / "keras-adaptive").is_file()
    # Whoever stands in a clone gets all of it, and no half of what is installed.
    check(probe(environment, cwd=clone), clone, alone=False)


@pytest.mark.slow
def test_the_sources_make_the_same_wheel(wheel, clone, tmp_path):
    shutil.copytree(clone, tmp_path / "copy")
    direct = build("wheel", tmp_path / "copy", tmp_path)
    assert zipfile.ZipFile(direct).namelist() == zipfile.ZipFile(wheel).namelist()


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["lenient", "strict"])
def test_editable(mode, clone, environment, tmp_path):
    source = tmp_path / "copy"
    shutil.copytree(clone, source)
    install(environment, "--config-settings", f"editable_mode={mode}", "--editable", source)
    check(probe(environment, cwd=tmp_path), source)


@pytest.mark.slow
def test_source_folder(clone, environment):
    check(probe(environment, cwd=clone), clone, alone=False)


def test_wheel_has_one_import_name_and_all_files(wheel, clone):
    names = zipfile.ZipFile(wheel).namelist()
    top_levels = {name.split("/")[0] for name in names}
    assert {name for name in top_levels if not name.endswith(".dist-info")} == {"keras_adaptive"}
    assert "keras_adaptive/py.typed" in names
    for folder in ["datasets", "saved_models"]:
        inside = {name.removeprefix(f"keras_adaptive/{folder}/") for name in names}
        assert data_files(clone / folder) <= inside


def test_metadata_states_what_is_supported(wheel):
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = Parser().parsestr(archive.read(name).decode())
    assert set(metadata["Requires-Python"].replace(" ", "").split(",")) == {">=3.11", "<3.14"}
    required = {line.split(";")[0].strip() for line in metadata.get_all("Requires-Dist")}
    assert any(line.startswith("keras") and "3.15" in line and "<4" in line for line in required)
    assert f'__version__ = "{metadata["Version"]}"' in (ROOT / INIT).read_text()
