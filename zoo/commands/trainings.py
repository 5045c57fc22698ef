"""The commands that train networks, one or many."""

import contextlib
import shlex
import sys

from .. import recipes
from ..command_check import out_of, over_of, overrides_of
from ..evaluate import evaluate_run
from ..search import study_table
from ..search.rows import TABLES, ranking
from ..search.seeds import choose_seed
from ..search.space import TIME_PENALTIES
from ..search.study import study as run_study
from ..search.tune import tuner
from ..training.train import train as run_training
from .answers import PROGRAM, answer, note, report, with_bit_errors


def train(arguments):
    out = arguments.out = out_of(arguments)
    settings = {
        "overrides": overrides_of(arguments),
        "variant": arguments.variant,
        "steps_scale": arguments.steps_scale,
        "jit_compile": {"auto": "auto", "on": True, "off": False}[arguments.jit],
        "keep_every": arguments.keep_every,
        "precision": arguments.precision,
    }
    if arguments.seeds is None:
        settings |= {"seed": arguments.seed, "weights": arguments.weights}
        run = run_training(arguments.name, out, resume=arguments.resume, **settings)
    else:
        run = choose_seed(arguments.name, out, arguments.seeds, resume=arguments.resume, **settings)
    note(f"{run.position.step} steps done; evaluating")
    metrics = evaluate_run(run, arguments.examples)
    note(export_hint(run.folder))
    answer(arguments, with_bit_errors(metrics), report(run.recipe, metrics))


def export_hint(out):
    """A note on how to publish a finished training."""
    folder = f"./{out}" if str(out).startswith("-") else str(out)
    command = shlex.join([PROGRAM, "export", folder])
    return f"publish it with: {command} (with the TensorFlow backend)"


def tune(arguments):
    out = arguments.out = out_of(arguments, "_search")
    kinds = ("method", "trials", "seeds", "objective", "variant", "steps_scale", "examples", "seed")
    settings = {kind: getattr(arguments, kind) for kind in kinds}
    # KerasTuner prints to standard output, which is for the answer.
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
    shown = ("recipe", "method", "objective", "seeds")
    data = {
        **{key: settings[key] for key in shown},
        "folder": str(out),
        "table": str(out / TABLES[0]),
        "best": ranked[0] if ranked else None,
        "trials": ranked,
    }
    answer(arguments, data, format_ranking(ranked[:10], out / TABLES[1]))


def format_ranking(ranked, table):
    """The best trials of a search, one per line."""
    lines = [
        f"{trial['objective']:g}: "
        + ", ".join(f"{name}={value}" for name, value in trial["overrides"].items())
        + f" (trial {int(trial['trial']) + 1})"
        for trial in ranked
    ]
    return "\n".join([*lines, f"every training: {table}"])


def study(arguments):
    out = arguments.out = out_of(arguments, "_study")
    settings = {"tau": arguments.tau, "fixed": arguments.fixed, "targets": arguments.target}
    kinds = ("sampled", "seeds", "steps_scale", "examples")
    settings |= {kind: getattr(arguments, kind) for kind in kinds}
    if arguments.full:
        settings |= {"tau": list(TIME_PENALTIES), "seeds": 20}
    settings |= {"overrides": overrides_of(arguments) or None, "resume": arguments.resume}
    with contextlib.redirect_stdout(sys.stderr):
        results = run_study(arguments.name, out, **settings)
    data = {"recipe": arguments.name, "folder": str(out), "rows": results["rows"]}
    answer(arguments, data, study_table.table(results, recipes.load(arguments.name)))
