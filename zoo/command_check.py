"""Checks of a command's arguments, made before the command does any work.

Neither Keras nor a model is loaded here.
"""

import importlib.util
import os
from pathlib import Path

from .. import checkpoints, datasets
from ..checkpoints.files import target_of
from ..plots.figure import FORMATS, check_format
from . import recipes, settings
from .entries import store
from .family_traits import traits_of
from .search.rows import SEARCH, check_measured, weights_of
from .search.space import DEFAULT_METHOD, TIME_PENALTIES, space_of
from .search.variants import STUDY, defaults_of, variants_of
from .training import checkpoint

# Options whose folders are written, and options whose folders must exist.
WRITTEN = ("out", "into")
READ = ("run", "ensemble", "others", "entries")
# What the folder of a search or study has, by what its default name ends in.
OF_MANY = {"_search": SEARCH, "_study": STUDY}


def check(arguments):
    """Refuse arguments with which a command cannot run.

    Args:
        arguments: as the parser of the command line gives them.

    Raises:
        ValueError, OSError, ImportError: the message names the argument.
    """
    check_numbers(arguments)
    if getattr(arguments, "backend", None) and not importlib.util.find_spec(arguments.backend):
        raise ImportError(f"--backend {arguments.backend}: {arguments.backend} is not installed")
    if arguments.check:
        arguments.check(arguments)
    check_paths(arguments)


def check_numbers(arguments):
    """Check the options that are numbers or lists of lengths."""
    for name, setting in settings.OPTIONS.items():
        value = getattr(arguments, name, None)
        for number in value if isinstance(value, tuple) else (value,):
            if number is not None:
                setting.check(option(name), number)
        if isinstance(value, tuple) and value[0] > value[1]:
            raise ValueError(
                f"{option(name)} must be least:largest. Received: {value[0]}:{value[1]}"
            )
    for length in getattr(arguments, "lengths", None) or ():
        settings.OPTIONS["length"].check("--lengths", length)


def option(name):
    """The name of an option, as it is typed."""
    return "--" + name.replace("_", "-")


def check_paths(arguments):
    """Check the folders and files that are to be read or written."""
    for name in WRITTEN:
        path = getattr(arguments, name, None)
        if path is None:
            continue
        check_place(option(name), path, arguments.writes_a_file)
    for name in READ:
        paths = getattr(arguments, name, None)
        for path in paths if isinstance(paths, list) else [paths]:
            if path is not None and not (path and Path(path).is_dir()):
                raise FileNotFoundError(f"there is no folder {path!r}")


def check_place(name, path, is_file=False):
    """Refuse a path at which a file, or else a folder, cannot be written."""
    target = check_writable(name, path)
    if is_file and target.is_file():
        # A new one takes its place.
        check_writable(name, target.parent)
    if Path(path).exists() and Path(path).is_dir() == is_file:
        kind = "a folder, and must be a file" if is_file else "a file, and must be a folder"
        raise OSError(f"{name} {path} is {kind}")


def out_of(arguments, kind=""):
    """The folder of a training, or of a `kind` of many; by default in `runs`."""
    out = Path(arguments.out or Path("runs") / f"{arguments.name}{kind}")
    check_place("--out", out)
    for other, name in OF_MANY.items():
        if other != kind and (out / name).exists():
            raise FileExistsError(f"{out} already holds a {other[1:]}. Choose another folder.")
    if kind and checkpoints.exists(out):
        raise FileExistsError(f"{out} already holds a training. Choose another folder.")
    return out


def check_writable(name, path):
    """Refuse a path at which nothing can be written; returns what it points to, see `target_of`.

    Raises:
        ValueError: the path is empty.
        OSError: a file or a device is in the way, permission is missing, or the current folder was
            removed.
    """
    if not str(path):
        raise ValueError(f"{name} must name a file or folder. Received: ''")
    if os.path.islink(path) and not os.path.exists(path):
        raise FileNotFoundError(f"{name} {path} is a link to what is not there")
    target = place = target_of(path, name)
    while not place.exists() and place != place.parent:
        place = place.parent
    if place != target and not place.is_dir():
        raise NotADirectoryError(f"{name} {path}: {place} is not a folder")
    if not os.access(place, os.W_OK | (os.X_OK if place.is_dir() else 0)):
        raise PermissionError(f"{name} {path}: {place} is not writable")
    return target


def overrides_of(arguments):
    """The settings of `--set`; refuses one that is given twice, if by another name."""
    overrides, recipe, seen = {}, recipes.load(arguments.name), {}
    for key, value in arguments.set:
        name = recipe.full_name(key)
        if name in seen:
            as_what = f", as {seen[name]}" if seen[name] != key else ""
            raise ValueError(f"--set {key} is given twice{as_what}")
        seen[name], overrides[key] = key, value
    if "seed" in overrides and (arguments.seeds or getattr(arguments, "seed", None) is not None):
        raise ValueError("--set seed: give --seed or --seeds alone")
    return overrides


def shared_overrides_of(arguments):
    """The settings of `--set` for many trainings, whose seeds differ."""
    overrides = overrides_of(arguments)
    if "seed" in overrides:
        raise ValueError("--set seed: each training has a seed of its own, see --seeds")
    return overrides


def changed(arguments):
    """The recipe of a command, with the settings that are given on the command line.

    A resumed training keeps its own settings, so only the given values are checked here.
    """
    recipe = recipes.load(arguments.name)
    variant, scale = getattr(arguments, "variant", None), arguments.steps_scale
    overrides = overrides_of(arguments)
    if not arguments.resume:
        return recipe.configured(variant=variant, overrides=overrides, steps_scale=scale)
    for key, value in overrides.items():
        recipe.check_setting(key, value)
    return recipe if variant is None else recipe.with_variant(variant)


def check_train(arguments):
    """Check the arguments of `train`."""
    recipe = changed(arguments)
    out = out_of(arguments)
    if arguments.resume and not any(map(checkpoints.exists, (out, out / "seed-0"))):
        raise FileNotFoundError(f"there is no checkpoint to resume from in {out}")
    if arguments.seeds is not None and checkpoints.exists(out):
        raise FileExistsError(f"{out} already holds one training. Choose another folder.")
    if arguments.seeds is None and not arguments.resume and checkpoints.exists(out / "seed-0"):
        raise FileExistsError(f"{out} already holds trainings of several seeds; --seeds resumes.")
    if arguments.weights is not None:
        if arguments.resume or arguments.seeds is not None:
            raise ValueError("--weights begins one new training: leave out --resume and --seeds")
        if not arguments.weights:
            raise ValueError("--weights must name a folder. Received: ''")
        checkpoint.latest(arguments.weights)
    if arguments.seeds is None:
        return
    if arguments.seed is not None:
        raise ValueError("--seeds tries several seeds and --seed is one: give one of the two")
    if "longer" not in recipe.hyperparameters:
        raise ValueError(
            "--seeds chooses by examples that are longer than those trained on, which "
            f"{recipe.name} does not measure: give one seed"
        )


def over_of(arguments):
    """The search space of `--tau` and `--over`, a dict; None if neither is given."""
    over = {} if arguments.tau is None else {"tau": arguments.tau}
    for name, values in arguments.over:
        if name in over:
            raise ValueError(f"--over {name} is given twice; --tau counts as --over time_penalty")
        over[name] = values
    return over or None


def check_tune(arguments):
    """Check the arguments of `tune`."""
    recipe, out = changed(arguments), out_of(arguments, "_search")
    # A search that is resumed has settings of its own, with which its values are checked.
    if not (arguments.resume and (out / SEARCH).exists()):
        space_of(
            recipes.load(arguments.name),
            over_of(arguments),
            arguments.method or DEFAULT_METHOD,
            overrides=shared_overrides_of(arguments),
            variant=arguments.variant,
            steps_scale=arguments.steps_scale,
        )
    if arguments.objective is not None:
        check_measured(weights_of(arguments.objective), recipe)


def check_study(arguments):
    """Check the arguments of `study`."""
    recipe = recipes.load(arguments.name)
    if "halting" not in recipe.hyperparameters or recipe.figure is None:
        raise ValueError(f"{recipe.name} has no figure of the paper to draw")
    for name, value in (("tau", arguments.tau), ("seeds", arguments.seeds)):
        if arguments.full and value is not None:
            raise ValueError(f"--full gives --{name}: give one of the two")
    changed(arguments)
    out_of(arguments, "_study")
    settings = {"tau": arguments.tau, "fixed": arguments.fixed, "targets": arguments.target}
    settings["sampled"] = arguments.sampled
    if arguments.full:
        settings["tau"] = list(TIME_PENALTIES)
    settings = {kind: values for kind, values in settings.items() if values is not None}
    settings["overrides"] = shared_overrides_of(arguments)
    variants_of(recipe, {**defaults_of(recipe), **settings})


def check_example(arguments):
    """Check the arguments of `predict` and `plot`, and the example of `segment`."""
    place_words(arguments)
    recipe = recipe_asked(arguments)
    text = arguments.text if hasattr(arguments, "text") else arguments.input
    if text is None:
        return
    store.check_text(text)
    datasets.task(recipe.dataset).encode(text, **recipe.parameters)


def check_plot(arguments):
    """Check the arguments of `plot`."""
    check_example(arguments)
    recipe = recipe_asked(arguments)
    formats = FORMATS
    if traits_of(recipe).animates:
        formats = (".gif", *FORMATS)
    out = f"{recipe.name}{formats[0]}" if arguments.out is None else arguments.out
    check_format(out, formats, "--out")
    check_place("--out", out, is_file=True)


def check_measure(arguments):
    """Check the arguments of `measure`."""
    check_paths(arguments)
    recipe = recipe_of(arguments.run)
    if not traits_of(recipe).has_lengths:
        raise ValueError(f"{recipe.name} has no lengths to measure; see evaluate")


def check_segment(arguments):
    """Check the arguments of `segment`."""
    store.segmentation(arguments.name)
    check_example(arguments)


def place_words(arguments):
    """Assign the positional arguments of `predict` and `plot` to `name` and `input`.

    With `--run` the only positional argument is the example; otherwise the first is the name of a
    model.
    """
    if not hasattr(arguments, "run"):
        return
    words = [word for word in (arguments.name, arguments.example) if word is not None]
    if arguments.run is not None:
        if len(words) == 2:
            raise ValueError(
                f"--run {arguments.run} is a training, and {words[0]} the name of a model: "
                "give one of the two"
            )
        arguments.name, arguments.example = None, words[0] if words else None
    elif not words:
        raise ValueError("give the name of a pretrained model, or --run and a training's folder")
    if getattr(arguments, "input", None) is None:
        arguments.input = arguments.example
    elif arguments.example is not None:
        raise ValueError("the example is given once, as a word or by --input")
    if arguments.input is None and arguments.needs_example:
        what = "--run" if arguments.run is not None else arguments.name
        raise ValueError(f"an example is missing after {what}")


def recipe_asked(arguments):
    """The `Recipe` of the pretrained model or training that a command works with."""
    if getattr(arguments, "run", None) is None:
        return store.recipe(arguments.name)
    if not Path(arguments.run or "nowhere").is_dir() or not checkpoints.exists(arguments.run):
        raise FileNotFoundError(
            "--run must be a folder that `train` wrote, with a checkpoint. "
            f"Received: {arguments.run!r}"
        )
    return recipe_of(arguments.run)


def recipe_of(run):
    """The `Recipe` of a training, with its settings."""
    return recipes.configure(checkpoint.latest(run).state["settings"])


def check_verify(arguments):
    """Check the arguments of `verify`."""
    known = store.names(arguments.entries)
    if not known and not store.without_manifest(arguments.entries):
        raise FileNotFoundError(f"--entries {arguments.entries} holds no entries")
    for name in arguments.names:
        # `verify` itself reports damaged entries.
        if name not in known:
            store.entry(name, arguments.entries)


def check_evaluate(arguments):
    """Check the arguments of `evaluate`."""
    if arguments.name is None and arguments.run is None:
        raise ValueError("give the name of a pretrained model, or --run and a training's folder")
    recipe = recipe_asked(arguments)
    if arguments.name not in (None, recipe.name):
        raise ValueError(
            f"--run {arguments.run} is a training of {recipe.name}, not {arguments.name}"
        )
    if arguments.side is not None and "side" not in recipe.parameters:
        raise ValueError(f"--side is for models of images of any size. Received: {recipe.name}")
    if arguments.file is None:
        return
    if not traits_of(recipe).reads_files:
        raise ValueError(f"--file is for models of points. Received: {recipe.name}")
    for name in ("length", "seed", "bits", "probe"):
        if getattr(arguments, name) is not None:
            raise ValueError(f"--{name} is for fresh examples, and --file has its own")
    if not Path(arguments.file or "nowhere").exists():
        raise FileNotFoundError(f"there is no file {arguments.file!r}")
    if not Path(arguments.file).is_file():
        raise ValueError(
            f"--file must be a file, not a folder or a pipe. Received: {arguments.file!r}"
        )
