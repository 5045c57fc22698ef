"""The commands of the command line, and their options."""

import argparse

from .. import __version__
from . import commands as do
from . import completion
from .argument_types import checked_values, lengths, number, numbers, tried
from .commands import PROGRAM
from .option_groups import (
    backend,
    changed_settings,
    ensemble,
    measured_lengths,
    model,
    own_training,
    recipe,
)
from .search import space
from .words import Parser


def parser():
    """The parser of the command line."""
    top = Parser(
        prog=PROGRAM, description="Keras networks that decide for each input how long to think."
    )
    top.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    top.commands = commands.choices

    def command(name, function, description, *examples):
        added = commands.add_parser(
            name,
            help=description[0].lower() + description[1:],
            description=description + ".",
            epilog="examples:\n" + "\n".join(f"  {PROGRAM} {example}" for example in examples),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.add_argument("--json", action="store_true", help="print one JSON object")
        added.add_argument("--debug", action="store_true", help="show the traceback of an error")
        added.set_defaults(command=function)
        return added

    command(
        "list", do.list_command, "List the pretrained models and the recipes", "list", "list --json"
    )

    added = command(
        "train",
        do.train_command,
        "Train a recipe, or resume a training",
        "train act_parity --out runs/parity",
        "train act_parity --out runs/parity --resume",
        "train act_logic --backend jax --seed 3 --set time_penalty=0.01",
        "train act_parity --variant plain --steps-scale 0.1",
        "train neural_gpu_addition --backend jax --seeds 16",
        "train neural_gpu_multiplication --backend jax --keep-every 1000",
    )
    recipe(added, "name of a recipe")
    added.add_argument("--out", help="folder for the checkpoint and history (default: runs/NAME)")
    added.add_argument(
        "--resume", action="store_true", help="continue from the checkpoint in --out"
    )
    changed_settings(added)
    added.add_argument(
        "--seeds",
        type=number,
        help="train the first stage with this many seeds and continue with the best (Neural GPU)",
    )
    added.add_argument("--seed", type=number, help="seed of the initial weights and of the data")
    what = "also keep a checkpoint every STEPS steps, in OUT/step-1000 and so on"
    added.add_argument("--keep-every", type=number, metavar="STEPS", help=what)
    backend(added)
    added.add_argument(
        "--jit",
        choices=("auto", "on", "off"),
        default="auto",
        help="compile with XLA (default: auto)",
    )
    added.add_argument(
        "--examples",
        type=number,
        default=10_000,
        help="examples of the final evaluation (default: 10000)",
    )
    added.set_defaults(begun=do.has_training)

    added = command(
        "tune",
        do.tune_command,
        "Search over settings of a recipe with KerasTuner, or resume a search",
        "tune act_logic --tau 1e-4:1e-1 --trials 20 --seeds 3",
        "tune act_logic --tau 1e-4:1e-1 --trials 40 --seeds 3 --resume",
        "tune act_sort --method grid --steps-scale 0.1 --objective error=1,ponder=0.01",
        "tune act_parity --tau 0.001,0.01 --over halting_bias=-3,1 --method grid",
        "tune neural_gpu_addition_paper --trials 81 --objective longer_symbol_error",
        "tune neural_gpu_copy --over dropout=0.0:0.2 --over maps=16,24 --method hyperband",
    )
    recipe(added, "name of a recipe")
    added.add_argument(
        "--tau",
        type=checked_values,
        metavar="VALUES",
        help="time penalties to try: low:high, or values separated by commas",
    )
    added.add_argument(
        "--over",
        type=tried,
        action="append",
        default=[],
        metavar="KEY[=VALUES]",
        help="values to try for a setting: low:high, or values separated by commas; without VALUES "
        "those that the recipe declares (default: all settings that it declares)",
    )
    added.add_argument("--method", choices=space.METHODS, help="search method (default: random)")
    added.add_argument(
        "--trials", type=number, help="number of trials (default: 20; grid and hyperband: all)"
    )
    added.add_argument(
        "--seeds", type=number, help="trainings per trial, each with its own seed (default: 1)"
    )
    added.add_argument(
        "--objective",
        help="what to minimise on validation data: error (default), ponder, another measured "
        "column, or a weighted sum such as error=1,ponder=0.01",
    )
    added.add_argument("--out", help="folder for the search (default: runs/NAME_search)")
    added.add_argument(
        "--resume", action="store_true", help="continue the search in --out, if there is one"
    )
    changed_settings(added)
    added.add_argument("--seed", type=number, help="seed of the search method (default: 0)")
    added.add_argument("--examples", type=number, help="examples per measurement (default: 1000)")
    backend(added)
    added.set_defaults(begun=do.is_resumable)

    added = command(
        "study",
        do.study_command,
        "Train a recipe with many time penalties and seeds, and draw the paper's figures",
        "study act_parity",
        "study act_parity --full --out runs/parity_study --resume",
        "study act_logic --tau 0.1,0.01,0.001 --seeds 5 --fixed 4,8 --target 4,8",
        "study act_sort --steps-scale 0.1 --set items=5 --backend jax",
    )
    recipe(added, "name of a recipe with adaptive computation time")
    added.add_argument("--out", help="folder for the study (default: runs/NAME_study)")
    added.add_argument(
        "--resume",
        action="store_true",
        help="continue the study in --out, or redraw a finished one",
    )
    added.add_argument(
        "--full", action="store_true", help="the paper's protocol: its 37 time penalties, 20 seeds"
    )
    for option, default, text in (
        ("--tau", "0.1,0.01,0.001,0.0001", "time penalties"),
        ("--fixed", "5", "fixed numbers of steps, or none"),
        ("--sampled", "none", "time penalties of networks that sample when to halt, or none"),
        ("--target", "5", "mean numbers of steps to hold by adapting τ, or none"),
    ):
        added.add_argument(
            option, type=numbers, metavar="VALUES", help=f"{text} (default: {default})"
        )
    added.add_argument(
        "--seeds", type=number, help="trainings per setting, each with its own seed (default: 3)"
    )
    changed_settings(added, variant=False)
    added.add_argument("--examples", type=number, help="examples per measurement (default: 1000)")
    backend(added)
    added.set_defaults(begun=do.is_resumable)

    added = command(
        "evaluate",
        do.evaluate_command,
        "Measure a model on fresh examples",
        "evaluate act_parity --examples 10000 --seed 7 --json",
        "evaluate act_logic --max-ponder 5",
        "evaluate --run runs/act_logic --split validation",
        "evaluate neural_gpu_addition --bits 137 --examples 200 --seed 991 --json",
        "evaluate neural_gpu_addition --bits 100 --probe carries",
        "evaluate neural_gpu_copy --length 401 --examples 100",
        "evaluate ham_sort --length 65:128 --leaves 128 --examples 500 --seed 991 --json",
    )
    model(added, "name of a pretrained model", nargs="?")
    own_training(added)
    added.add_argument(
        "--examples", type=number, default=10_000, help="number of examples (default: 10000)"
    )
    added.add_argument("--seed", type=number, help="seed of the examples")
    what = "which examples (default: test)"
    added.add_argument("--split", choices=("test", "validation"), default="test", help=what)
    added.add_argument("--max-ponder", type=number, help="most steps per input (ACT)")
    added.add_argument(
        "--epsilon", type=number, help="halt when the halting activations reach 1 - EPSILON (ACT)"
    )
    added.add_argument("--bits", type=number, help="digits of each number (Neural GPU)")
    added.add_argument(
        "--length",
        type=lengths,
        help="length of the input in positions, vectors or operations; 65:128 is a range",
    )
    added.add_argument(
        "--leaves",
        type=number,
        help="leaves of the memory (HAM; default: as many as the input needs)",
    )
    added.add_argument(
        "--probe", help="hard inputs that are rarely drawn: carries, ones, zeros, powers or unequal"
    )
    backend(added)

    added = command(
        "verify",
        do.verify_command,
        "Measure the published figures again, and report those that disagree",
        "verify ham_sort",
        "verify act_parity neural_gpu_copy --quick",
        "verify --seconds 300 --out verify.json",
    )
    names = added.add_argument(
        "names", nargs="*", metavar="NAME", help="pretrained models (default: all)"
    )
    names.completer = completion.model_names
    what = "most examples per measurement (default: as many as were published)"
    added.add_argument("--examples", type=number, help=what)
    what = "time limit of each measurement (default: 60)"
    added.add_argument("--seconds", type=number, help=what)
    added.add_argument(
        "--quick", action="store_true", help="at most 200 examples and 5 seconds per measurement"
    )
    added.add_argument(
        "--seed", type=number, help="seed of the examples (default: random, and printed)"
    )
    added.add_argument(
        "--out", help="file for the results; those that it already has are not measured again"
    )
    added.add_argument("--entries", help="folder of the models (default: those of the package)")
    backend(added)

    added = command(
        "predict",
        do.predict_command,
        "Ask a model about one example",
        'predict act_addition "12+345+6"',
        'predict act_parity "+-0+" --json',
        'predict act_logic "1 0 AND XOR; 1 NOR"',
        'predict act_sort "0.3 -1.2 0.8"',
        'predict neural_gpu_addition "110101+011011"',
        'predict neural_gpu_addition "1234567+7654321" --json',
        'predict ham_stack "PUSH 5, PUSH 3, POP, POP"',
        'predict --run runs/act_parity "+-0+"',
    )
    model(added, "name of a pretrained model", nargs="?")
    added.add_argument("example", nargs="?", help="the example, as in the examples below")
    own_training(added)
    backend(added)

    added = command(
        "plot",
        do.plot_command,
        "Draw error and ponder of a model against difficulty, or its steps on one example",
        "plot act_logic --out logic.png",
        'plot act_addition "12+345+6" --out sum.svg',
        'plot neural_gpu_addition "1101+0110"',
        'plot act_enwik8_small "A text, to see what it ponders about."',
        "plot --run runs/act_logic --out logic.png",
    )
    model(added, "name of a pretrained model", nargs="?")
    own_training(added)
    added.add_argument("example", nargs="?", help="an example (default: draw against difficulty)")
    added.add_argument(
        "--out",
        help="file to write, .png, .svg or .pdf (default: NAME.png); for a Neural GPU the "
        "animation, .gif (default: NAME.gif), with a sheet of stills beside it",
    )
    added.add_argument("--input", help="the example, given as an option")
    added.add_argument("--examples", type=number, help="examples per point (default: 1000)")
    added.add_argument("--seed", type=number, help="of the examples")
    backend(added)

    added = command(
        "segment",
        do.segment_command,
        "Split a text where a model's ponder peaks",
        'segment act_enwik8_small "the cat sat on the mat"',
        'segment act_enwik8_small "thecatsatonthemat" --by loss --json',
    )
    model(added, "name of a pretrained model that reads text")
    added.add_argument("text", help="the text, in UTF-8")
    added.add_argument(
        "--by",
        choices=("ponder", "loss", "entropy"),
        default="ponder",
        help="signal (default: ponder)",
    )
    added.add_argument(
        "--height", type=number, help="least height of a peak (default: chosen on validation data)"
    )
    backend(added)

    added = command(
        "measure",
        do.measure_command,
        "Measure a training at many lengths, and keep the results in its folder",
        "measure runs/neural_gpu_addition --backend jax",
        "measure runs/neural_gpu_addition --lengths 20 100 --examples 10000",
        "measure runs/sum/seed-0 --ensemble runs/sum/seed-1 runs/sum/seed-2",
    )
    added.add_argument("run", help="folder of the training")
    ensemble(added)
    added.add_argument(
        "--examples", type=number, default=1000, help="examples per length (default: 1000)"
    )
    measured_lengths(added)
    backend(added)

    added = command(
        "export",
        do.export_command,
        "Publish a training: SavedModel, .keras file, metrics, card and pictures",
        "export runs/act_logic",
        "export runs/logic0 --others runs/logic1 runs/logic_plain --into saved_models",
        "export runs/neural_gpu_copy --lengths 41 401 --examples 1000",
        "export runs/sum/seed-0 --ensemble runs/sum/seed-1 runs/sum/seed-2",
    )
    added.add_argument("run", help="folder of the training")
    added.add_argument(
        "--others",
        nargs="*",
        default=[],
        help="folders of trainings with other seeds, or without ACT, to list on the card",
    )
    ensemble(added)
    added.add_argument(
        "--into", default="saved_models", help="folder for the entry (default: saved_models)"
    )
    added.add_argument(
        "--examples",
        type=number,
        help="examples per measurement (default: 10000; Neural GPU: 1000; HAM: 2500)",
    )
    measured_lengths(added)

    added = command(
        "demo",
        do.demo_command,
        "Let pretrained models answer, train a small network, and draw a picture",
        "demo",
        "demo --out pictures --examples 500",
    )
    added.add_argument("--out", default=".", help="folder for the picture (default: here)")
    added.add_argument(
        "--examples",
        type=number,
        default=1000,
        help="examples per pretrained model (default: 1000)",
    )
    return top
