"""What the commands of the command line do: each takes the parsed arguments."""

import contextlib
import functools
import json
import shlex
import sys
from pathlib import Path

from .command_check import option, over_of, overrides_of, recipe_asked
from .settings import LIMITED
from .training.progress import Estimated, interruptible

PROGRAM = "keras-adaptive"
# Of an evaluation, and of one that measures its calls one by one.
EXAMPLES, EXAMPLES_IN_TIME = 10_000, 1000


def answer(arguments, data, text):
    """Print `data` as JSON, or `text`."""
    print(json.dumps(data, ensure_ascii=False) if arguments.json else text)


def note(text):
    """Tell the person something that is no part of the answer."""
    print(text, file=sys.stderr)


def list_command(arguments):
    from .listing import listing, table

    data = listing()
    answer(arguments, data, table(data))


def train_command(arguments):
    from .evaluate import evaluate_run
    from .search.seeds import scout
    from .training.train import train

    out = arguments.out = Path(arguments.out or Path("runs") / arguments.name)
    settings = {
        "overrides": overrides_of(arguments),
        "variant": arguments.variant,
        "steps_scale": arguments.steps_scale,
        "jit_compile": {"auto": "auto", "on": True, "off": False}[arguments.jit],
        "keep_every": arguments.keep_every,
    }
    if arguments.seeds is None:
        run = train(arguments.name, out, resume=arguments.resume, seed=arguments.seed, **settings)
    else:
        run = scout(arguments.name, out, arguments.seeds, resume=arguments.resume, **settings)
    note(f"{run.position.step} steps done; evaluating")
    found = evaluate_run(run, arguments.examples)
    note(export_hint(run.folder))
    answer(arguments, in_words_of_users(found), report(run.recipe, found))


def again(argv, resume):
    """The command that goes on with what was interrupted, for a shell.

    >>> again(["train", "act_sort", "--out", "my runs/sort", "--json"], resume=True)
    "keras-adaptive train act_sort --out 'my runs/sort' --json --resume"
    """
    words = [word for word in argv if word != "--resume"]
    end = words.index("--") if "--" in words else len(words)
    return shlex.join([PROGRAM, *words[:end], *["--resume"] * resume, *words[end:]])


def has_training(out):
    """Whether `train` can go on in a folder."""
    from .training import checkpoint

    return out is not None and any(map(checkpoint.begun, (out, Path(out) / "seed-0")))


def is_resumable(out):
    """Whether `tune` and `study` can go on in a folder; they can where there is nothing yet."""
    return True


def tune_command(arguments):
    from .search.rows import TABLES, ranking
    from .search.tune import tuner

    out = arguments.out = Path(arguments.out or Path("runs") / f"{arguments.name}_search")
    kinds = ("method", "trials", "seeds", "objective", "variant", "steps_scale", "examples", "seed")
    settings = {kind: getattr(arguments, kind) for kind in kinds}
    # KerasTuner speaks on standard output.
    with contextlib.redirect_stdout(sys.stderr):
        search = tuner(
            arguments.name,
            out,
            over=over_of(arguments),
            resume=arguments.resume,
            overrides=overrides_of(arguments) or None,
            **settings,
        )
        search.search()
    settings = search.plan.settings
    ranked = ranking(search.rows(), settings["seeds"])
    kept = ("recipe", "method", "objective", "seeds")
    data = {
        **{key: settings[key] for key in kept},
        "folder": str(out),
        "table": str(out / TABLES[0]),
        "best": ranked[0] if ranked else None,
        "trials": ranked,
    }
    answer(arguments, data, ranked_in_words(ranked[:10], out / TABLES[1]))


def ranked_in_words(ranked, table):
    """The best trials of a search, a line each."""
    lines = [
        f"{trial['objective']:g}: "
        + ", ".join(f"{name}={value}" for name, value in trial["overrides"].items())
        + f" (trial {int(trial['trial']) + 1})"
        for trial in ranked
    ]
    return "\n".join([*lines, f"every training: {table}"])


def study_command(arguments):
    from . import recipes
    from .search import study_table
    from .search.space import TIME_PENALTIES
    from .search.study import study

    out = arguments.out = Path(arguments.out or Path("runs") / f"{arguments.name}_study")
    settings = {"tau": arguments.tau, "fixed": arguments.fixed, "targets": arguments.target}
    kinds = ("sampled", "seeds", "steps_scale", "examples")
    settings |= {kind: getattr(arguments, kind) for kind in kinds}
    if arguments.full:
        settings |= {"tau": list(TIME_PENALTIES), "seeds": 20}
    overrides = overrides_of(arguments) or None
    with contextlib.redirect_stdout(sys.stderr):
        found = study(arguments.name, out, resume=arguments.resume, overrides=overrides, **settings)
    data = {"recipe": arguments.name, "folder": str(out), "rows": found["rows"]}
    answer(arguments, data, study_table.table(found, recipes.load(arguments.name)))


def evaluate_command(arguments):
    from .. import datasets
    from . import families
    from .evaluate import evaluate

    limits = {name: getattr(arguments, name) for name in LIMITED}
    recipe = recipe_asked(arguments)
    family = families.of(recipe)
    wanted = {name: getattr(arguments, name) for name in ("bits", "length", "probe")}
    # What cannot be measured is refused before a model is loaded.
    parameters = family.evaluation_parameters(wanted)
    family.check_limits(limits, option)
    within = limits.pop("within")
    if parameters:
        datasets.example_size(recipe.dataset, **{**recipe.parameters, **parameters})
    model = model_asked(arguments, recipe, limits)
    examples = arguments.examples or (EXAMPLES if within is None else EXAMPLES_IN_TIME)
    settings = (examples, arguments.seed, arguments.split, parameters)
    speed = (within, arguments.batch_size)
    found = interruptible(lambda: evaluate(model, recipe, *settings, *speed))
    answer(arguments, in_words_of_users(found), report(recipe, found))


def model_asked(arguments, recipe, limits=None):
    """The pretrained model, or that of the training of `--run`.

    Args:
        arguments: with `name` and `run`, one of which is None.
        recipe: of the model.
        limits: as the keywords of `store.load`.
    """
    from . import families
    from .entries import store

    if arguments.run is None:
        return store.load(arguments.name, **(limits or {}))
    from .training.run import restore

    model = restore(arguments.run).model
    store.check_finite(model, arguments.run)
    if limits:
        families.of(recipe).apply_limits(model, limits)
    return model


def verify_command(arguments):
    from .entries.verify import QUICK, report, verify

    settings = {name: getattr(arguments, name) for name in ("examples", "seconds")}
    if arguments.quick:
        settings = {name: value or QUICK[name] for name, value in settings.items()}
    found = verify(
        arguments.names,
        seed=arguments.seed,
        folder=arguments.entries,
        out=arguments.out,
        **settings,
    )
    answer(arguments, found, report(found))
    return int(bool(found["disagreements"]))


def predict_command(arguments):
    from . import families
    from .entries import store

    recipe, text = recipe_asked(arguments), arguments.input

    def ask():
        return store.ask(model_asked(arguments, recipe), recipe, text, Estimated)

    found = interruptible(ask)
    answer(arguments, found, families.of(recipe).format_answer(found))


def plot_command(arguments):
    from . import families

    recipe = recipe_asked(arguments)
    name, family = recipe.name, families.of(recipe)
    family.check_plot(arguments)
    found = interruptible(lambda: family.plot(model_asked(arguments, recipe), arguments))
    files = [found[key] for key in ("animation", "picture") if key in found]
    answer(arguments, {"model": name, **found}, "\n".join(files))


def segment_command(arguments):
    from .segmentation import segment

    request = (arguments.name, arguments.text, arguments.by, arguments.height)
    found = interruptible(lambda: segment(*request))
    answer(arguments, found, "|".join(found["pieces"]))


def measure_command(arguments):
    from . import families
    from .entries.ensemble import together
    from .training.run import restore

    run = restore(arguments.run)
    if arguments.ensemble:
        run = together([run, *map(restore, arguments.ensemble)])
    family = families.of(run.recipe)
    found = {"model": run.recipe.name, **family.measure_lengths(run, arguments)}
    answer(arguments, in_words_of_users(found), family.describe_lengths(found))


def export_command(arguments):
    from .entries.export import export

    path = export(
        arguments.run,
        arguments.into,
        arguments.others,
        arguments.examples,
        arguments.long_examples,
        arguments.lengths or None,
        arguments.ensemble,
    )
    answer(arguments, {"model": path.name, "folder": str(path)}, str(path))


def demo_command(arguments):
    from .demo import demo

    show = None if arguments.json else functools.partial(print, flush=True)
    found = demo(arguments.out, arguments.examples, show=show)
    if arguments.json:
        answer(arguments, found, found["text"])


def report(recipe, found):
    """The numbers of an evaluation in one line."""
    from . import families

    family = families.of(recipe)
    if family.main_metric != "sequence_error":
        return f"{found['model']}: {family.describe(found)}"
    low, high = found["confidence_interval"]
    text = (
        f"{found['model']}: sequence error {found['sequence_error']:.2%} "
        f"({low:.2%} to {high:.2%}, {found['examples']} examples), "
        f"{family.describe(found)}"
    )
    if "within" in found:
        text += (
            f", 95 % of {found['calls']} calls within {1000 * found['seconds_of_95_percent']:.1f} "
            f"ms, {found['late']:.1%} later than 1.2 × {1000 * found['within']:g} ms"
        )
    return text


def in_words_of_users(found):
    """An evaluation for `--json`, where the share of wrong symbols is called `bit_error`."""
    if isinstance(found, list):
        return [in_words_of_users(one) for one in found]
    if not isinstance(found, dict):
        return found
    names = {key: key.replace("symbol_error", "bit_error") for key in found if isinstance(key, str)}
    return {names[key]: in_words_of_users(value) for key, value in found.items()}


def export_hint(out):
    """What to do with a finished training."""
    command = shlex.join([PROGRAM, "export", str(out)])
    return f"publish it with: {command} (with the TensorFlow backend)"
