"""A small trained network, and the entry that is made of it."""

import contextlib
import io

import pytest

from graphs import functions

SMALL = {
    "units": 8,
    "max_ponder": 2,
    "batch_size": 4,
    "chunk": 2,
    "steps": 4,
    "validate_every": 8,
}


@pytest.fixture(scope="session")
def small():
    """Settings that make any recipe small."""
    return dict(SMALL)


@pytest.fixture(scope="session")
def eagerly():
    """A context in which TensorFlow runs functions eagerly, for what does not test a graph."""
    return lambda: functions(True)


@contextlib.contextmanager
def few_examples():
    """Few validation examples, whatever a family takes."""
    from keras_adaptive.zoo.families.family import Family

    def measure(self, probe, examples, measure=Family.measure, **options):
        few = min(examples, 20) if options.get("split") == "validation" else examples
        return measure(self, probe, few, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Family, "measure", measure)
        yield


@pytest.fixture(scope="session")
def trained():
    """`train` with few validation examples; eagerly, or in a graph as users do."""
    from keras_adaptive.zoo.training.train import train

    def call(*arguments, graph=False, **options):
        with functions(not graph), few_examples():
            return train(*arguments, **options)

    return call


@contextlib.contextmanager
def only_what_is_saved_is_traced():
    """An export that measures eagerly."""
    from keras_adaptive.zoo.entries import export

    write = export.write_saved_model

    def traced(*arguments):
        with functions(False):
            write(*arguments)

    with pytest.MonkeyPatch.context() as patch, functions(True):
        patch.setattr(export, "write_saved_model", traced)
        yield


@pytest.fixture(scope="session")
def exported():
    """`export`, which measures eagerly and traces what it saves, as users do."""
    from keras_adaptive.zoo.entries.export import export

    def call(folder, into, *others, **options):
        with only_what_is_saved_is_traced():
            return export(folder, into, *others, **options)

    return call


@pytest.fixture
def few_validated():
    """A test of trainings that look at few validation examples."""
    with few_examples():
        yield


@pytest.fixture(scope="session")
def run(tmp_path_factory, trained):
    """A finished training of addition."""
    folder = tmp_path_factory.mktemp("runs") / "addition"
    return trained("act_addition", folder, overrides={**SMALL, "steps": 2, "digits": 2})


@pytest.fixture(scope="session")
def entries(run, tmp_path_factory):
    """A folder with the entry of `run`, which the command line exported."""
    from keras_adaptive.zoo import cli

    into, printed = tmp_path_factory.mktemp("entries"), io.StringIO()
    with only_what_is_saved_is_traced(), contextlib.redirect_stdout(printed):
        words = ["export", str(run.folder), "--into", str(into), "--examples", "60"]
        assert cli.main(words) == 0
    assert printed.getvalue().strip() == str(into / "act_addition")
    return into


@pytest.fixture
def command(entries, monkeypatch, capsys):
    """Runs the command line on the entries: exit code, standard output, standard error."""
    from keras_adaptive.zoo import cli
    from keras_adaptive.zoo.entries import store

    monkeypatch.setattr(store, "root", lambda: entries)

    def run(*argv):
        code = cli.main([str(word) for word in argv])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def refused(command, tmp_path, monkeypatch):
    """Runs a command that must end with words in one line, and leave nothing behind."""
    monkeypatch.chdir(tmp_path)

    def run(argv, words):
        code, out, err = command(*argv)
        assert code == 2 and out == ""
        assert words in err
        assert err.startswith("keras-adaptive: error: ") and err.count("\n") == 1
        assert list(tmp_path.iterdir()) == []

    return run
