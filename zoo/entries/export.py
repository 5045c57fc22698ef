"""An entry of the zoo from a training: models, numbers, pictures, card and manifest."""

import contextlib
import dataclasses
import errno
import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import keras

from ... import checkpoints, large_files
from ...checkpoints.files import keep, read_json, replace_folder, write_json
from ...checkpoints.lock import lock_folder
from ...export import uncompiled
from .. import families
from ..evaluate import evaluate_run
from ..training.run import restore, table
from . import store, thinking_less
from .baseline import NAME as BASELINE
from .ensemble import averaged_run

HISTORY_ROWS = 500
# Metrics of all families that not every training has.
OPTIONAL = ("accelerator", "finished")
# Why files cannot be written, where only a text says so.
REASONS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EACCES)


@dataclasses.dataclass(frozen=True)
class Request:
    """The measurements that an entry needs.

    Args:
        into: where entries lie.
        examples: the smallest number of examples of each evaluation; the family's by default.
        long_examples: the same at very long lengths, whose cost grows quadratically.
        lengths: the lengths to measure; the paper's by default.
        seed: of the test examples.
    """

    into: Path
    examples: int
    long_examples: int | None = None
    lengths: tuple[int, ...] | None = None
    seed: int = 0


def export(
    folder,
    into="saved_models",
    others=(),
    examples=None,
    long_examples=None,
    lengths=None,
    ensemble=(),
    seed=None,
):
    """Write the entry of a trained model.

    Args:
        folder: the folder of the training to publish.
        into: where entries lie; the entry's folder in it is replaced.
        others: folders of other trainings of the recipe, for the card: other seeds, trainings
            without ACT (the best of these on validation data is the baseline), and trainings with
            another kind of halting.
        examples: number of examples of each evaluation on the test split; by default at least
            10,000 for ACT, 1,000 at each length for the Neural GPU, 2,500 with each memory for
            HAM.
        long_examples: the same for the Neural GPU at very long lengths; 100 by default.
        lengths: lengths at which to measure a Neural GPU; the paper's by default.
        ensemble: folders of further trainings of the recipe; the outputs of the entry's model are
            then the mean of the outputs of all of them (Neural GPU).
        seed: of the test examples, 0 by default. Take another for a new version of an entry, so
            that no choice was made by the figures that it publishes.

    Returns:
        The path of the entry.

    Raises:
        FileNotFoundError: a folder has no checkpoint.
        ValueError: a folder is of another recipe, a training is listed twice, the backend is not
            TensorFlow, or the folder that would be replaced is not an entry.
        OSError: the entry cannot be written, or another process is writing it (`lock.InUse`); an
            existing entry stays intact.
    """
    if keras.backend.backend() != "tensorflow":
        raise ValueError(
            "a SavedModel is exported with the TensorFlow backend, whatever the training ran on. "
            f"Received: the backend {keras.backend.backend()}"
        )
    others, ensemble = list(others or ()), list(ensemble or ())
    check_others((folder, *ensemble), others)
    run = restore(folder)
    path = Path(into) / run.recipe.name
    if path.exists() and not (path / checkpoints.MANIFEST).exists():
        raise ValueError(f"{path} is not an entry and would be replaced: choose another folder")
    with lock_folder(into, run.recipe.name):
        return _written(run, into, others, examples, long_examples, lengths, ensemble, seed or 0)


def _written(run, into, others, examples, long_examples, lengths, ensemble, seed):
    """Measure a training, and write its entry."""
    family = families.of(run.recipe)
    if (lengths or long_examples) and not family.lengths_are_chosen:
        raise ValueError(
            f"{run.recipe.name} is not measured at lengths of one's choice: leave out --lengths "
            "and --long-examples"
        )
    exact_examples, examples = examples, family.default_examples if examples is None else examples
    request = Request(Path(into), examples, long_examples, lengths, seed)
    is_large = large_files.is_large(run.model)
    if is_large:
        large_files.round_weights(run.model)
    trainings, members = [], 0
    others = [restore(other) for other in others]
    for other in others:
        if not are_comparable(run.recipe, other.recipe):
            raise ValueError(f"{other.folder} is a training of {other.recipe.name}")
    if ensemble:
        runs = [run, *map(restore, ensemble)]
        run, members = averaged_run(runs), len(runs)
        trainings = [metrics_of(member, examples, exact_examples, seed) for member in runs]
    metrics = metrics_of(run, examples, exact_examples, seed, again=is_large)
    trainings = trainings or [metrics]
    trainings += [metrics_of(other, examples, exact_examples, seed) for other in others]
    model = uncompiled(run.model)
    metrics = {
        **metrics,
        "folder": None if is_package(request.into) else request.into.as_posix(),
        "commit": commit(),
        "runs": [row_of(training, family) for training in trainings],
        **({"ensemble": members} if members else {}),
        **({"significant_bits": large_files.SIGNIFICANT_BITS} if is_large else {}),
        **family.entry_metrics(run, model, trainings, request),
        **thinking_less.measure(family, model, min(examples, thinking_less.EXAMPLES), seed),
    }
    path = request.into / run.recipe.name
    with errors_of_writing(path), replace_folder(path) as new:
        model.save(new / "model.keras")
        if is_large:
            large_files.compress(new / "model.keras")
        metrics = keep_baseline(metrics, others, new)
        write_saved_model(model, family, new)
        write_json(new / "recipe.json", run.recipe.to_dict())
        write_json(new / "metrics.json", metrics)
        (new / "history.csv").write_text(table(thinned(run.history), family), encoding="utf-8")
        family.draw_card(new, model, metrics, run.history)
        thinking_less.draw(new, metrics)
        (new / "README.md").write_text(family.card(metrics), encoding="utf-8")
        checkpoints.write_manifest(new)
    return path


@contextlib.contextmanager
def errors_of_writing(path):
    """Errors of the block that name no file, those of TensorFlow too, say what was not written.

    Args:
        path: of the entry.

    Raises:
        OSError: the message names the entry, and says why.
    """
    try:
        yield
    except (OSError, sys.modules["tensorflow"].errors.OpError) as error:
        if getattr(error, "filename", None):
            raise
        said = (number for number in REASONS if os.strerror(number) in str(error))
        number = getattr(error, "errno", None) or next(said, None)
        if number is None:
            raise
        why = f"{os.strerror(number)}; an old entry is as it was"
        raise OSError(number, f"could not write {path}: {why}") from error


def check_others(published, others):
    """Refuse folders of other trainings of which one is given twice, or is published."""
    listed = {Path(folder).resolve() for folder in published}
    for folder in others:
        if (path := Path(folder).resolve()) in listed:
            raise ValueError(
                "others (--others) lists each training once, and none that is published. "
                f"Received: {folder}"
            )
        listed.add(path)


def row_of(metrics, family):
    """What a card's table of trainings needs of the metrics of one."""
    optional = [key for key in (*OPTIONAL, *family.optional_metrics) if key in metrics]
    return {key: metrics[key] for key in (*family.run_metrics, *optional)}


def are_comparable(recipe, other):
    """Whether the card of a recipe may list trainings of another.

    Variants may have recipes of their own, with other names.
    """
    if recipe.name == other.name:
        return True
    same = ("family", "dataset", "build", "parameters", "batch_size")
    return recipe.variant != other.variant and all(
        getattr(recipe, name) == getattr(other, name) for name in same
    )


def is_package(folder):
    """Whether a folder is the one of the entries in the package."""
    return folder.resolve() == store.root().resolve()


def keep_baseline(metrics, runs, folder):
    """Write the baseline of an entry beside its model, if its training is among `runs`.

    A large one is not written, so that the package does not take twice the space.

    Args:
        metrics: the entry's `metrics.json`.
        runs: the other trainings, `Run`s.
        folder: where the entry is written.

    Returns:
        The metrics, with the file name of the baseline's weights.
    """
    plain = metrics.get("without_act")
    for run in runs:
        known = plain and (run.settings, run.position.step) == (plain["settings"], plain["steps"])
        if known and not large_files.is_large(run.model):
            uncompiled(run.model).save(Path(folder) / BASELINE)
            return {**metrics, "without_act": {**plain, "weights": BASELINE}}
    return metrics


def metrics_of(run, examples, exact_examples=None, seed=0, again=False):
    """The metrics of a training; measured now, unless they were measured after its last step.

    What was measured with other parameters of the data set is measured anew. A folder that cannot
    be written keeps no metrics.

    Args:
        run: a `Run`.
        examples: the smallest number of examples.
        exact_examples: the exact number of examples, unless None.
        seed: of the test examples.
        again: whether they are measured now in any case.
    """
    path = run.folder / "metrics.json"
    if path.exists() and not again:
        metrics = read_json(path, ("steps", "examples"))
        known = set(families.of(run.recipe).run_metrics) <= set(metrics)
        measured = metrics["examples"]
        enough = isinstance(measured, int) and measured >= examples
        enough &= measured == (exact_examples or measured)
        same = metrics["steps"] == run.position.step and metrics.get("seed") == seed
        same &= metrics.get("parameters") == json.loads(json.dumps(dict(run.recipe.parameters)))
        same &= metrics.get("settings") == json.loads(json.dumps(run.settings))
        if known and same and enough:
            return metrics
    return evaluate_run(run, examples, seed, functools.partial(keep, write=write_json))


def write_saved_model(model, family, folder):
    """Write the SavedModel with the endpoints of its family."""
    # The archive saves the weights of its endpoints; a tracked model would save them twice.
    archive = keras.export.ExportArchive()
    family.add_endpoints(archive, model)
    archive.write_out(str(folder), options=large_files.save_options(), verbose=False)


def thinned(history):
    """About `HISTORY_ROWS` rows of a history, among them the last and all with validation."""
    validated = {i for i, row in enumerate(history) if "validation_error" in row}
    step = -(-len(history) // max(HISTORY_ROWS - len(validated), 1))
    return [history[i] for i in sorted({*validated, *range(len(history) - 1, -1, -step)})]


def commit():
    """The Git commit of the clone that contains this file, or None."""
    try:
        result = subprocess.run(
            ["git", "rev-parse", "HEAD"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return result.stdout.strip()
