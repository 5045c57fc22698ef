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


def list_command(arguments):
    from . import recipes, store

    entries = {name: store.results(name) for name in store.names()}
    untrained = [name for name in recipes.names() if name not in entries]
    data = {
        "models": [
            {key: found[key] for key in ("model", "dataset", "sequence_error", "ponder_steps")}
            for found in entries.values()
        ],
        "recipes": recipes.names(),
    }
    lines = [report(found) for found in entries.values()]
    lines += [f"{name}: a recipe, not trained yet" for name in untrained]
    answer(arguments, data, "\n".join(lines))


def train_command(arguments):
    from .evaluate import evaluate_run
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
    note(f"{run.position.step} steps done; evaluating")
    found = evaluate_run(run, arguments.examples)
    note(export_hint(out))
    answer(arguments, found, report(found))


def go_on(arguments):
    """The command that resumes an interrupted training."""
    backend = f" --backend {arguments.backend}" if arguments.backend else ""
    return f"{PROGRAM} train {arguments.name} --resume --out {arguments.out}{backend}"


def evaluate_command(arguments):
    from . import store
    from .evaluate import evaluate

    if arguments.run:
        from .run import restore

        run = restore(arguments.run, {"recipe": arguments.name})
        model, recipe = run.model, run.recipe
    else:
        limits = {"max_ponder": arguments.max_ponder, "epsilon": arguments.epsilon}
        model, recipe = store.load(arguments.name, **limits), store.recipe(arguments.name)
    found = evaluate(model, recipe, arguments.examples, arguments.seed, arguments.split)
    answer(arguments, found, report(found))


def predict_command(arguments):
    from . import store

    found = store.predict(arguments.name, arguments.input)
    answer(arguments, found, spoken(found))


def plot_command(arguments):
    from .. import plots
    from . import store
    from .evaluate import against_difficulty

    out = Path(arguments.out or f"{arguments.name}.png")
    if arguments.input:
        found = store.predict(arguments.name, arguments.input)
        plots.ponder_along_sequence(out, [found], arguments.name)
        data = {"model": arguments.name, "picture": str(out), "ponder": found["ponder"]}
    else:
        recipe = store.recipe(arguments.name)
        rows = against_difficulty(
            store.load(arguments.name), recipe, arguments.examples, arguments.seed
        )
        plots.ponder_against_difficulty(
            out, {arguments.name: rows}, recipe.figure.label, arguments.name
        )
        data = {"model": arguments.name, "picture": str(out), "rows": rows}
    answer(arguments, data, str(out))


def export_command(arguments):
    from .export import export

    path = export(arguments.run, arguments.into, arguments.others, arguments.examples)
    answer(arguments, {"model": path.name, "folder": str(path)}, str(path))


def demo_command(arguments):
    from .demo import demo

    found = demo(arguments.out, arguments.examples)
    answer(arguments, found, found["text"])


def report(found):
    """The numbers of an evaluation in one line."""
    low, high = found["confidence_interval"]
    return (
        f"{found['model']}: sequence error {found['sequence_error']:.2%} "
        f"({low:.2%} to {high:.2%}, {found['examples']} examples), "
        f"ponder {found['ponder']:.2f}, steps {found['ponder_steps']:.2f}"
    )


def spoken(found):
    """An answer to one example as a table, with a line for each input."""
    header = ("input", "answer", "steps", "confidence")
    shown = [f"{value:.1%}" for value in found["confidence"]]
    rows = list(zip(found["inputs"], found["answers"], found["ponder_steps"], shown, strict=True))
    rows = [[str(cell) for cell in row] for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.rjust, row, widths)) for row in rows]
    return "\n".join([*lines, f"answer: {found['answer']}"])


def export_hint(out):
    """What to do with a finished training."""
    return f"publish it with: {PROGRAM} export {out} (with the TensorFlow backend)"


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

    command(
        "list", list_command, "List the pretrained models and the recipes", "list", "list --json"
    )

    added = command(
        "train",
        train_command,
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
    backend(added)
    added.add_argument("--jit", choices=("auto", "on", "off"), default="auto", help="XLA")
    added.add_argument("--examples", type=int, default=10_000, help="of the evaluation at the end")
    added.set_defaults(go_on=go_on)

    added = command(
        "evaluate",
        evaluate_command,
        "Measure a model on fresh examples",
        "evaluate act_parity --examples 10000 --seed 7 --json",
        "evaluate act_logic --max-ponder 5",
        "evaluate act_logic --run runs/act_logic --split validation",
    )
    added.add_argument("name", help="name of a pretrained model, or of a recipe with --run")
    added.add_argument("--run", help="folder of a training, to measure its last checkpoint")
    added.add_argument("--examples", type=int, default=10_000, help="default: 10000")
    added.add_argument("--seed", type=int, help="of the examples")
    added.add_argument("--split", choices=("test", "validation"), default="test")
    added.add_argument("--max-ponder", type=int, help="the most steps for each input")
    added.add_argument("--epsilon", type=float, help="what may be missing from 1 at a halt")
    backend(added)

    added = command(
        "predict",
        predict_command,
        "Ask a model about one example in human form",
        'predict act_addition "12+345+6"',
        'predict act_parity "+-0+" --json',
        'predict act_logic "1 0 AND XOR; 1 NOR"',
        'predict act_sort "0.3 -1.2 0.8"',
    )
    added.add_argument("name", help="name of a pretrained model")
    added.add_argument("input", help="the example, in the human form of its task")
    backend(added)

    added = command(
        "plot",
        plot_command,
        "Draw error and ponder against difficulty, or ponder along one sequence",
        "plot act_logic --out logic.png",
        'plot act_addition --input "12+345+6" --out sum.svg',
    )
    added.add_argument("name", help="name of a pretrained model")
    added.add_argument("--out", help="file to write, .png, .svg or .pdf (default: NAME.png)")
    added.add_argument("--input", help="one example in human form, instead of difficulty")
    added.add_argument("--examples", type=int, help="sequences for each point (default: 1000)")
    added.add_argument("--seed", type=int, help="of the examples")
    backend(added)

    added = command(
        "export",
        export_command,
        "Write the entry of a training: SavedModel, .keras, numbers, card and pictures",
        "export runs/act_logic",
        "export runs/logic0 --others runs/logic1 runs/logic_plain --into saved_models",
    )
    added.add_argument("run", help="folder of the training to publish")
    added.add_argument(
        "--others", nargs="*", default=[], help="folders of other seeds and of those without ACT"
    )
    added.add_argument("--into", default="saved_models", help="default: saved_models")
    added.add_argument("--examples", type=int, default=10_000, help="default: 10000")

    added = command(
        "demo",
        demo_command,
        "Train a small network, question the pretrained ones, and draw a picture",
        "demo",
        "demo --out pictures --examples 500",
    )
    added.add_argument("--out", default=".", help="folder for the picture (default: here)")
    added.add_argument("--examples", type=int, default=1000, help="for each pretrained model")
    return top


def backend(parser):
    """Give a command the option that chooses Keras's backend."""
    parser.add_argument("--backend", choices=("tensorflow", "jax", "torch"), help="of Keras")


if __name__ == "__main__":
    sys.exit(main())
