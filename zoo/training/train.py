"""Training a recipe with `model.fit`, so that a killed training can be resumed.

Training runs in chunks of steps, Keras's epochs. Learning rate, time penalty and
curriculum change only between chunks. A checkpoint holds the complete state, and batch i of the
data depends on i alone, so a resumed training ends with the same weights.
"""

import contextlib
import math
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import keras

from ... import checkpoints
from ...callbacks import Autosave, ProgressBar, RequireFinite
from ...initial_weights import copy_weights
from ...weight_averages import averaged_weights, use_averages
from .. import families
from ..recipe import Recipe
from ..settings import check_option
from . import checkpoint
from .batches import batches
from .run import Run, configure, restore, resume_position, start, symbols_of

# The folder in that of a training, with `keep_best`.
BEST = "best"
NO_VALIDATION = math.inf, math.inf


def train(
    recipe: str | Recipe,
    out: str | Path,
    *,
    resume: bool = False,
    seed: int | None = None,
    overrides: Mapping[str, Any] | None = None,
    variant: str | None = None,
    steps_scale: float | None = None,
    until_stage: int | None = None,
    until_step: int | None = None,
    jit_compile: bool | str = "auto",
    checkpoint_seconds: float = 20.0,
    keep_every: int | None = None,
    weights: str | Path | None = None,
    precision: str | None = None,
) -> Run:
    """Train a recipe, or resume a training.

    Args:
        recipe: the name of a recipe, or a `Recipe`.
        out: the folder for `checkpoint.npz` and `history.csv`.
        resume: continue from the checkpoint in `out`, with its settings; settings given here
            replace them.
        seed: replaces the recipe's.
        overrides: as in `Recipe.with_overrides`.
        variant: as in `Recipe.with_variant`.
        steps_scale: multiplies the steps of every stage.
        until_stage: stop before this stage, counted from 0; by default train all.
        until_step: stop at the first end of a chunk at or after this step; by default train all.
        jit_compile: as in `keras.Model.compile`.
        checkpoint_seconds: the shortest time between two checkpoints, in seconds; checkpoints are
            saved at ends of chunks.
        keep_every: number of steps after which a checkpoint is also kept in a folder of its own in
            `out`: `step-2000`, `step-4000`, …
        weights: the folder of another training, of this recipe or another, whose trained weights
            are the initial ones, see `initial_weights.copy_weights`.
        precision: `"float32"`, or `"mixed_bfloat16"`, with which processors that have instructions
            for bfloat16 train up to twice as fast; the trained weights are float32 in any case.

    Returns:
        A `Run`.

    Raises:
        ValueError: an unknown recipe, setting or variant, an option out of its range, or `weights`
            are of another network or given to a training that is resumed; or another precision.
        FileNotFoundError: `resume` without a checkpoint.
        FileExistsError: `out` already holds a training, and `resume` is False.
        FloatingPointError: the loss or a variable is not finite; the last checkpoint is kept.
        OSError: `out` cannot be written; existing files stay intact.
        checkpoints.InUse: another process trains in `out`.
        KeyboardInterrupt: Ctrl-C, or SIGTERM (`checkpoints.Terminated`); the state was saved.
    """
    check_option("checkpoint_seconds", checkpoint_seconds)
    check_option("keep_every", keep_every)
    check_option("precision", precision)
    if resume and weights is not None:
        raise ValueError(
            "`weights` are those a training begins with: leave them out with `resume`. "
            f"Received: {str(weights)!r}"
        )
    settings = {
        "recipe": recipe if isinstance(recipe, str) else recipe.name,
        "variant": variant,
        "overrides": overrides,
        "steps_scale": steps_scale,
        "seed": seed,
        **({} if precision is None else {"precision": precision}),
    }
    out = Path(out)
    custom = None if isinstance(recipe, str) else recipe
    # Invalid settings are refused before a folder is made.
    if resume and not checkpoints.exists(out):
        raise FileNotFoundError(f"there is no checkpoint to resume from: {out / checkpoint.NAME}")
    if not resume:
        configure(settings, custom)
    with checkpoints.lock_folder(out):
        checkpoints.remove_temporary_files(out, *out.glob("step-*"), *out.glob(BEST))
        if resume:
            run = _resumed(out, settings, custom, jit_compile)
        else:
            run = _begun(out, settings, custom, jit_compile, weights)
        autosave = Autosave(run.save, checkpoint_seconds, lambda: run.position.step)
        with autosave, contextlib.redirect_stdout(sys.stderr):
            conductor = Conductor(run, autosave, keep_every)
            last = math.inf if until_stage is None else until_stage
            limit = math.inf if until_step is None else until_step
            position = run.position
            while not position.done and position.stage < last and position.step < limit:
                conductor.fit_stage(limit)
            autosave.request.check(f"stopped after {position.step} steps; the state is saved")
    # What is measured and published computes in float32.
    return restore(out, recipe=custom) if "precision" in run.settings else run


def _resumed(out, settings, custom, jit_compile):
    """The training in a folder, restored from its last intact checkpoint."""
    before = checkpoint.latest(out).state["settings"]
    try:
        run = restore(out, settings, custom, jit_compile, to_train=True)
    except ValueError as error:
        if settings["overrides"] or settings["variant"]:
            raise ValueError(f"{error}; was it trained with other settings?") from error
        raise
    if run.source.name != checkpoint.NAME:
        checkpoints.set_aside(out)
    print(f"resuming from step {run.position.step}: {run.source}", file=sys.stderr)
    was_done = run.position.done
    resume_position(run)
    if run.position.done and not was_done:
        # Its last stage is shorter now.
        take_trained_weights(run)
        run.save()
    elif run.position.done and run.settings != before:
        raise ValueError(
            f"the training in {out} is finished, and nothing is left to train with other settings: "
            "resume it as it was, with more steps, or train anew in another folder"
        )
    return run


def _begun(out, settings, custom, jit_compile, weights):
    """A new training, saved before its first step."""
    if checkpoints.exists(out):
        raise FileExistsError(
            f"{out} already holds a training. Resume it, or choose another folder."
        )
    source = None if weights is None else restore(weights)
    if source is not None:
        steps = source.position.step
        origin = {"folder": str(weights), "settings": source.settings, "steps": steps}
        settings = {**settings, "weights": origin}
    configured = configure(settings, custom)
    if symbols := symbols_of(configured):
        settings = {**settings, "symbols": symbols}
    run = start(configured, out, settings, jit_compile, settings.get("precision"))
    if source is not None:
        copy_weights(run.model, source.model)
    if name := checkpoints.not_finite(run.model):
        raise ValueError(f"the first value of the variable {name} is not finite: see its settings")
    run.save()
    return run


class Conductor:
    """The work between the chunks of a recipe: schedules, curriculum, history, validation.

    Args:
        run: the `Run` to conduct.
        autosave: the `Autosave` of the run.
        keep_every: None, or the number of steps after which a checkpoint is kept.
    """

    def __init__(self, run: Run, autosave: Autosave, keep_every: int | None = None):
        self.run = run
        self.family = families.of(run.recipe)
        self.score = self.family.main_metric
        self.probe = self.family.probe(run.model)
        self.keep_every = keep_every
        self.chunk_began_at = time.monotonic()
        self.bar = ProgressBar(run.recipe.steps, run.position.step, self.shown)
        between = keras.callbacks.LambdaCallback(
            on_epoch_begin=self.begin_chunk, on_epoch_end=self.end_chunk
        )
        self.callbacks = [RequireFinite(), between, autosave, self.bar]

    def fit_stage(self, until_step: float = math.inf) -> None:
        """Train the rest of the current stage, at most until a step."""
        run, stage, position = self.run, self.run.stage, self.run.position
        if run.grow():
            self.probe = self.family.probe(run.model)
        if stage.curriculum and position.level is None:
            position.level = stage.curriculum.start
        self.bar.steps = position.step + steps_left(run)
        self.feed = batches(run.recipe, run.recipe.seed, stage, position.level)
        chunks = stage.chunks - position.stage_step // stage.chunk
        if until_step < math.inf:
            chunks = min(chunks, math.ceil((until_step - position.step) / stage.chunk))
        data = self.feed.for_fit()
        try:
            run.model.fit(
                data, epochs=chunks, verbose=0, shuffle=False, callbacks=self.callbacks
            )
        except FloatingPointError as error:
            # Below the progress bar.
            print()
            raise FloatingPointError(
                f"{error}; the last good checkpoint is kept, of step {run.saved}: "
                f"{run.folder / checkpoint.NAME}"
            ) from None

    def begin_chunk(self, epoch: int, logs: Any = None) -> None:
        """Set the learning rate and the place in the data."""
        run, stage, position = self.run, self.run.stage, self.run.position
        factor = self.family.on_chunk_begin(run)
        self.learning_rate = stage.learning_rate_at(position.stage_step)
        if factor is not None:
            self.learning_rate = round(self.learning_rate * factor, 12)
        run.model.optimizer.learning_rate = self.learning_rate
        self.feed.start = position.step
        self.feed.level = position.level
        self.chunk_began_at = time.monotonic()

    def end_chunk(self, epoch: int, logs: Any = None) -> None:
        """Record the chunk's results, and advance curriculum and stage."""
        run, position, chunk = self.run, self.run.position, self.run.stage.chunk
        position.step += chunk
        position.stage_step += chunk
        position.seconds += time.monotonic() - self.chunk_began_at
        row = self.record(logs)
        self.advance(row)
        run.history.append(row)
        if position.done:
            take_trained_weights(run)
            self.bar.steps = position.step
        if position.done or position.stage_step == 0:
            run.model.stop_training = True
        every = self.keep_every
        if every and position.step // every > (position.step - chunk) // every:
            run.save(run.folder / f"step-{position.step}")

    def record(self, logs: Mapping[str, Any]) -> dict[str, Any]:
        """The row of the history for the chunk that has just ended."""
        run, position = self.run, self.run.position
        row = {
            "step": position.step,
            "stage": position.stage,
            "seconds": round(position.seconds, 2),
            "learning_rate": self.learning_rate,
            "time_penalty": self.time_penalty(logs),
        }
        if position.level is not None:
            row["level"] = position.level
        for name in ("loss", self.score, *self.family.logged_metrics):
            if name in logs:
                row[name] = round(float(logs[name]), 6)
        last = position.stage_step >= run.stage.chunks * run.stage.chunk
        curriculum = run.stage.curriculum
        if curriculum is None or curriculum.validation_threshold is None:
            last = last or self.learns_all(row)
        else:
            last = True
        every = run.stage.validate_every or run.recipe.validate_every
        if last or position.step - position.validated >= every:
            position.validated = position.step
            with averaged_weights(run.model):
                row.update(self.family.validate(run, self.probe))
            self.keep_best(row)
        return row

    def keep_best(self, row: Mapping[str, Any]) -> None:
        """Keep the training beside itself if it makes the fewest mistakes on longer examples.

        Only stages with the network that is published count, and of equals the last one.
        """
        recipe = self.run.recipe
        if not recipe.hyperparameters.get("keep_best"):
            return
        published = [recipe.built_at(stage) == recipe for stage in recipe.stages]
        earlier = [mistakes(old) for old in self.run.history if published[old["stage"]]]
        fewest = min(earlier, default=NO_VALIDATION)
        if published[row["stage"]] and mistakes(row) <= fewest and "longer_error" in row:
            self.run.save(self.run.folder / BEST)

    def time_penalty(self, logs: Mapping[str, Any]) -> float:
        """τ after the chunk, with several layers that of the first; 0 without a ponder cost."""
        for name, value in logs.items():
            if name.startswith("time_penalty"):
                return float(value)
        layers = self.family.halting_layers(self.run.model)
        return next((layer.time_penalty for layer in layers if layer.rule.has_ponder_cost), 0.0)

    def learns_all(self, row: Mapping[str, Any]) -> bool:
        """Whether this row of the history ends the stage's curriculum."""
        curriculum, level = self.run.stage.curriculum, self.run.position.level
        if curriculum is None or level is None or not curriculum.is_passed(row):
            return False
        return curriculum.after(level) >= self.run.recipe.stop_of(curriculum)

    def advance(self, row: Mapping[str, Any]) -> None:
        """Advance the curriculum and the stage, given the row of the last chunk."""
        run, stage, position = self.run, self.run.stage, self.run.position
        learned = self.learns_all(row)
        curriculum, level = stage.curriculum, position.level
        if curriculum and level is not None and curriculum.is_passed(row):
            position.level = curriculum.after(level)
        if learned or position.stage_step >= stage.chunks * stage.chunk:
            position.stage_step = 0
            position.level = None
            position.stage += 1
            position.done = position.stage == len(run.recipe.stages)
            position.stage = min(position.stage, len(run.recipe.stages) - 1)

    def shown(self, logs: Mapping[str, Any]) -> dict[str, float]:
        """The values in the progress bar."""
        values = {"loss": logs["loss"]}
        if self.score in logs:
            values[self.score.removeprefix("sequence_")] = logs[self.score]
        if "ponder" in logs:
            values["ponder"] = logs["ponder"]
        if self.run.position.level is not None:
            values["level"] = self.run.position.level
        return values


def take_trained_weights(run: Run) -> None:
    """Give a model, at the end of its training, the weights that were kept, or their averages."""
    kept = run.folder / BEST
    if run.recipe.hyperparameters.get("keep_best") and checkpoints.exists(kept):
        checkpoints.restore(checkpoint.latest(kept), run.model)
    use_averages(run.model)


def mistakes(row: Mapping[str, Any]) -> tuple[float, float]:
    """The errors on longer examples of a row of the history; the largest if it has none."""
    if "longer_error" not in row:
        return NO_VALIDATION
    return row["longer_error"], row.get("longer_symbol_error", 0.0)


def steps_left(run: Run) -> int:
    """Steps until the end of the last stage, the most if there is a curriculum."""
    stages = run.recipe.stages[run.position.stage :]
    return sum(stage.chunks * stage.chunk for stage in stages) - run.position.stage_step
