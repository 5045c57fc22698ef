"""The old names of modules that have moved: they work for one version more, and warn."""

import importlib
import importlib.abc
import importlib.util
import sys
import warnings

# Both below `keras_adaptive.zoo`.
MOVED = {
    "agreement": "entries.agreement",
    "arms": "search.variants",
    "baseline": "entries.baseline",
    "checkpoint": "training.checkpoint",
    "consistency": "entries.consistency",
    "ensemble": "entries.ensemble",
    "export": "entries.export",
    "feed": "training.batches",
    "figures": "entries.figures",
    "files": "training.files",
    "forecast": "search.forecast",
    "ham_page": "pages.ham",
    "headline": "entries.headline",
    "lengths": "entries.lengths",
    "lock": "training.lock",
    "manifest": "entries.manifest",
    "model_card": "entries.card",
    "neural_gpu_page": "pages.neural_gpu",
    "progress": "training.progress",
    "progress_bar": "training.progress_bar",
    "record": "entries.record",
    "run": "training.run",
    "scout": "search.seeds",
    "space": "search.space",
    "stopping": "training.stopping",
    "store": "entries.store",
    "studies": "search.study",
    "study_table": "search.study_table",
    "train": "training.train",
    "trials": "search.rows",
    "tune": "search.tune",
    "verify": "entries.verify",
    "verify_page": "pages.verify",
}
ZOO = __name__.rpartition(".")[0]


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a module under its old name, and loads the one that has taken its place."""

    def find_spec(self, fullname, path, target=None):
        package, _, name = fullname.rpartition(".")
        if package != ZOO or name not in MOVED:
            return None
        return importlib.util.spec_from_loader(fullname, self)

    def create_module(self, spec):
        old, new = spec.name, f"{ZOO}.{MOVED[spec.name.rpartition('.')[2]]}"
        warnings.warn(f"{old} is now {new}", DeprecationWarning, stacklevel=2)
        self.module = importlib.import_module(new)
        self.spec = self.module.__spec__
        return self.module

    def exec_module(self, module):
        # It has been executed, under its own name.
        module.__spec__ = self.spec


def find_moved_modules():
    """Let imports find modules under their old names."""
    if not any(type(finder) is Finder for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())
