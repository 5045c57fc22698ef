"""The commands of the command line, and their options."""

import argparse

from .. import __version__
from . import commands as do
from . import completion, space
from .argument_types import checked_values, lengths, number, numbers, setting, tried
from .commands import PROGRAM
from .words import Parser


def parser():
    """The parser of the command line."""
    top = Parser(prog=PROGRAM, description="Networks that think for a while about each input.")
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
        added.add_argument("--debug", action="store_true", help="show where an error comes from")
        added.set_defaults(command=function)
        return added

    command(
        "list", do.list_command, "List the pretrained models and the recipes", "list", "list --json"
    )

    added = command(
        "train",
        do.train_command,
        "Train a recipe, or go on with a training",
        "train act_parity --out runs/parity",
        "train act_parity --out runs/parity --resume",
        "train act_logic --backend jax --seed 3 --set time_penalty=0.01",
        "train act_parity --variant plain --steps-scale 0.1",
        "train neural_gpu_addition --backend jax --seeds 16",
        "train neural_gpu_multiplication --backend jax --keep-every 1000",
    )
    recipe(added, "name of a recipe")
    added.add_argument("--out", help="folder for checkpoint and history (default: runs/NAME)")
    added.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    changed_settings(added)
    added.add_argument(
        "--seeds",
        type=number,
        help="try so many seeds on the first stage, and go on with the best (Neural GPU)",
    )
    added.add_argument("--seed", type=number, help="of the first weights and of the data")
    what = "keep what was reached after every so many steps too, as OUT/step-1000 and so on"
    added.add_argument("--keep-every", type=number, metavar="STEPS", help=what)
    backend(added)
    added.add_argument("--jit", choices=("auto", "on", "off"), default="auto", help="XLA")
    added.add_argument("--examples", type=number, default=10_000, help="of the last evaluation")
    added.set_defaults(begun=do.has_training)

    added = command(
        "tune",
        do.tune_command,
        "Search over settings of a recipe with KerasTuner, or go on with a search",
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
        help="what is tried for the time penalty: low:high, or values with commas between",
    )
    added.add_argument(
        "--over",
        type=tried,
        action="append",
        default=[],
        metavar="KEY[=VALUES]",
        help="what is tried for a setting; without VALUES, and without --over and --tau for all "
        "settings, what the recipe declares",
    )
    added.add_argument("--method", choices=space.METHODS, help="default: random")
    added.add_argument(
        "--trials", type=number, help="default: 20; grid and hyperband: as many as there are"
    )
    added.add_argument("--seeds", type=number, help="trainings of each trial; default: 1")
    added.add_argument(
        "--objective",
        help="what is minimised on validation data: error (default), ponder, another measured "
        "column, or a sum such as error=1,ponder=0.01",
    )
    added.add_argument("--out", help="folder of the search (default: runs/NAME_search)")
    added.add_argument("--resume", action="store_true", help="go on, if the search was begun")
    changed_settings(added)
    added.add_argument("--seed", type=number, help="of what proposes the trials; default: 0")
    added.add_argument("--examples", type=number, help="of each measurement; default: 1000")
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
    added.add_argument("--out", help="folder of the study (default: runs/NAME_study)")
    added.add_argument("--resume", action="store_true", help="go on, or draw a whole study anew")
    added.add_argument(
        "--full", action="store_true", help="the paper's protocol: its 37 time penalties, 20 seeds"
    )
    for option, default, text in (
        ("--tau", "0.1,0.01,0.001,0.0001", "time penalties"),
        ("--fixed", "5", "fixed numbers of steps, or none"),
        ("--sampled", "none", "time penalties of networks that draw their last step, or none"),
        ("--target", "5", "mean numbers of steps that τ is adapted to, or none"),
    ):
        added.add_argument(
            option, type=numbers, metavar="VALUES", help=f"{text}; default: {default}"
        )
    added.add_argument("--seeds", type=number, help="trainings of each setting; default: 3")
    changed_settings(added, variant=False)
    added.add_argument("--examples", type=number, help="of each measurement; default: 1000")
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
    added.add_argument("--examples", type=number, default=10_000, help="default: 10000")
    added.add_argument("--seed", type=number, help="of the examples")
    added.add_argument("--split", choices=("test", "validation"), default="test")
    added.add_argument("--max-ponder", type=number, help="the most steps for each input (ACT)")
    added.add_argument("--epsilon", type=number, help="what may be missing from 1 at a halt (ACT)")
    added.add_argument("--bits", type=number, help="digits of each number (Neural GPU)")
    added.add_argument(
        "--length",
        type=lengths,
        help="positions, vectors or operations, where there are no digits; 65:128 is a range",
    )
    added.add_argument("--leaves", type=number, help="of the memory (HAM); default: what is needed")
    added.add_argument(
        "--probe", help="what random numbers miss: carries, ones, zeros, powers or unequal"
    )
    backend(added)

    added = command(
        "verify",
        do.verify_command,
        "Measure every published figure again, and say where it does not agree",
        "verify ham_sort",
        "verify act_parity neural_gpu_copy --quick",
        "verify --seconds 300 --out verify.json",
    )
    names = added.add_argument(
        "names", nargs="*", metavar="NAME", help="pretrained models; default: all"
    )
    names.completer = completion.model_names
    what = "of each measurement, at most (default: as many as were published)"
    added.add_argument("--examples", type=number, help=what)
    what = "after so many a measurement begins no further batch (default: 60)"
    added.add_argument("--seconds", type=number, help=what)
    added.add_argument("--quick", action="store_true", help="200 examples and 5 seconds at most")
    added.add_argument("--seed", type=number, help="of the examples (default: drawn, and told)")
    added.add_argument("--out", help="file for the record; what it has is not measured again")
    added.add_argument("--entries", help="folder with the models (default: those of the package)")
    backend(added)

    added = command(
        "predict",
        do.predict_command,
        "Ask a model about one example in human form",
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
    added.add_argument("example", nargs="?", help="the example, in the human form of its task")
    own_training(added)
    backend(added)

    added = command(
        "plot",
        do.plot_command,
        "Draw what a model does: error and ponder, or its thoughts about one example",
        "plot act_logic --out logic.png",
        'plot act_addition "12+345+6" --out sum.svg',
        'plot neural_gpu_addition "1101+0110"',
        'plot act_enwik8_small "A text, to see what it ponders about."',
        "plot --run runs/act_logic --out logic.png",
    )
    model(added, "name of a pretrained model", nargs="?")
    own_training(added)
    added.add_argument("example", nargs="?", help="in human form; without: against difficulty")
    added.add_argument(
        "--out",
        help="file to write, .png, .svg or .pdf (default: NAME.png); for a Neural GPU the "
        "animation, .gif (default: NAME.gif), with a sheet of stills beside it",
    )
    added.add_argument("--input", help="the example, as an option")
    added.add_argument("--examples", type=number, help="sequences for each point (default: 1000)")
    added.add_argument("--seed", type=number, help="of the examples")
    backend(added)

    added = command(
        "segment",
        do.segment_command,
        "Propose boundaries in a text, where a model's ponder peaks",
        'segment act_enwik8_small "the cat sat on the mat"',
        'segment act_enwik8_small "thecatsatonthemat" --by loss --json',
    )
    model(added, "name of a pretrained model that reads text")
    added.add_argument("text", help="the text, in UTF-8")
    added.add_argument(
        "--by", choices=("ponder", "loss", "entropy"), default="ponder", help="default: ponder"
    )
    added.add_argument(
        "--height", type=number, help="the least height of a peak (default: as validated)"
    )
    backend(added)

    added = command(
        "measure",
        do.measure_command,
        "Measure a training at many lengths for its entry, and keep the numbers beside it",
        "measure runs/neural_gpu_addition --backend jax",
        "measure runs/neural_gpu_addition --lengths 20 100 --examples 10000",
        "measure runs/sum/seed-0 --ensemble runs/sum/seed-1 runs/sum/seed-2",
    )
    added.add_argument("run", help="folder of the training")
    ensemble(added)
    added.add_argument("--examples", type=number, default=1000, help="each length; default: 1000")
    measured_lengths(added)
    backend(added)

    added = command(
        "export",
        do.export_command,
        "Write the entry of a training: SavedModel, .keras, numbers, card and pictures",
        "export runs/act_logic",
        "export runs/logic0 --others runs/logic1 runs/logic_plain --into saved_models",
        "export runs/neural_gpu_copy --lengths 41 401 --examples 1000",
        "export runs/sum/seed-0 --ensemble runs/sum/seed-1 runs/sum/seed-2",
    )
    added.add_argument("run", help="folder of the training to publish")
    added.add_argument(
        "--others", nargs="*", default=[], help="folders of other seeds and of those without ACT"
    )
    ensemble(added)
    added.add_argument("--into", default="saved_models", help="default: saved_models")
    added.add_argument(
        "--examples", type=number, help="default: 10000; Neural GPU: 1000 for each length"
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
    added.add_argument("--examples", type=number, default=1000, help="for each pretrained model")
    return top


def recipe(parser, what):
    """Give a command the argument that names a recipe."""
    parser.add_argument("name", help=what).completer = completion.recipe_names


def model(parser, what, **settings):
    """Give a command the argument that names a pretrained model."""
    parser.add_argument("name", help=what, **settings).completer = completion.model_names


def own_training(parser):
    """Give a command the option that names a training instead of a pretrained model."""
    what = "folder that `train` wrote: its last checkpoint instead of a pretrained model"
    parser.add_argument("--run", metavar="FOLDER", help=what)


def backend(parser):
    """Give a command the option that chooses Keras's backend."""
    parser.add_argument("--backend", choices=("tensorflow", "jax", "torch"), help="of Keras")


def changed_settings(parser, variant=True):
    """Give a command the options that change how a recipe is trained."""
    parser.add_argument(
        "--set",
        type=setting,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change a setting of the recipe, such as units=64 or stages.0.steps=1000",
    )
    if variant:
        parser.add_argument(
            "--variant", help="act, plain (no ACT) or fixed-k (k steps, no halting)"
        )
    parser.add_argument("--steps-scale", type=number, help="factor on the steps of all stages")


def ensemble(parser):
    """Give a command the option that makes several trainings one model."""
    what = "folders of trainings whose outputs are averaged with those of the first (Neural GPU)"
    parser.add_argument("--ensemble", nargs="+", default=[], metavar="RUN", help=what)


def measured_lengths(parser):
    """Give a command the options that say what is measured of a Neural GPU."""
    parser.add_argument(
        "--long-examples", type=number, help="at 777 digits, 4001 positions or more; default: 100"
    )
    parser.add_argument(
        "--lengths",
        type=number,
        nargs="+",
        metavar="LENGTH",
        help="in digits of a number, or in positions; default: those of the paper",
    )
