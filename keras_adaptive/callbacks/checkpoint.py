"""Trainings that are resumed where they stopped."""

import os
import sys
from collections.abc import Mapping
from typing import Any, Self

import keras

from .. import arguments, checkpoints
from ..checkpoints.archive import NAME
from .autosave import Autosave


class Checkpoint(Autosave):
    """Saves a training in a folder, so that the same call of `fit` resumes it.

    The file holds all variables of the model and of its optimizer, those of random generators
    included, the number of the epoch, and the states of other callbacks. It is replaced completely
    or not at all, ends with a SHA-256 of itself, and never holds a value that is not finite. The
    one before it is kept, and is used where the last one turns out to be damaged.

    Where batch i depends on i alone, as those of `curriculum.Batches` and `curriculum.Feed` do, a
    resumed training ends with the same weights as one that was not interrupted.

    Used as a context manager, it also locks the folder against other processes, and answers Ctrl-C
    and SIGTERM at the end of the epoch, as in `Autosave`.

    Args:
        folder: for `checkpoint.npz` and `checkpoint.previous.npz`; it is made if need be.
        seconds: float >= 0, the least time between two checkpoints. Defaults to `20.0`.
        states: a dict from names to callbacks, or other objects, with `get_state()` and
            `set_state(state)`, such as `AdvanceCurriculum`, that are saved and restored, too.
            Defaults to `None`.

    Attributes:
        epoch: how many epochs were trained.

    Raises:
        ValueError: if an argument is out of its range; in training, if the model is not built, the
            checkpoint in the folder is of another network, or it and the one before it are
            damaged.
        FloatingPointError: in training, if a variable is not finite; the last checkpoint is kept.
        OSError: in training, if the file cannot be written; the last checkpoint is kept.

    Example:

    >>> import tempfile
    >>> def train(epochs):
    ...     model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    ...     model.compile("adam", "mse")
    ...     x, y = np.ones((8, 2)), np.ones((8, 1))
    ...     with Checkpoint(folder) as checkpoint:
    ...         history = model.fit(x, y, epochs=epochs, verbose=0, callbacks=[checkpoint])
    ...     return history.epoch
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     train(2)
    ...     train(5)
    [0, 1]
    [2, 3, 4]
    """

    def __init__(
        self,
        folder: str | os.PathLike,
        seconds: float = 20.0,
        states: Mapping[str, Any] | None = None,
    ):
        folder = arguments.path("folder", folder)
        states = {} if states is None else states
        allowed = "a dict from names to objects with `get_state` and `set_state`"
        arguments.instance("states", states, Mapping, allowed)
        for state in states.values():
            if isinstance(state, type) or not all(
                hasattr(state, method) for method in ("get_state", "set_state")
            ):
                arguments.refuse("states", states, allowed)
        super().__init__(self._save, seconds)
        self.folder = folder
        self.states = dict(states)
        self.epoch = 0

    def __enter__(self) -> Self:
        """Locks the folder and defers signals until the block ends."""
        self._open.enter_context(checkpoints.lock_folder(self.folder))
        checkpoints.remove_temporary_files(self.folder)
        return super().__enter__()

    def on_train_begin(self, logs: Any = None) -> None:
        """Restores the last checkpoint in the folder, if there is one."""
        if not self.model.built:
            raise ValueError(
                "Checkpoint needs a model that is built before `fit`, as one that begins with "
                f"`keras.Input` is. Received: {self.model}"
            )
        if not checkpoints.exists(self.folder):
            return
        saved = checkpoints.latest(self.folder, self._check)
        checkpoints.restore(saved, self.model)
        for name, state in saved.state["states"].items():
            self.states[name].set_state(state)
        if saved.instead:
            print(f"{saved.instead}; taking the one before it", file=sys.stderr)
            checkpoints.set_aside(self.folder)
        self.epoch = saved.state["epoch"]
        # As Keras's own BackupAndRestore does it.
        self.model._initial_epoch = self.epoch

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Notes that there is something to save."""
        # `fit` has read it, and another `fit` of the model must not.
        self.model._initial_epoch = None
        super().on_epoch_begin(epoch, logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Saves, if it is time to, and raises the error of a signal."""
        self.epoch = epoch + 1
        super().on_epoch_end(epoch, logs)

    def on_train_end(self, logs: Any = None) -> None:
        """Saves what the last epoch has not saved."""
        self.model._initial_epoch = None
        super().on_train_end(logs)

    def _check(self, state):
        """Refuses the state of something else."""
        epoch, states = state.get("epoch"), state.get("states")
        if type(epoch) is not int or epoch < 0 or not isinstance(states, dict):
            raise checkpoints.Damaged("it is not of a `callbacks.Checkpoint`")
        if set(states) != set(self.states):
            raise ValueError(
                f"Argument `states` must have the names in {self.folder / NAME}, "
                f"{sorted(states)}. Received: {sorted(self.states)}"
            )

    def _save(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        states = {name: state.get_state() for name, state in self.states.items()}
        state = {
            "epoch": self.epoch,
            "states": states,
            "keras": keras.__version__,
            "backend": keras.backend.backend(),
        }
        checkpoints.save(self.folder / NAME, self.model, state)
