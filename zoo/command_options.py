"""The options of each command of the command line."""

from . import completion
from .argument_types import checked_values, lengths, number, tried
from .argument_types import numbers as several
from .option_groups import (
    backend,
    changed_settings,
    ensemble,
    folder,
    limits,
    measured_lengths,
    model,
    numbers,
    own_training,
    recipe,
)
from .search import space
from .settings import PRECISIONS


def train(added):
    """Options of a training."""
    recipe(added, "name of a recipe")
    folder(
        added,
        "folder for the checkpoint and history (default: runs/NAME)",
        "continue from the checkpoint in --out",
    )
    changed_settings(added)
    numbers(
        added,
        seeds="train the first stage with this many seeds and continue with the best (Neural GPU, "
        "HAM, recall)",
        seed="seed of the initial weights and of the data",
    )
    what = "precision of the computation (default: float32); the weights are float32 in any case"
    added.add_argument("--precision", choices=PRECISIONS, help=what)
    what = "start from the weights of the training in this folder; its cells may have fewer units"
    added.add_argument("--weights", metavar="RUN", help=what)
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


def tune(added):
    """Options of a search."""
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
    numbers(
        added,
        trials="number of trials (default: 20; grid and hyperband: all)",
        seeds="trainings per trial, each with its own seed (default: 1)",
    )
    added.add_argument(
        "--objective",
        help="what to minimise on validation data: error (default), ponder, another measured "
        "column, or a weighted sum such as error=1,ponder=0.01",
    )
    folder(
        added,
        "folder for the search (default: runs/NAME_search)",
        "continue the search in --out, if there is one",
    )
    changed_settings(added)
    numbers(
        added,
        seed="seed of the search method (default: 0)",
        examples="examples per measurement (default: 1000)",
    )
    backend(added)


def study(added):
    """Options of a study."""
    recipe(added, "name of a recipe of parity, logic, addition or sorting")
    folder(
        added,
        "folder for the study (default: runs/NAME_study)",
        "continue the study in --out, or redraw a finished one",
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
            option, type=several, metavar="VALUES", help=f"{text} (default: {default})"
        )
    changed_settings(added, variant=False)
    numbers(
        added,
        seeds="trainings per setting, each with its own seed (default: 3)",
        examples="examples per measurement (default: 1000)",
    )
    backend(added)


def evaluate(added):
    """Options of an evaluation."""
    model(added, "name of a pretrained model", nargs="?")
    own_training(added)
    numbers(
        added,
        examples="number of examples (default: 10000, with --within 1000)",
        seed="seed of the examples",
        batch_size="examples in each call (default: chosen by the model; 1 with --within)",
        bits="digits of each number (Neural GPU)",
        side="pixels of each side of an image (images)",
    )
    limits(added)
    added.add_argument(
        "--within",
        type=number,
        metavar="SECONDS",
        help="time limit of each call of the model (networks that halt)",
    )
    what = "which split to measure on (default: test)"
    added.add_argument("--split", choices=("test", "validation"), default="test", help=what)
    added.add_argument(
        "--length",
        type=lengths,
        help="length of the input in positions, vectors, operations or points; 65:128 is a range",
    )
    what = "measure the examples of this file, in the text format of the authors (pointer networks)"
    added.add_argument("--file", help=what)
    added.add_argument(
        "--probe", help="hard inputs that are rarely drawn: carries, ones, zeros, powers or unequal"
    )
    backend(added)


def verify(added):
    """Options of a verification."""
    names = added.add_argument(
        "names", nargs="*", metavar="NAME", help="pretrained models (default: all)"
    )
    names.completer = completion.model_names
    numbers(
        added,
        examples="most examples per measurement (default: as many as were published)",
        seconds="time limit of each measurement (default: 60)",
        seed="seed of the examples (default: random, and printed)",
    )
    added.add_argument(
        "--quick", action="store_true", help="at most 200 examples and 5 seconds per measurement"
    )
    added.add_argument(
        "--out",
        help="file for the results; entries that it already contains are not measured again",
    )
    added.add_argument("--entries", help="folder of the models (default: those of the package)")
    backend(added)


def predict(added):
    """Options of a question."""
    model(added, "name of a pretrained model", nargs="?")
    what = "the input, as in the examples below and on the model's card (of a binary number, also "
    what += "in decimal digits)"
    added.add_argument("example", nargs="?", help=what)
    own_training(added)
    limits(added)
    backend(added)


def plot(added):
    """Options of a picture."""
    model(added, "name of a pretrained model", nargs="?")
    own_training(added)
    added.add_argument(
        "example", nargs="?", help="an input (default: draw error and ponder against difficulty)"
    )
    added.add_argument(
        "--out",
        help="file to write, .png, .svg or .pdf (default: NAME.png); for a Neural GPU the "
        "animation, .gif (default: NAME.gif), with a sheet of stills beside it",
    )
    added.add_argument("--input", help="the example, given as an option")
    numbers(added, examples="examples per point (default: 1000)", seed="seed of the examples")
    backend(added)


def segment(added):
    """Options of a segmentation."""
    model(added, "name of a pretrained model that reads text")
    added.add_argument("text", help="the text, in UTF-8")
    added.add_argument(
        "--by",
        choices=("ponder", "loss", "entropy"),
        default="ponder",
        help="signal (default: ponder)",
    )
    numbers(added, height="smallest height of a peak (default: chosen on validation data)")
    backend(added)


def measure(added):
    """Options of measurements at many lengths."""
    added.add_argument("run", help="folder of the training")
    ensemble(added)
    added.add_argument(
        "--examples", type=number, default=1000, help="examples per length (default: 1000)"
    )
    measured_lengths(added)
    backend(added)


def export(added):
    """Options of an entry."""
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
    numbers(
        added, examples="examples per measurement (default: what suits the network; ACT: 10000)"
    )
    measured_lengths(added)


def demo(added):
    """Options of the demonstration."""
    added.add_argument("--out", default=".", help="folder for the picture (default: here)")
    added.add_argument(
        "--examples",
        type=number,
        default=1000,
        help="examples per pretrained model (default: 1000)",
    )
