"""The KerasTuner side of a search: what proposes trials, and the tuner that runs them.

KerasTuner 1.4.8 forgets a grid when it is loaded again, writes its state in place, rounds values
that pass between processes, averages the executions of a trial, and needs TensorBoard to run one.
The classes here do each of these otherwise, through methods that it lets subclasses replace.
"""

import itertools
import json
from pathlib import Path

import keras_tuner

from ...checkpoints.files import write_file
from ...checkpoints.lock import lock_folder
from . import rows as trials
from .space import Range, space_in

# Hyperband's epochs: the shares of the training are 1/9, 1/3 and 1.
MAX_EPOCHS, FACTOR = 9, 3
OBJECTIVE = keras_tuner.Objective("objective", "min")


class Kept:
    """Part of an oracle: state in files that are written whole, and values as they were drawn."""

    def save(self):
        write_file(Path(self._get_oracle_fname()), json.dumps(self.get_state()))

    def _save_trial(self, trial):
        folder = Path(self._get_trial_dir(trial.trial_id))
        write_file(folder / "trial.json", json.dumps(trial.get_state()))

    def end_trial(self, trial):
        # A worker's numbers have been through 32 bits.
        trial.hyperparameters = self.trials[trial.trial_id].hyperparameters
        super().end_trial(trial)


class Grid(Kept, keras_tuner.Oracle):
    """Every combination once, in order; what was tried is read from the trials."""

    def populate_space(self, trial_id):
        space = self.get_space().space
        tried = [trial.hyperparameters.values for trial in self.trials.values()]
        for values in itertools.product(*(hp.values for hp in space)):
            proposed = dict(zip((hp.name for hp in space), values, strict=True))
            if proposed not in tried:
                return {"status": "RUNNING", "values": proposed}
        return {"status": "STOPPED", "values": None}


class Random(Kept, keras_tuner.oracles.RandomSearchOracle):
    """Values at random."""


class Bayesian(Kept, keras_tuner.oracles.BayesianOptimizationOracle):
    """Values where a Gaussian process expects a low objective, or knows little."""


class Hyperband(Kept, keras_tuner.oracles.HyperbandOracle):
    """Many short trainings at random, of which the best go on."""


def oracle_of(settings):
    """What proposes the trials of a search with these settings."""
    kind = {"grid": Grid, "random": Random, "bayesian": Bayesian, "hyperband": Hyperband}
    method = settings["method"]
    options = {"max_epochs": MAX_EPOCHS, "factor": FACTOR} if method == "hyperband" else {}
    oracle = kind[method](
        objective=OBJECTIVE,
        hyperparameters=hyperparameters(space_in(settings)),
        tune_new_entries=False,
        allow_new_entries=False,
        # KerasTuner takes 0 for none.
        seed=settings["seed"] + 1,
        **options,
    )
    oracle.max_trials = settings["trials"]
    return oracle


def hyperparameters(space):
    """A space as KerasTuner has it. What is not all numbers is a choice between JSON texts."""
    found = keras_tuner.HyperParameters()
    for name, values in space.items():
        if isinstance(values, Range):
            kind = found.Int if values.whole else found.Float
            sampling = "log" if values.low > 0 else "linear"
            kind(name, values.low, values.high, sampling=sampling)
        elif all(type(value) in (int, float) for value in values):
            same = float if any(type(value) is float for value in values) else int
            found.Choice(name, [same(value) for value in values])
        else:
            found.Choice(name, [json.dumps(value) for value in values])
    return found


def overrides_of(values, space):
    """The settings of a trial, from the values that KerasTuner gave it."""
    found = {}
    for name, tried in space.items():
        value = values[name]
        if isinstance(tried, Range):
            found[name] = int(value) if tried.whole else float(f"{value:.6g}")
        elif isinstance(value, str):
            found[name] = json.loads(value)
        else:
            found[name] = min(tried, key=lambda one: abs(one - value))
    return found


class RecipeTuner(keras_tuner.Tuner):
    """A KerasTuner tuner whose trials train a recipe with several seeds each. See `zoo.tuner`.

    Args:
        plan: a `tune.Plan`.

    Attributes:
        plan: the `Plan`.
    """

    def __init__(self, plan):
        self.plan = plan
        folder = plan.folder.resolve()
        oracle = oracle_of(plan.settings)
        try:
            super().__init__(oracle, directory=str(folder.parent), project_name=folder.name)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"KerasTuner cannot read its files in {plan.folder}, which seem to be damaged "
                f"({error!r}): search again in another folder"
            ) from error

    def search(self, verbose=0):
        """Run the trials that are left; what was interrupted goes on first.

        Args:
            verbose: 1 for KerasTuner's own messages on standard output, too.

        Raises:
            KeyboardInterrupt: Ctrl-C; the state was saved.
            Exception: what a training raised, but that its loss was not finite. The trial is
                tried again when the search is resumed.
        """
        with lock_folder(self.plan.folder, shared=trials.has_workers()):
            self.plan.announce()
            try:
                super().search(verbose=verbose)
            except keras_tuner.errors.FatalError as error:
                raise error.__cause__ or error from None
            self.plan.write_tables()

    def on_search_begin(self):
        # Without its file the tuner would forget the first trial if it were killed in it.
        self.save()

    def run_trial(self, trial, verbose=0):
        """Train the recipe with every seed. `search` calls it.

        Returns:
            A dict: `objective` and what was measured, means over the seeds.
        """
        values = trial.hyperparameters.values
        overrides = overrides_of(values, self.plan.space)
        share = values.get("tuner/epochs", MAX_EPOCHS) / MAX_EPOCHS
        earlier = values.get("tuner/trial_id")
        try:
            return self.plan.run_trial(trial.trial_id, overrides, share, earlier)
        except Exception as error:
            # KerasTuner would go on with the next trial.
            raise keras_tuner.errors.FatalError(str(error)) from error

    def load_model(self, trial):
        """The trained model of a trial, of its best seed."""
        return self.plan.model_of(trial.trial_id)

    def rows(self):
        """All trainings so far, a list of dicts as in `trials.json`."""
        return self.plan.rows()
