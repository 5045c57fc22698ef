"""Whatever is typed gets an answer or a sentence: hundreds of wrong command lines, and some right.

No command begins to work here: what may is recognised by that.
"""

import re
import shlex

import pytest

from keras_adaptive.zoo import cli, command_check, demo_networks
from keras_adaptive.zoo.commands import entries, models, trainings
from keras_adaptive.zoo.entries import store
from keras_adaptive.zoo.parser import COMMANDS
from support.mistyped_commands import cases

WORK = (
    (trainings, "run_training"),
    (trainings, "choose_seed"),
    (trainings, "tuner"),
    (trainings, "run_study"),
    (store, "load"),
    (models, "restore"),
    (entries, "restore"),
    (entries, "measure_again"),
    (demo_networks, "train_small"),
)


class Begun(BaseException):
    """A command begins to work."""


@pytest.fixture
def told(monkeypatch, capsys, tmp_path):
    """The exit code and standard error of a command line, in an empty folder."""

    def begin(*_, **__):
        raise Begun

    for module, name in WORK:
        monkeypatch.setattr(module, name, begin)
    monkeypatch.setattr("keras_adaptive.zoo.entries.export.restore", begin)
    training = tmp_path / "training"
    training.mkdir()
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)

    def tell(*words):
        try:
            code = cli.main([str(training) if word == "RUN" else word for word in words])
        except SystemExit as stop:
            code = stop.code
        except Begun:
            code = "begun"
        assert list(work.iterdir()) == [], words
        return code, capsys.readouterr().err

    return tell


def check(words, begins, told):
    code, err = told(*words)
    if begins:
        assert code == "begun", (words, err)
        return
    assert code == 2, (words, code, err)
    assert err.startswith("keras-adaptive: error: ") and err.count("\n") == 1, (words, err)
    assert len(err) < 1000 and "Traceback" not in err, (words, err)


def test_what_is_mistyped(told):
    found = cases()
    assert len(found) > 1000
    for words, begins in found:
        check(words, begins, told)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_examples_of_the_helps_are_right(command, tmp_path, monkeypatch):
    """Nothing is wrong with them but that there are no such trainings here."""
    monkeypatch.chdir(tmp_path)
    for example in command.examples:
        try:
            command_check.check(cli.parsed(shlex.split(example)))
        except (OSError, ValueError) as error:
            assert re.search("(there is no |must be a folder ).*runs/", str(error)), example


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["train", "act_parity", "--steps-scale", "0"], "--steps-scale must be a number above 0"),
        (["train", "act_parity", "--set", "clipnorm=-1"], "clipnorm must be a number above 0"),
        (["train", "act_parity", "--set", "clipnorm=NaN"], "clipnorm must be .* Received: nan"),
        (["train", "act_parity", "--set", "validate_every=abc"], "validate_every must be a whole"),
        (["train", "act_logic", "--set", "same_length=maybe"], "same_length must be true or false"),
        (["train", "act_parity", "--set", "units=true"], "units must be a whole .* Received: True"),
        (["train", "act_parity", "--variant", ""], "variant must be .* Received: ''"),
        (["train", "act_parity", "--set", "target_ponder=11"], "must be at most max_ponder, 10"),
        (["train", "act_parity", "--set", "curriculum=foo"], "curriculum must be null"),
        (["train", "act_parity", "--set", "bins=3"], "bins must be a list"),
        (["train", "act_parity", "--set", "unitz=3"], "unknown setting 'unitz' .* Nearest: units"),
        (["train", "act_logic", "--set", "gates=11"], "gates=11, max_gates=10"),
        (["tune", "act_logic", "--objective", "error=inf"], "weight of error .* above 0"),
        (["tune", "act_logic", "--over", "units=8", "--over", "units=9"], "--over units is given"),
        (["study", "act_logic", "--tau", "Infinity"], "expected numbers separated by commas"),
        (["evaluate", "act_parity", "--run", ""], "--run must be a folder .* Received: ''"),
        (["evaluate", "neural_gpu_copy", "--length", "0"], "--length must be a whole number"),
        (["evaluate", "act_parity", "--max-ponder", "9" * 50], "--max-ponder must be a whole"),
        (["evaluate", "neural_gpu_addition", "--bits", "99999999999"], "--bits must be a whole"),
        (["plot", "act_logic", ""], "a logic input is vectors"),
        (["segment", "act_enwik8_small", "a", "--height", "nan"], "--height must be a finite"),
        (["train", "act_parity", "--exmaples", "3"], "no option '--exmaples'. Nearest: --examples"),
        (["trian"], "there is no command 'trian'. Nearest: train"),
        (["train", "act_parity", "--seed", "1", "--seed", "2"], "--seed is given twice"),
    ],
)
def test_the_sentence_names_what_is_wrong(words, sentence, told):
    code, err = told(*words)
    assert code == 2 and re.search(sentence, err), err
