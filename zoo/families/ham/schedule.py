"""Schedules of the training of networks with memory: entropy bonus and learning rate."""

from ....reinforce import ReinforceModel
from ....statistics import plateaus


def set_entropy_bonus(run):
    """Set α, if the recipe has one, and how it decays until the next chunk.

    α is multiplied by `entropy_decay` after each step, from `sure_from` leaves on also by
    `sure_decay`. At each new size, from the stage `again_from` on, it is reset to `entropy_again`.
    """
    settings, level = run.recipe.hyperparameters, run.position.level
    if not settings.get("entropy_bonus"):
        return
    bonus = with_entropy_bonus(run.model)
    again = settings.get("entropy_again")
    is_reset = again is not None and run.position.stage >= settings["again_from"]
    if is_reset and not at_this_size(run) and run.history:
        bonus.entropy_bonus = again
    size = run.recipe.parameters["length"] if level is None else level
    decay = settings["entropy_decay"]
    if size >= settings["sure_from"]:
        decay *= settings["sure_decay"]
    bonus.entropy_decay = decay


def with_entropy_bonus(model):
    """The object that has the entropy bonus: the model, or the layer of a soft memory."""
    return model if isinstance(model, ReinforceModel) else model.get_layer("ham")


def learning_rate_factor(run):
    """The factor on the learning rate of the stage.

    It is multiplied by `size_factor` at each new size, and halved whenever the share of wrong bits
    in validation has not decreased for `patience` chunks.
    """
    settings = run.recipe.hyperparameters
    before = {(row["stage"], row.get("level")) for row in run.history} - {now(run)}
    known = [row for row in at_this_size(run) if "validation_error" in row]
    errors = [row["validation_symbol_error"] for row in known]
    halved = plateaus(errors, settings.get("patience"))
    return settings.get("size_factor", 1.0) ** len(before) * 0.5**halved


def now(run):
    """The stage and the level that a training has reached."""
    return run.position.stage, run.position.level


def at_this_size(run):
    """The rows of the history of the same stage and level."""
    return [row for row in run.history if (row["stage"], row.get("level")) == now(run)]
