"""The command line: one answer on standard output, one line and exit code 2 for an error."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

import keras_adaptive
from keras_adaptive import zoo
from keras_adaptive.checkpoints import Terminated
from keras_adaptive.long_calls import Estimated
from keras_adaptive.zoo import cli, demo
from keras_adaptive.zoo.demo_networks import small_recipe
from keras_adaptive.zoo.entries import store
from keras_adaptive.zoo.parser import parser

COMMANDS = ("list", "train", "tune", "study", "evaluate", "predict", "plot", "segment", "measure")
COMMANDS = (*COMMANDS, "export", "demo", "verify")
# What is computed in a graph is tested with the networks; here it is about what a command says.
pytestmark = pytest.mark.usefixtures("eager")


def test_the_package_runs_as_a_program():
    """At once: the version needs no Keras."""
    code = "import runpy, sys; sys.argv[1:] = ['--version']\n"
    code += "try: runpy.run_module('keras_adaptive', run_name='__main__')\n"
    code += "finally: assert not {'keras', 'tensorflow'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"keras-adaptive {keras_adaptive.__version__}\n"


@pytest.mark.parametrize(
    ("line", "proposed"),
    [
        ("keras-adaptive t", {"train", "tune"}),
        ("keras-adaptive train act_l", {"act_logic", "act_logic_anytime"}),
        ("keras-adaptive predict ham_st", {"ham_stack"}),
        ("keras-adaptive train act_logic --see", {"--seed", "--seeds"}),
    ],
)
def test_tab_completes(line, proposed):
    """The words come back on descriptor 8, as a shell asks for them."""
    pytest.importorskip("argcomplete")
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line))}
    program = f"{shlex.quote(sys.executable)} -m keras_adaptive 8>&1 9>&2"
    done = subprocess.run(
        ["sh", "-c", program], env={**os.environ, **asked}, capture_output=True, timeout=60
    )
    assert {word.strip() for word in done.stdout.decode().split("\v")} == proposed


def test_list(command):
    code, out, _ = command("list")
    assert code == 0
    assert out.startswith("model") and "\nact_addition  addition  " in out
    recipes_alone = out.splitlines()[-1]
    assert "act_sort" in recipes_alone and "act_addition" not in recipes_alone
    data = json.loads(command("list", "--json")[1])
    assert [found["model"] for found in data["models"]] == ["act_addition"]
    assert "act_parity" in data["recipes"]


def test_a_damaged_entry_does_not_hide_the_others(command, entries, tmp_path, monkeypatch):
    for name in ("act_addition", "damaged"):
        shutil.copytree(entries / "act_addition", tmp_path / name)
    (tmp_path / "damaged" / "README.md").write_text("another")
    monkeypatch.setattr(store, "root", lambda: tmp_path)
    code, out, _ = command("list")
    assert code == 0 and "\nact_addition  addition  " in out
    assert re.search(r"\nDamaged:\ndamaged: the file .*README.md is damaged or altered", out)
    data = json.loads(command("list", "--json")[1])
    assert len(data["models"]) == 1 and "README.md" in data["damaged"]["damaged"]


def test_evaluate(command, traced):
    code, out, _ = command("evaluate", "act_addition", "--examples", 50, "--seed", 7, "--json")
    found = json.loads(out)
    keys = {"model", "dataset", "examples", "sequence_error", "ponder", "ponder_steps", "seconds"}
    assert code == 0 and keys <= set(found)
    assert (found["examples"], found["seed"]) == (50, 7)
    code, out, _ = command("evaluate", "act_addition", "--examples", 20, "--max-ponder", 1)
    assert code == 0 and "steps 1.00" in out


@pytest.mark.slow
def test_evaluate_within_a_time(command):
    few = ("evaluate", "act_addition", "--examples", 12, "--within", 0.5)
    code, out, _ = command(*few, "--json")
    found = json.loads(out)
    # A single number has no answer, so more are asked.
    assert code == 0 and found["within"] == 0.5 and 12 <= found["calls"] < 40
    assert found["seconds_of_95_percent"] > 0 and 0 <= found["late"] <= 1
    code, out, _ = command(*few, "--batch-size", 12)
    assert code == 0 and re.search("95 % of [12] calls within", out) and "1.2 × 500 ms" in out


def test_evaluate_a_training(command, run):
    code, out, _ = command(
        "evaluate", "act_addition", "--run", run.folder, "--examples", 20, "--json"
    )
    assert code == 0 and json.loads(out)["parameters"]["digits"] == 2
    assert command("evaluate", "--run", run.folder, "--examples", 20, "--max-ponder", 1)[0] == 0


def test_predict_and_plot_with_a_training(command, run, tmp_path):
    code, out, _ = command("predict", "--run", run.folder, "12+34+6", "--json")
    found = json.loads(out)
    assert code == 0 and found["model"] == "act_addition" and len(found["ponder_steps"]) == 3
    path = tmp_path / "along.png"
    code, out, _ = command("plot", "1+2", "--run", run.folder, "--out", path)
    assert code == 0 and out.strip() == str(path) and path.stat().st_size > 0
    code, _, _ = command("plot", "--run", run.folder, "--out", path, "--examples", 5)
    assert code == 0


def test_a_training_and_its_example_are_checked_first(command, run, tmp_path, monkeypatch):
    def begun(*_, **__):
        raise AssertionError

    monkeypatch.setattr("keras_adaptive.zoo.commands.models.restore", begun)
    given, none = ["--run", run.folder], ["--run", tmp_path]
    for words, sentence in (
        (["predict", *none, "1+2"], "--run must be a folder that `train` wrote, with a checkpoint"),
        (["plot", "--run", "nowhere"], "with a checkpoint. Received: 'nowhere'"),
        (["predict", "--run", "", "1+2"], "with a checkpoint. Received: ''"),
        (["predict", "act_addition", "1+2", *given], "give one of the two"),
        (["plot", "act_addition", "1+2", *given], "give one of the two"),
        (["predict", *given], "an example is missing after --run"),
        (["predict", *given, "1+two"], "1+two"),
        (["plot", *given, "1+2", "--input", "1+2"], "the example is given once"),
        (["predict"], "give the name of a pretrained model, or --run"),
        (["evaluate"], "give the name of a pretrained model, or --run"),
        (["evaluate", "act_addition", "--within", "0"], "--within must be"),
        (["evaluate", "act_addition", "--batch-size", "0"], "--batch-size must be"),
        (["evaluate", "act_sort", *given], "is a training of act_addition, not act_sort"),
    ):
        code, out, err = command(*words)
        assert (code, out) == (2, "") and sentence in err and err.count("\n") == 1, (words, err)


def test_predict(command):
    code, out, _ = command("predict", "act_addition", "12+34+6", "--json")
    found = json.loads(out)
    assert code == 0 and found["input"] == "12+34+6"
    assert len(found["ponder_steps"]) == 3 and isinstance(found["answer"], str)
    code, out, _ = command("predict", "act_addition", "12+34+6")
    lines = out.splitlines()
    assert lines[0].split() == ["input", "answer", "steps", "confidence"]
    assert len(lines) == 5 and lines[-1] == f"answer: {found['answer']}"
    # With less thought; from the command line as in Python.
    words = ("predict", "act_addition", "12+34+6", "--max-ponder")
    found = json.loads(command(*words, 1, "--json")[1])
    assert found["ponder_steps"] == [1, 1, 1]
    assert zoo.predict("act_addition", "12+34+6", max_ponder=1) == found
    for option, value, sentence in (
        ("--leaves", 4, "--leaves is for models with a memory of leaves"),
        ("--max-ponder", 0, "--max-ponder must be a whole number from 1"),
    ):
        code, out, err = command("predict", "act_addition", "1+2", option, value)
        assert (code, out) == (2, "") and sentence in err and err.count("\n") == 1


def test_plot(command, tmp_path):
    path = tmp_path / "picture.png"
    code, out, _ = command("plot", "act_addition", "--out", path, "--examples", 10)
    assert code == 0 and out.strip() == str(path)
    assert path.read_bytes().startswith(b"\x89PNG")
    path = tmp_path / "along.svg"
    code, out, _ = command("plot", "act_addition", "1+2", "--out", path, "--json")
    assert code == 0 and json.loads(out)["picture"] == str(path)
    assert "<svg" in path.read_text()


def test_train(command, small, tmp_path, traced):
    settings = {**small, "steps": 2, "digits": 2}
    words = [f"--set={key}={value}" for key, value in settings.items()]
    out = tmp_path / "run"
    code, text, err = command(
        "train", "act_addition", "--out", out, *words, "--variant=plain", "--examples=20", "--json"
    )
    assert code == 0, err
    found = json.loads(text)
    assert found["variant"] == "plain" and found["ponder_steps"] == 1
    assert json.loads((out / "metrics.json").read_text()) == found
    assert "loss" in err and "keras-adaptive export" in err


def test_an_input_may_begin_with_a_minus():
    inputs = {"predict": "example", "plot": "example", "segment": "text"}
    for command, name in inputs.items():
        option = {"predict": "--json", "plot": "--out=a.png", "segment": "--by=loss"}[command]
        for example in ("-+0", "-1.2,0.3", "--+0", "-h is a letter", "--by the way"):
            orders = [["m", example, option], ["m", option, example], [option, "m", example]]
            for words in [*orders, [option, "m", "--", example]]:
                found = cli.parsed([command, *words])
                assert (found.name, getattr(found, name)) == ("m", example)
    for words in (["--run", "f", "-+0"], ["-+0", "--run=f"]):
        assert cli.parsed(["predict", *words]).run == "f"
    assert cli.parsed(["plot", "m", "--input", "-+0"]).input == "-+0"
    assert cli.parsed(["segment", "m", "a", "--height", "-1"]).height == -1


def test_what_is_left_is_one_line(command, monkeypatch):
    def fail(*_, **__):
        raise KeyError("a\nb")

    monkeypatch.setattr(store, "names", fail)
    code, out, err = command("list")
    assert code == 1 and out == ""
    assert err.startswith("keras-adaptive: internal error: KeyError: ")
    assert err.count("\n") == 1 and "--debug" in err
    code, _, err = command("list", "--debug")
    assert code == 1 and "Traceback (most recent call last)" in err and "in fail" in err
    code, _, err = command("train", "act_parity", "--set", "units=" + "9" * 100_000)
    assert code == 2 and len(err) < 1000


def test_what_is_mistyped_is_refused_without_keras():
    script = """
import sys
sys.orig_argv = ["keras-adaptive"]
from keras_adaptive.zoo import cli
for words in (
    ["train", "act_parity", "--set", "units=abc"],
    ["train", "neural_gpu_copy", "--set", "length=0"],
    ["train", "ham_sort_lstm", "--steps-scale", "0"],
    ["tune", "act_logic", "--objective", "error=nan"],
    ["study", "act_logic", "--set", "gates=11"],
    ["predict", "act_sort", "one two"],
    ["plot", "act_parity", "--out", "picture.xyz"],
    ["plot", "act_parity", "--out", "picture.gif"],
    ["evaluate", "act_parity", "--file", "README.md"],
):
    assert cli.main(words) == 2
assert not {"keras", "tensorflow", "jax"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=600)


def test_work_can_be_interrupted():
    script = """
import signal, sys, threading, time, _thread
signal.signal(signal.SIGINT, signal.default_int_handler)  # Ignored where pytest runs detached.
from keras_adaptive.zoo import cli
from keras_adaptive import long_calls
def compute():
    threading.Timer(0.5, _thread.interrupt_main).start()
    time.sleep(100)
began = time.monotonic()
try:
    long_calls.interruptible(compute)
except KeyboardInterrupt:
    print(time.monotonic() - began)
"""
    process = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=90
    )
    assert process.returncode == 130 and float(process.stdout) < 5


def test_long_inputs_are_estimated(capsys):
    asked = []

    def probe(inputs):
        asked.append(inputs.shape[1])
        time.sleep(inputs.shape[1] * 1e-5)
        return "answer"

    assert Estimated(probe)(np.zeros((1, 1999))) == "answer" and asked == [1999]
    assert Estimated(probe)(np.zeros((1, 30_000))) == "answer"
    assert asked[1:] == [500, 500, 1000, 1000, 30_000]
    assert "30,000 positions take about" in capsys.readouterr().err


@pytest.mark.parametrize(("stop", "code"), [(KeyboardInterrupt, 130), (Terminated, 143)])
def test_interrupt_says_how_to_go_on(stop, code, command, monkeypatch, tmp_path):
    """With all that was given, and with `--resume` where there is something to resume."""

    def stopped(*_, **__):
        raise stop("stopped after 8 steps; the state is saved")

    monkeypatch.setattr("keras_adaptive.zoo.commands.trainings.run_training", stopped)
    monkeypatch.setattr("keras_adaptive.zoo.commands.trainings.run_study", stopped)
    out = tmp_path / "my runs"
    given = ["--set", "units=8", "--examples", "20", "--json", "--out", str(out)]
    train = ["keras-adaptive", "train", "act_parity", *given]
    study = ["keras-adaptive", "study", "act_parity", *given]
    for words, expected in ((train, train), (study, [*study, "--resume"])):
        found, answer, err = command(*words[1:])
        assert found == code and answer == ""
        assert "stopped after 8 steps" in err
        assert shlex.split(err.splitlines()[-1].removeprefix("resume with: ")) == expected
    out.mkdir()
    (out / "checkpoint.previous.npz").touch()
    _, _, err = command(*train[1:], "--resume")
    assert f"resume with: {shlex.join([*train, '--resume'])}" in err


def test_a_reader_that_has_gone_is_no_error():
    read, write = os.pipe()
    os.close(read)
    script = "import sys; from keras_adaptive.zoo import cli; sys.exit(cli.main(['list']))"
    with os.fdopen(write, "wb") as gone:
        process = subprocess.run(
            [sys.executable, "-c", script], stdout=gone, stderr=subprocess.PIPE, timeout=600
        )
    assert process.returncode == 141
    assert b"roken" not in process.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples(name, capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main([name, "--help"])
    out = capsys.readouterr().out
    assert stop.value.code == 0
    assert f"keras-adaptive {name}" in out and "examples:" in out and "--json" in out


def test_every_argument_has_help():
    commands = parser().commands
    for name, command in commands.items():
        for action in command._actions:
            assert action.help and len(action.help) > 8, (name, action.dest)


def test_set_wants_key_and_value(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["train", "act_parity", "--set", "units"])
    assert stop.value.code == 2
    assert "key=value" in capsys.readouterr().err


@pytest.fixture
def short_demo(monkeypatch):
    short = small_recipe().with_overrides({"chunk": 2, "units": 8, "steps": 2})
    monkeypatch.setattr("keras_adaptive.zoo.demo_networks.small_recipe", lambda: short)


def test_demo(command, short_demo, tmp_path):
    code, out, err = command("demo", "--out", tmp_path, "--examples", 20, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert set(found["trained"]) == {"plain", "act", "units"}
    assert found["models"]["act_addition"]["examples"] == 20
    assert (tmp_path / "keras_adaptive_demo.png").stat().st_size > 0
    assert "plain RNN   test error" in found["text"] and found["picture"] in found["text"]


def test_the_demo_answers_before_it_trains(command, short_demo, monkeypatch, tmp_path):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("keras_adaptive.zoo.demo_networks.train_small", interrupted)
    code, out, err = command("demo", "--out", tmp_path, "--examples", 20)
    assert code == 130 and "→" in out and "wrong of 20 fresh examples" in out
    assert not [line for line in err.splitlines() if "WARNING" in line or "Warning" in line]


def test_the_demo_cuts_what_is_long():
    answered = {"inputs": ["+-0" * 30] * 5, "answers": ["odd"] * 5, "ponder_steps": [3] * 5}
    *lines, more = demo.in_lines(answered).splitlines()
    assert more == "  … and 1 more" and len(lines) == 4
    assert all("…  →  odd   (3 steps)" in line and len(line) < 70 for line in lines)


def test_words_are_read_as_utf_8_whatever_the_locale_is():
    sent = "wörld".encode().decode("ascii", "surrogateescape")
    assert cli.in_utf8("wörld") == cli.in_utf8(sent) == "wörld"
    assert cli.in_utf8("\udcff") == "\udcff"
