"""The commands that publish trained networks, and measure what is published."""

from .. import families
from ..entries.ensemble import together
from ..entries.export import export as write_entry
from ..entries.verify import QUICK
from ..entries.verify import report as in_lines
from ..entries.verify import verify as measure_again
from ..training.run import restore
from .answers import answer, in_words_of_users


def verify(arguments):
    settings = {name: getattr(arguments, name) for name in ("examples", "seconds")}
    if arguments.quick:
        settings = {name: value or QUICK[name] for name, value in settings.items()}
    found = measure_again(
        arguments.names,
        seed=arguments.seed,
        folder=arguments.entries,
        out=arguments.out,
        **settings,
    )
    answer(arguments, found, in_lines(found))
    return int(bool(found["disagreements"]))


def measure(arguments):
    run = restore(arguments.run)
    if arguments.ensemble:
        run = together([run, *map(restore, arguments.ensemble)])
    family = families.of(run.recipe)
    found = {"model": run.recipe.name, **family.measure_lengths(run, arguments)}
    answer(arguments, in_words_of_users(found), family.describe_lengths(found))


def export(arguments):
    path = write_entry(
        arguments.run,
        arguments.into,
        arguments.others,
        arguments.examples,
        arguments.long_examples,
        arguments.lengths or None,
        arguments.ensemble,
    )
    answer(arguments, {"model": path.name, "folder": str(path)}, str(path))
