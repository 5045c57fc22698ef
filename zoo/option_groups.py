"""Arguments and options that several commands share."""

from . import completion
from .argument_types import number, setting

BACKENDS = ("tensorflow", "jax", "torch")


def numbers(parser, **helps):
    """Give a command options that are numbers, from their Python names to their help."""
    for name, text in helps.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=number, help=text)


def folder(parser, out, resume):
    """Give a command `--out` and `--resume`, with their help."""
    parser.add_argument("--out", help=out)
    parser.add_argument("--resume", action="store_true", help=resume)


def recipe(parser, what):
    """Give a command the argument that names a recipe."""
    parser.add_argument("name", help=what).completer = completion.recipe_names


def model(parser, what, **settings):
    """Give a command the argument that names a pretrained model."""
    parser.add_argument("name", help=what, **settings).completer = completion.model_names


def own_training(parser):
    """Give a command the option that names a training instead of a pretrained model."""
    what = (
        "use the last checkpoint in this folder, written by `train`, instead of a pretrained model"
    )
    parser.add_argument("--run", metavar="FOLDER", help=what)


def limits(parser):
    """Give a command the options that decide how much a loaded model computes."""
    numbers(
        parser,
        max_ponder="largest number of steps per input (networks that halt)",
        epsilon="halt when the halting activations reach 1 - EPSILON (ACT)",
        leaves="leaves of the memory (HAM; default: as in training, or as the input needs)",
        steps_multiplier="steps per symbol (Neural GPU; default: 1)",
    )
    what = "answers that the search keeps (pointer networks, translation; default: 1)"
    parser.add_argument("--beam", type=number, metavar="N", help=what)


def backend(parser):
    """Give a command the option that chooses Keras's backend."""
    parser.add_argument("--backend", choices=BACKENDS, help="Keras backend")


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
            "--variant",
            help="act, pondernet (of pondernet_parity), plain (no halting) or fixed-k (k steps)",
        )
    parser.add_argument(
        "--steps-scale",
        type=number,
        help="multiply the steps of all stages by this (rounded up to whole chunks)",
    )


def ensemble(parser):
    """Give a command the option that averages several trainings."""
    what = "folders of trainings to average with the first (Neural GPU)"
    parser.add_argument("--ensemble", nargs="+", default=[], metavar="RUN", help=what)


def measured_lengths(parser):
    """Give a command the options of measurements of a Neural GPU."""
    parser.add_argument(
        "--long-examples",
        type=number,
        help="examples at each length from 777 digits or 4001 positions on (default: 100)",
    )
    parser.add_argument(
        "--lengths",
        type=number,
        nargs="+",
        metavar="LENGTH",
        help="lengths in digits per number, positions or points (default: those on the card)",
    )
    numbers(parser, seed="seed of the test examples (default: 0)")
