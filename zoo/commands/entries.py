"""The commands that publish trained networks, and measure published ones."""

from .. import families
from ..entries.ensemble import averaged_run
from ..entries.export import export as write_entry
from ..entries.verify import QUICK
from ..entries.verify import report as in_lines
from ..entries.verify import verify as measure_again
from ..training.run import restore
from .answers import answer, with_bit_errors


def verify(arguments):
    settings = {name: getattr(arguments, name) for name in ("examples", "seconds")}
    if arguments.quick:
        settings = {name: value or QUICK[name] for name, value in settings.items()}
    results = measure_again(
        arguments.names,
        seed=arguments.seed,
        folder=arguments.entries,
        out=arguments.out,
        **settings,
    )
    answer(arguments, results, in_lines(results))
    return int(bool(results["disagreements"]))


def measure(arguments):
    run = restore(arguments.run)
    if arguments.ensemble:
        run = averaged_run([run, *map(restore, arguments.ensemble)])
    family = families.of(run.recipe)
    results = {"model": run.recipe.name, **family.measure_lengths(run, arguments)}
    answer(arguments, with_bit_errors(results), family.describe_lengths(results))


def export(arguments):
    path = write_entry(
        arguments.run,
        arguments.into,
        arguments.others,
        arguments.examples,
        arguments.long_examples,
        arguments.lengths or None,
        arguments.ensemble,
        arguments.seed,
    )
    answer(arguments, {"model": path.name, "folder": str(path)}, str(path))
