"""Checks that the settings of a recipe go together, before anything is built or written.

The type and range of each setting are checked already (`settings`). Here the data set draws an
example with the parameters of every stage, and hyperparameters are compared with each other.
"""

from .. import datasets
from .family_traits import traits_of
from .settings import GROWING, LARGEST_BATCH

# The largest training batch, in numbers of 4 bytes: 8 GiB.
MOST_NUMBERS = 2**31
# The prices of steps that there are not, by the halting rules whose steps cost nothing; variants
# with a fixed number of steps may say that there is no target.
FREE = {
    None: ("time_penalty", "target_ponder"),
    "pondernet": ("time_penalty", "target_ponder"),
    "fixed": ("time_penalty",),
}
# Among this many examples at least one has a target, if any example has.
DRAWN = 100


def check(recipe, changed=()):
    """Refuse settings that do not go together.

    Args:
        recipe: a `Recipe`.
        changed: the names of the settings that were changed.

    Raises:
        ValueError: the message names the settings.
    """
    check_network(recipe)
    check_costs(recipe, changed)
    if recipe.dataset in datasets.names():
        check_data(recipe)


def check_network(recipe):
    """Check the hyperparameters of a recipe against each other."""
    settings, traits = recipe.hyperparameters, traits_of(recipe)
    get = settings.get
    halting, steps, target = get("halting"), get("fixed_steps"), get("target_ponder")
    if halting == "fixed" and steps is None:
        raise ValueError("halting=fixed needs fixed_steps; the variant fixed-k sets both")
    if halting == "pondernet" and not traits.samples_halting:
        raise ValueError(f"halting=pondernet is of recipes of PonderNets, not of {recipe.name}")
    if halting not in (None, "fixed") and steps is not None:
        raise ValueError(
            f"fixed_steps goes with halting=fixed alone; the variant fixed-{steps} sets both. "
            f"Received: halting={halting!r}"
        )
    if target is not None and halting != "fixed" and target > settings["max_ponder"]:
        raise ValueError(
            f"target_ponder must be at most max_ponder, {settings['max_ponder']}. "
            f"Received: {target!r}"
        )
    if target is not None and halting == "fixed" and not traits.fixed_ignores_target:
        raise ValueError(
            "target_ponder needs a halting rule, and a variant with a fixed number of steps has "
            f"none. Received: {target!r}"
        )
    for stage in recipe.stages if traits.carries_states else ():
        if recipe.batch_size_at(stage) != recipe.batch_size:
            raise ValueError(
                f"batch_size of a stage must be the recipe's, {recipe.batch_size}, because states "
                f"are carried from batch to batch. Received: {stage.batch_size}"
            )
    if get("baseline") == "leave_one_out" and settings["samples"] < 2:
        raise ValueError(
            f"samples must be at least 2 for baseline=leave_one_out. Received: {get('samples')}"
        )
    read, stack = get("read_depth"), get("stack_depth")
    if None not in (read, stack) and stack < read:
        raise ValueError(f"stack_depth must be at least read_depth, {read}. Received: {stack}")
    check_growth(recipe)
    if any(stage.bins for stage in recipe.stages) and recipe.length_parameters is None:
        raise ValueError(f"bins need a data set with a length. Received: {recipe.dataset}")


def check_growth(recipe):
    """Check that the network does not shrink, and that the last stage trains that of the recipe."""
    for index, stage in enumerate(recipe.stages):
        before = recipe.built_at(recipe.stages[max(index - 1, 0)]).hyperparameters
        for name, size in recipe.built_at(stage).hyperparameters.items():
            if name not in recipe.hyperparameters:
                raise ValueError(f"{recipe.name} has no {name} that a stage could change")
            if name in GROWING and size < before[name]:
                raise ValueError(
                    f"{name} must not fall from one stage to the next. Received: {size} in stage "
                    f"{index}, after {before[name]}"
                )
    if (last := recipe.built_at(recipe.stages[-1])) != recipe:
        changed = {name: last.hyperparameters[name] for name in recipe.stages[-1].hyperparameters}
        raise ValueError(
            "the last stage must train the recipe's network. Received: hyperparameters "
            f"{changed} of stage {len(recipe.stages) - 1}"
        )


def check_costs(recipe, changed):
    """Refuse a price of steps for networks whose steps cost nothing."""
    halting, where = recipe.hyperparameters.get("halting"), recipe.name
    if halting not in FREE:
        return
    if halting is not None:
        where += f" with halting={halting}"
    for name in changed:
        if name.rsplit(".", 1)[-1] in FREE[halting]:
            raise ValueError(
                f"{where} has no {name}: its steps cost nothing"
                + (", but in its variant act" if "halting" in recipe.hyperparameters else "")
            )


def check_data(recipe):
    """Check the parameters of the data set in all stages, and the size of a batch."""
    kinds = [({**recipe.parameters, **more}, recipe.batch_size) for more in validated(recipe)]
    for parameters, batch_size in [*kinds, *trained(recipe)]:
        size = datasets.example_size(recipe.dataset, **parameters)
        if size * batch_size > MOST_NUMBERS:
            most = max(MOST_NUMBERS // size, 1)
            raise ValueError(
                f"batch_size must be at most {min(most, LARGEST_BATCH):,} for examples of {size:,} "
                f"numbers. Received: {batch_size}"
            )
    batch = datasets.batch(recipe.dataset, DRAWN, split="validation", **recipe.parameters)
    if not batch["weights"].any():
        raise ValueError(
            f"no example of {recipe.dataset} has a target with {dict(recipe.parameters)}"
        )
    check_outputs(recipe)


def trained(recipe):
    """The parameters of the data set and the size of the batches of all stages, a list of pairs."""
    kinds = []
    for stage in recipe.stages:
        curriculum = stage.curriculum
        levels = [curriculum.start, recipe.stop_of(curriculum)] if curriculum else [None]
        places = range(max(len(stage.bins), 1))
        size = recipe.batch_size_at(stage)
        kinds += [(recipe.parameters_at(stage, level, i), size) for level in levels for i in places]
    return kinds


def validated(recipe):
    """The changes to the recipe's parameters in each of its measurements, a list of dicts."""
    kinds, settings = [{}], recipe.hyperparameters
    for name in ("longer", "longer_at_first"):
        if name in settings and recipe.length_parameters:
            kinds.append(dict.fromkeys(recipe.length_parameters, settings[name]))
    return kinds


def check_outputs(recipe):
    """Check that a network with a memory can write the answers of its task."""
    if "max_outputs" not in recipe.hyperparameters:
        return
    length = recipe.parameters["length"]
    outputs = datasets.task(recipe.dataset).output_length(length)
    raw = recipe.hyperparameters.get("controller_units", 0) is None
    answers_at_once = outputs == length
    if raw != answers_at_once:
        need = "needs no controller" if answers_at_once else "needs a controller"
        units = recipe.hyperparameters.get("controller_units")
        raise ValueError(f"{recipe.dataset} {need}. Received: controller_units={units!r}")
    factor, more = recipe.hyperparameters["max_outputs"]
    if int(factor * length) + more != outputs:
        raise ValueError(
            f"max_outputs must be [a, b] with a n + b = {outputs} outputs for n = {length} inputs. "
            f"Received: {recipe.hyperparameters['max_outputs']!r}"
        )
