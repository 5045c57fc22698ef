"""The commands that ask a trained network."""

from ... import datasets
from ...long_calls import interruptible
from .. import families
from ..command_check import option, recipe_asked
from ..entries import store
from ..evaluate import evaluate as measure
from ..segmentation import segment as cut
from ..settings import LIMITED
from ..training.run import restore
from .answers import answer, report, with_bit_errors

# Default numbers of examples, without and with `--within`.
EXAMPLES, EXAMPLES_IN_TIME = 10_000, 1000


def evaluate(arguments):
    limits = {name: getattr(arguments, name) for name in LIMITED}
    recipe = recipe_asked(arguments)
    family = families.of(recipe)
    options = {name: getattr(arguments, name) for name in ("bits", "length", "probe", "side")}
    # Options that do not apply are refused before a model is loaded.
    parameters = family.evaluation_parameters(options)
    family.check_limits(limits, option)
    within = limits.pop("within")
    if parameters:
        datasets.example_size(recipe.dataset, **{**recipe.parameters, **parameters})
    given = None if arguments.file is None else family.read_examples(arguments.file)
    model = model_asked(arguments, recipe, limits)
    examples = arguments.examples or (EXAMPLES if within is None else EXAMPLES_IN_TIME)
    settings = (examples, arguments.seed, arguments.split, parameters)
    rest = (within, arguments.batch_size, given)
    results = interruptible(lambda: measure(model, recipe, *settings, *rest))
    if given is not None:
        fresh = dict.fromkeys(("split", "seed", "parameters"))
        results = {**results, "file": arguments.file, **fresh}
    answer(arguments, with_bit_errors(results), report(recipe, results))


def model_asked(arguments, recipe, limits=None):
    """The pretrained model, or the model of the training of `--run`.

    Args:
        arguments: with `name` and `run`, one of which is None.
        recipe: of the model.
        limits: keyword arguments of `store.load`.
    """
    if arguments.run is None:
        return store.load(arguments.name, **(limits or {}))

    model = restore(arguments.run).model
    store.check_finite(model, arguments.run)
    if limits:
        families.of(recipe).apply_limits(model, limits)
    return model


def plot(arguments):
    recipe = recipe_asked(arguments)
    name, family = recipe.name, families.of(recipe)
    family.check_plot(arguments)
    paths = interruptible(lambda: family.plot(model_asked(arguments, recipe), arguments))
    files = [paths[key] for key in ("animation", "picture") if key in paths]
    answer(arguments, {"model": name, **paths}, "\n".join(files))


def segment(arguments):
    request = (arguments.name, arguments.text, arguments.by, arguments.height)
    segments = interruptible(lambda: cut(*request))
    answer(arguments, segments, "|".join(segments["pieces"]))
