"""The parts of a search that subclass KerasTuner: oracles that propose trials, and the tuner.

KerasTuner 1.4.8 forgets a grid when it is loaded again, writes its state in place, skips a trial
that was killed while it was written, takes brackets in a path for a pattern, rounds values that
pass between processes, averages the executions of a trial, counts trainings that were cut short
among the best, and needs TensorBoard to run a trial. The classes here change this by overriding
methods.
"""

import itertools
import json
from pathlib import Path

import keras_tuner
import numpy as np
from keras_tuner.engine.trial import Trial

from ...checkpoints.files import read_json, write_json
from ...checkpoints.lock import lock_folder
from . import rows as trials
from .space import Range, space_in

# Hyperband's epochs: the shares of the training are 1/9, 1/3 and 1.
MAX_EPOCHS, FACTOR = 9, 3
OBJECTIVE = keras_tuner.Objective("objective", "min")
TRIAL = "trial.json"


class Kept:
    """A mixin for oracles that replaces files whole, keeps values unrounded, and knows the best."""

    def save(self):
        write_json(self._get_oracle_fname(), self.get_state())

    def _save_trial(self, trial):
        folder = Path(self._get_trial_dir(trial.trial_id))
        write_json(folder / TRIAL, trial.get_state())

    def reload(self):
        """Load what was saved, if anything was; interrupted trials are the next ones.

        A trial's own file is written before the state that lists the trial. One that is not
        listed was never trained, and is proposed again.

        Raises:
            ValueError: a file is missing or damaged.
        """
        path = Path(self._get_oracle_fname())
        state = read_json(path, ("start_order", "ongoing_trials", "retry_queue"))
        if state is None:
            if any(path.parent.glob("trial_*")):
                raise ValueError(f"{path} is missing")
            return
        for number, trial_id in enumerate(state["start_order"]):
            file = path.parent / f"trial_{trial_id}" / TRIAL
            content = read_json(file)
            if content is None or int(trial_id) != number:
                raise ValueError(f"{file if content is None else f'trial {number}'} is missing")
            self.trials[trial_id] = Trial.from_state(content)
        state["retry_queue"] += state["ongoing_trials"].values()
        self.set_state({**state, "ongoing_trials": {}})

    def end_trial(self, trial):
        # KerasTuner sends a worker's numbers as 32-bit floats.
        trial.hyperparameters = self.trials[trial.trial_id].hyperparameters
        super().end_trial(trial)

    def get_best_trials(self, num_trials=1):
        """At most `num_trials` completed trials, in the order of `rows.ranking`."""
        completed = [trial for trial in self.trials.values() if trial.status == "COMPLETED"]
        ranked = sorted(completed, key=lambda x: (-share_of(x), x.score, int(x.trial_id)))
        return ranked[:num_trials]


class Grid(Kept, keras_tuner.Oracle):
    """Every combination once, in order; the trials say which were tried."""

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
    """Values where a Gaussian process expects a low objective, or is uncertain."""

    def populate_space(self, trial_id):
        # KerasTuner does not save this state: a search that goes on would start it again.
        self._random_state = np.random.RandomState([self.seed, int(trial_id)])
        return super().populate_space(trial_id)


class Hyperband(Kept, keras_tuner.oracles.HyperbandOracle):
    """Many short trainings with random values, of which the best are continued."""


def oracle_of(settings):
    """The oracle of a search with these settings."""
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
    """A space as KerasTuner's hyperparameters.

    Of values that are neither all numbers nor all texts, each becomes a JSON text.
    """
    declared = keras_tuner.HyperParameters()
    for name, values in space.items():
        if isinstance(values, Range):
            kind = declared.Int if values.is_integer else declared.Float
            sampling = "log" if values.low > 0 else "linear"
            kind(name, values.low, values.high, sampling=sampling)
        elif all(type(value) in (int, float) for value in values):
            same = float if any(type(value) is float for value in values) else int
            declared.Choice(name, [same(value) for value in values])
        elif all(isinstance(value, str) for value in values):
            declared.Choice(name, list(values))
        else:
            declared.Choice(name, [json.dumps(value) for value in values])
    return declared


def overrides_of(values, space):
    """The settings of a trial, from the values that KerasTuner gave it."""
    overrides = {}
    for name, candidates in space.items():
        value = values[name]
        if isinstance(candidates, Range):
            overrides[name] = int(value) if candidates.is_integer else float(f"{value:.6g}")
        elif isinstance(value, str):
            overrides[name] = value if value in candidates else json.loads(value)
        else:
            overrides[name] = min(candidates, key=lambda candidate: abs(candidate - value))
    return overrides


def share_of(trial):
    """The share of all steps after which the trainings of a trial stop."""
    return trial.hyperparameters.values.get("tuner/epochs", MAX_EPOCHS) / MAX_EPOCHS


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
        super().__init__(oracle, directory=str(folder.parent), project_name=folder.name)
        if self.oracle is not oracle:
            # A worker's oracle is the chief's.
            return
        try:
            oracle.reload()
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"KerasTuner cannot read its files in {plan.folder}, which seem to be damaged "
                f"({error!r}): search again in another folder"
            ) from error

    def search(self, verbose=0):
        """Run the remaining trials; interrupted ones are continued first.

        Args:
            verbose: 1 for KerasTuner's own messages on standard output, too.

        Raises:
            KeyboardInterrupt: Ctrl-C; the state was saved.
            Exception: any error of a training except a loss that is not finite. The trial is
                repeated when the search is resumed.
        """
        with lock_folder(self.plan.folder, shared=trials.has_workers()):
            self.plan.announce()
            try:
                super().search(verbose=verbose)
            except keras_tuner.errors.FatalError as error:
                raise error.__cause__ or error from None
            self.plan.write_tables()

    def save(self):
        # A tuner has no state besides its oracle's, which only the chief has.
        if isinstance(self.oracle, Kept):
            self.oracle.save()

    def reload(self):
        # KerasTuner calls it if there is a file of the tuner, which says nothing.
        pass

    def on_search_begin(self):
        # Without this file, a tuner that is killed in its first trial would forget the trial.
        self.save()
        if not trials.has_workers():
            self.measure_lost()

    def measure_lost(self):
        """Measure trials that are completed, but whose rows are lost, from their checkpoints."""
        ranked = trials.ranking(self.rows(), self.plan.settings["seeds"])
        known = {trial["trial"] for trial in ranked}
        for trial in self.oracle.trials.values():
            if trial.status == "COMPLETED" and trial.trial_id not in known:
                self.run_trial(trial)

    def run_trial(self, trial, verbose=0):
        """Train the recipe with every seed. `search` calls it.

        Returns:
            A dict: `objective` and the measurements, as means over the seeds.
        """
        values = trial.hyperparameters.values
        overrides = overrides_of(values, self.plan.space)
        earlier = values.get("tuner/trial_id")
        try:
            return self.plan.run_trial(trial.trial_id, overrides, share_of(trial), earlier)
        except Exception as error:
            # Otherwise KerasTuner would continue with the next trial.
            raise keras_tuner.errors.FatalError(str(error)) from error

    def load_model(self, trial):
        """The trained model of a trial, of its best seed."""
        return self.plan.model_of(trial.trial_id)

    def rows(self):
        """All trainings so far, a list of dicts as in `trials.json`."""
        return self.plan.rows()
