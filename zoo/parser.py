"""The table of all commands, and the parser of the command line."""

import argparse
import dataclasses
from collections.abc import Callable

from .. import __version__
from . import command_check
from . import command_options as options
from . import commands as do
from .commands import PROGRAM
from .words import Parser


@dataclasses.dataclass(frozen=True)
class Command:
    """A command of the command line.

    Args:
        name: of the command.
        run: function of the parsed arguments; it prints the answer.
        description: what it does, without a full stop.
        examples: argument lines, beginning with the command's name.
        options: adds its options to its parser.
        begun: function of `--out`; whether `--resume` can continue there.
        check: function of the parsed arguments that refuses invalid ones before the command runs.
        writes_a_file: whether its `--out` is a file; else it is a folder.
        needs_example: whether it requires an example.
    """

    name: str
    run: Callable
    description: str
    examples: tuple[str, ...]
    options: Callable | None = None
    begun: Callable | None = None
    check: Callable | None = None
    writes_a_file: bool = False
    needs_example: bool = False

    def add_to(self, commands):
        """Add the command's parser to the subparsers of another."""
        examples = (f"  {PROGRAM} {example}" for example in self.examples)
        added = commands.add_parser(
            self.name,
            help=self.description[0].lower() + self.description[1:],
            description=self.description + ".",
            epilog="examples:\n" + "\n".join(examples),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.add_argument("--json", action="store_true", help="print one JSON object")
        added.add_argument("--debug", action="store_true", help="show the traceback of an error")
        added.set_defaults(
            command=self.run,
            check=self.check,
            writes_a_file=self.writes_a_file,
            needs_example=self.needs_example,
        )
        if self.options is not None:
            self.options(added)
        if self.begun is not None:
            added.set_defaults(begun=self.begun)


COMMANDS = (
    Command(
        "list",
        do.list_models,
        "List the pretrained models and the recipes",
        (
            "list",
            "list --json",
        ),
    ),
    Command(
        "train",
        lambda arguments: do.training_commands().train(arguments),
        "Train a recipe, or resume a training",
        (
            "train act_parity --out runs/parity",
            "train act_parity --out runs/parity --resume",
            "train act_logic --backend jax --seed 3 --set time_penalty=0.01",
            "train act_parity --variant plain --steps-scale 0.1",
            "train neural_gpu_addition --backend jax --seeds 16",
            "train neural_gpu_multiplication --backend jax --keep-every 1000",
        ),
        options.train,
        begun=do.has_training,
        check=command_check.check_train,
    ),
    Command(
        "tune",
        lambda arguments: do.training_commands().tune(arguments),
        "Search over settings of a recipe with KerasTuner, or resume a search",
        (
            "tune act_logic --tau 1e-4:1e-1 --trials 20 --seeds 3",
            "tune act_logic --tau 1e-4:1e-1 --trials 40 --seeds 3 --resume",
            "tune act_sort_narrow --method grid --steps-scale 0.1 --objective error=1,ponder=0.01",
            "tune act_parity --tau 0.001,0.01 --over halting_bias=-3,1 --method grid",
            "tune neural_gpu_addition_paper --trials 81 --objective longer_symbol_error",
            "tune neural_gpu_copy --over dropout=0.0:0.2 --over maps=16,24 --method hyperband",
        ),
        options.tune,
        begun=lambda _: True,
        check=command_check.check_tune,
    ),
    Command(
        "study",
        lambda arguments: do.training_commands().study(arguments),
        "Train a recipe with many time penalties and seeds, and draw the paper's figures",
        (
            "study act_parity",
            "study act_parity --full --out runs/parity_study --resume",
            "study act_logic --tau 0.1,0.01,0.001 --seeds 5 --fixed 4,8 --target 4,8",
            "study act_sort_narrow --steps-scale 0.1 --set numbers=5 --backend jax",
        ),
        options.study,
        begun=lambda _: True,
        check=command_check.check_study,
    ),
    Command(
        "evaluate",
        lambda arguments: do.model_commands().evaluate(arguments),
        "Measure a model on fresh examples",
        (
            "evaluate act_parity --examples 10000 --seed 7 --json",
            "evaluate act_logic --max-ponder 5",
            "evaluate act_logic_anytime --within 0.01 --json",
            "evaluate --run runs/act_logic --split validation",
            "evaluate neural_gpu_addition --bits 137 --examples 200 --seed 991 --json",
            "evaluate neural_gpu_addition --bits 100 --probe carries",
            "evaluate neural_gpu_copy --length 401 --examples 100",
            "evaluate ham_sort --length 65:128 --leaves 128 --examples 500 --seed 991 --json",
        ),
        options.evaluate,
        check=command_check.check_evaluate,
    ),
    Command(
        "verify",
        lambda arguments: do.entry_commands().verify(arguments),
        "Measure the published figures again, and report those that disagree",
        (
            "verify ham_sort",
            "verify act_parity neural_gpu_copy --quick",
            "verify --seconds 300 --out verify.json",
        ),
        options.verify,
        check=command_check.check_verify,
        writes_a_file=True,
    ),
    Command(
        "predict",
        do.predict,
        "Ask a model about one example",
        (
            'predict act_addition "12+345+6"',
            'predict act_parity "+-0+" --json',
            'predict act_logic "1 0 AND XOR; 1 NOR"',
            'predict act_sort "0.3 -1.2 0.8"',
            'predict neural_gpu_addition "110101+011011"',
            'predict neural_gpu_addition "1234567+7654321" --json',
            'predict ham_stack "PUSH 5, PUSH 3, POP, POP"',
            'predict neural_gpu_multiplication "110101*011011" --steps-multiplier 2',
            'predict --run runs/act_parity "+-0+"',
        ),
        options.predict,
        check=command_check.check_example,
        needs_example=True,
    ),
    Command(
        "plot",
        lambda arguments: do.model_commands().plot(arguments),
        "Draw error and ponder of a model against difficulty, or its steps on one example",
        (
            "plot act_logic --out logic.png",
            'plot act_addition "12+345+6" --out sum.svg',
            'plot neural_gpu_addition "1101+0110"',
            'plot act_enwik8_small "A text, to see what it ponders about."',
            "plot --run runs/act_logic --out logic.png",
        ),
        options.plot,
        check=command_check.check_plot,
        writes_a_file=True,
    ),
    Command(
        "segment",
        lambda arguments: do.model_commands().segment(arguments),
        "Split a text at the peaks of a model's ponder, loss or entropy",
        (
            'segment act_enwik8_small "the cat sat on the mat"',
            'segment act_enwik8_small "thecatsatonthemat" --by loss --json',
        ),
        options.segment,
        check=command_check.check_segment,
    ),
    Command(
        "measure",
        lambda arguments: do.entry_commands().measure(arguments),
        "Measure a training at many lengths (Neural GPU, HAM, recall, pointer networks)",
        (
            "measure runs/neural_gpu_addition --backend jax",
            "measure runs/neural_gpu_addition --lengths 20 100 --examples 10000",
            "measure runs/sum/seed-0 --ensemble runs/sum/seed-1 runs/sum/seed-2",
        ),
        options.measure,
        check=command_check.check_measure,
    ),
    Command(
        "export",
        lambda arguments: do.entry_commands().export(arguments),
        "Publish a training: SavedModel, .keras file, metrics, card and pictures",
        (
            "export runs/act_logic",
            "export runs/logic0 --others runs/logic1 runs/logic_plain --into saved_models",
            "export runs/neural_gpu_copy --lengths 41 401 --examples 1000",
            "export runs/sum/seed-0 --ensemble runs/sum/seed-1 runs/sum/seed-2",
        ),
        options.export,
    ),
    Command(
        "demo",
        do.demo,
        "Let pretrained models answer, train a small network, and draw a picture",
        (
            "demo",
            "demo --out pictures --examples 500",
        ),
        options.demo,
    ),
)


def parser():
    """The parser of the command line."""
    top = Parser(
        prog=PROGRAM, description="Keras networks that decide for each input how long to think."
    )
    top.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    top.commands = commands.choices
    for command in COMMANDS:
        command.add_to(commands)
    return top
