"""Announces the trainings of a search or study, and estimates how long they take."""

import itertools
import statistics
import sys
import tempfile
import time

import keras

from ...formatting import plural, truncated
from ...long_calls import in_words
from ..training.batches import batches
from ..training.run import start

# For fewer batches, an estimate would take longer than the training.
WORTH_MEASURING = 1000
# The smallest number of timed updates, and seconds after which timing ends.
UPDATES, SECONDS = 2, 3.0
LABELS_WIDTH = 100


def announce(recipe, labels, count, seeds, done, jit_compile="auto", measured=True):
    """Print what will be trained, what is done, and about how long the rest takes.

    Args:
        recipe: the `Recipe` of the trainings, or of one of them.
        labels: names of the settings that are compared.
        count: a pair of the number of settings, None if unknown, and their kind.
        seeds: the number of trainings of each setting.
        done: the number of finished trainings.
        jit_compile: as in `keras.Model.compile`.
        measured: whether to measure how long a batch takes.

    Example:

    ```
    act_logic: 20 trials (time_penalty=0.0001:0.1) with 3 seeds each
    60 trainings of at most 70,000 batches of 16 examples; 12 are done
    about 1.9 hours for 48 trainings: a batch takes about 0.002 seconds
    ```
    """
    number, kind = count
    shown = truncated(", ".join(labels), LABELS_WIDTH)
    many = kind if number is None else plural(number, kind)
    say(f"{recipe.name}: {many} ({shown}) with {plural(seeds, 'seed')} each")
    of_each = f"of at most {plural(recipe.steps, 'batch', 'es')} of {recipe.batch_size} examples"
    total = None if number is None else number * seeds
    text = f"trainings {of_each}" if total is None else f"{plural(total, 'training')} {of_each}"
    say(f"{text}; {done} {'is' if done == 1 else 'are'} done" if done else text)
    left = 1 if total is None else total - done
    if not measured or left * recipe.steps < WORTH_MEASURING:
        return
    seconds = seconds_a_batch(recipe, jit_compile)
    duration = in_words(seconds * recipe.steps * left)
    of_what = "a whole training" if total is None else plural(left, "training")
    say(f"about {duration} for {of_what}: a batch takes about {seconds:.2g} seconds")


def say(text):
    print(text, file=sys.stderr, flush=True)


def seconds_a_batch(recipe, jit_compile="auto"):
    """The time of a training step in the last stage, measured after compilation."""
    times = []

    def note_time(batch, logs=None):
        """Notes when an update ended, and ends the training after a few."""
        times.append(time.monotonic())
        run.model.stop_training = len(times) > UPDATES and times[-1] - times[0] > SECONDS

    stage, clock = recipe.stages[-1], keras.callbacks.LambdaCallback(on_train_batch_end=note_time)
    level = recipe.stop_of(stage.curriculum) if stage.curriculum else None
    with tempfile.TemporaryDirectory() as folder:
        run = start(recipe, folder, {}, jit_compile, stage=len(recipe.stages) - 1)
    feed = batches(recipe, recipe.seed, stage, level)
    # The callback ends the training long before this many epochs.
    run.model.fit(feed.for_fit(), epochs=10_000, verbose=0, shuffle=False, callbacks=[clock])
    spans = [later - sooner for sooner, later in itertools.pairwise(times)]
    return statistics.median(spans) / min(run.model.steps_per_execution, stage.chunk)
