"""The command line: `keras-adaptive list | train | evaluate | predict | plot | export | demo`.

Standard output holds only the answer; progress and messages go to standard error.
"""

import argparse
import contextlib
import json
import os
import sys
from pathlib import Path

PROGRAM = "keras-adaptive"


def main(argv=None):
    """Run the command line.

    Args:
        argv: the arguments; those of the process by default.

    Returns:
        The exit code: 0, 2 after an error, 130 after Ctrl-C.
    """
    arguments = parser().parse_args(argv)
    try:
        choose_backend(getattr(arguments, "backend", None))
        arguments.command(arguments)
    except KeyboardInterrupt as stop:
        print(f"{PROGRAM}: {stop or 'interrupted'}", file=sys.stderr)
        if getattr(arguments, "go_on", None):
            print(f"go on with: {arguments.go_on(arguments)}", file=sys.stderr)
        return 130
    except (ValueError, OSError, FloatingPointError, ImportError) as error:
        text = " ".join(str(error).split())
        print(f"{PROGRAM}: error: {text}", file=sys.stderr)
        return 2
    return 0


def choose_backend(backend):
    """Set Keras's backend, which must happen before Keras is imported."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if backend is None:
        return
    if "keras" in sys.modules:
        loaded = sys.modules["keras"].backend.backend()
        if loaded != backend:
            raise ValueError(f"--backend {backend}: Keras is already loaded with {loaded}")
    os.environ["KERAS_BACKEND"] = backend


def answer(arguments, data, text):
    """Print `data` as JSON, or `text`."""
    print(json.dumps(data, ensure_ascii=False) if arguments.json else text)


def note(text):
    """Tell the person something that is no part of the answer."""
    print(text, file=sys.stderr)


def setting(text):
    """The key and the value of `--set key=value`; the value is JSON, or else a word."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise argparse.ArgumentTypeError(f"expected key=value, received {text!r}")
    with contextlib.suppress(ValueError):
        value = json.loads(value)
    return key, value


def train(arguments):
    from .train import train

    out = arguments.out = Path(arguments.out or Path("runs") / arguments.name)
    run = train(
        arguments.name,
        out,
        resume=arguments.resume,
        seed=arguments.seed,
        overrides=dict(arguments.set),
        variant=arguments.variant,
        steps_scale=arguments.steps_scale,
        jit_compile={"auto": "auto", "on": True, "off": False}[arguments.jit],
    )
    from .evaluate import evaluate_run

    note(f"{run.position.step} steps done; evaluating")
    found = evaluate_run(run, arguments.examples)
    answer(arguments, found, report(found))


def go_on(arguments):
    """The command that resumes an interrupted training."""
    return f"{PROGRAM} train {arguments.name} --resume --out {arguments.out}"


def report(found):
    """The numbers of an evaluation in one line."""
    low, high = found["confidence_interval"]
    return (
        f"{found['model']}: sequence error {found['sequence_error']:.2%} "
        f"({low:.2%} to {high:.2%}, {found['examples']} examples), "
        f"ponder {found['ponder']:.2f}, steps {found['ponder_steps']:.2f}"
    )


def parser():
    """The parser of the command line."""
    top = argparse.ArgumentParser(
        prog=PROGRAM, description="Networks that learn how long to think about each input."
    )
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def command(name, function, description, *examples):
        added = commands.add_parser(
            name,
            help=description[0].lower() + description[1:],
            description=description + ".",
            epilog="examples:\n" + "\n".join(f"  {PROGRAM} {example}" for example in examples),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.add_argument("--json", action="store_true", help="print one JSON object")
        added.set_defaults(command=function)
        return added

    added = command(
        "train",
        train,
        "Train a recipe, or go on with a training",
        "train act_parity --out runs/parity",
        "train act_parity --out runs/parity --resume",
        "train act_logic --backend jax --seed 3 --set time_penalty=0.01",
        "train act_parity --variant plain --steps-scale 0.1",
    )
    added.add_argument("name", help="name of a recipe")
    added.add_argument("--out", help="folder for checkpoint and history (default: runs/NAME)")
    added.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    added.add_argument(
        "--set",
        type=setting,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change a setting of the recipe, such as units=64 or stages.0.steps=1000",
    )
    added.add_argument("--variant", help="act, plain (no ACT) or fixed-k (k steps, no halting)")
    added.add_argument("--seed", type=int, help="of the first weights and of the data")
    added.add_argument("--steps-scale", type=float, help="factor on the steps of all stages")
    added.add_argument("--backend", choices=("tensorflow", "jax", "torch"), help="of Keras")
    added.add_argument("--jit", choices=("auto", "on", "off"), default="auto", help="XLA")
    added.add_argument("--examples", type=int, default=10_000, help="of the evaluation at the end")
    added.set_defaults(go_on=go_on)
    return top


if __name__ == "__main__":
    sys.exit(main())
