"""Trainings whose results are known: what `zoo.tuner` runs, without the hours that it takes."""

import json
import math
from types import SimpleNamespace

import keras

from keras_adaptive.zoo.families.act.family import ACT
from keras_adaptive.zoo.search import forecast, trainings
from keras_adaptive.zoo.training import checkpoint
from keras_adaptive.zoo.training.run import configure


class Trainer:
    """Stands for `train` and the measurement: the error depends on τ, bias and seed alone.

    Attributes:
        calls: folder, overrides and steps of each training.
        at: the number of a call -> what it raises.
    """

    def __init__(self):
        self.calls, self.at = [], {}

    def train(
        self, recipe, out, *, resume, seed, overrides, jit_compile, until_step=None, **changes
    ):
        before = json.loads((out / checkpoint.NAME).read_text()) if resume else 0
        settings = {"recipe": recipe, "seed": seed, "overrides": overrides, **changes}
        recipe = configure(settings, None if isinstance(recipe, str) else recipe)
        steps = min(until_step or recipe.steps, recipe.steps)
        self.calls.append((out.parent.name + "/" + out.name, overrides, before, steps))
        (out / checkpoint.NAME).write_text(json.dumps(steps))
        if error := self.at.get(len(self.calls)):
            raise error
        return SimpleNamespace(recipe=recipe, position=SimpleNamespace(step=steps, seconds=0.5))

    @staticmethod
    def latest(folder):
        path = folder / checkpoint.NAME
        position = {"step": json.loads(path.read_text()), "seconds": 0.5}
        return SimpleNamespace(path=path, state={"position": position})

    @staticmethod
    def selection(run):
        tau, settings = run.recipe.stages[-1].time_penalty, run.recipe.hyperparameters
        error = 0.1 * abs(math.log10(tau) + 2) + 0.01 * run.recipe.seed
        return {
            "variant": "act",
            "validation_error": round(error + 0.001 * settings["halting_bias"], 6),
            "validation_ponder": round(-math.log10(tau), 6),
            "validation_ponder_steps": 2.0,
        }


def install(setattr=setattr):
    """Put a `Trainer` in the place of `train`, by `setattr(module, name, value)`."""
    trainer = Trainer()
    setattr(trainings, "train", trainer.train)
    setattr(forecast, "seconds_a_batch", lambda *_: 0.01)
    setattr(ACT, "selection_metrics", lambda family, run, examples: trainer.selection(run))
    setattr(checkpoint, "latest", trainer.latest)
    # It collects all garbage, which there is none of here.
    setattr(keras.backend, "clear_session", lambda: None)
    return trainer
