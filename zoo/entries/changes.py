"""What a training changed in its recipe, in words."""

from .. import recipes


def changes(settings):
    """The settings that a training changed in its recipe, as text."""
    changed = [f"{key}={value}" for key, value in (settings["overrides"] or {}).items()]
    if settings["steps_scale"]:
        changed.append(f"steps × {settings['steps_scale']:g}")
    if settings.get("precision"):
        changed.append(settings["precision"])
    if settings.get("weights"):
        changed.append("from trained weights")
    return ", ".join(changed) or "–"


def of_data(recipe):
    """The parameters of the data that are not those of the zoo's recipe of that name, as text.

    >>> of_data(recipes.load("act_parity").with_overrides({"bits": 8, "units": 16}))
    'bits=8 (64 in the recipe)'
    """
    known = _of_zoo(recipe).parameters
    return ", ".join(
        f"{name}={value} ({known.get(name, 'not set')} in the recipe)"
        for name, value in recipe.parameters.items()
        if value != known.get(name)
    )


def of_own(recipe, metrics):
    """A sentence on what the training of an entry outside of the package changed; or nothing.

    What a recipe says of its trainings is true of those in the package, whatever they changed.
    """
    changed = [] if metrics.get("folder") is None else [changes(metrics["settings"])]
    if changed and recipe.variant != _of_zoo(recipe).variant:
        changed.insert(0, f"variant={recipe.variant}")
    words = ", ".join(word for word in changed if word != "–")
    return words and (
        f"The settings of this training are not those of the recipe: {words}. How the recipe "
        "differs from the paper is in `recipe.json`, as `differences`."
    )


def of_paper(recipe, key):
    """What the paper reports, a dash if that is of other data."""
    return "–" if of_data(recipe) else recipe.paper.get(key, "–")


def _of_zoo(recipe):
    """The recipe of that name before its settings were changed, or itself if there is none."""
    return recipes.load(recipe.name) if recipe.name in recipes.names() else recipe
