"""Answers of networks with ACT in human form. This module does not load Keras."""

import numpy as np

from .... import datasets
from ....formatting import aligned
from ....numpy_act import NumpyACT


def probe(entry):
    """The network of an entry in NumPy, from the entry's folder."""
    return NumpyACT(entry / "model.keras")


def of_text(recipe, probe, text):
    """A model's answer to an example in human form, a dict as in `of_inputs`."""
    inputs = datasets.task(recipe.dataset).encode(text, **recipe.parameters)
    return of_inputs(recipe, probe, inputs)


def of_inputs(recipe, probe, inputs):
    """A model's answer to one example, in human form.

    Args:
        recipe: the `Recipe` of the model.
        probe: of the model.
        inputs: (1, time, width).

    Returns:
        A dict: `answer`; and lists with an element for each input of the sequence: `inputs` and
        `answers` in human form, `confidence` (the probability of the answer), `ponder_steps` (N)
        and `ponder` (ρ = N + R). At inputs without a question, the answer is `""` and
        the confidence None. `note` says why the answer cannot be right, or what the training did
        not see.

    Raises:
        ValueError: the example contains no question.
    """
    task = datasets.task(recipe.dataset)
    read = task.describe(inputs[0])
    asked = task.asked(inputs[0]) if hasattr(task, "asked") else [True] * len(read)
    if not any(asked):
        raise ValueError(f"nothing is asked of {' '.join(read)!r}: it needs one more input")
    result = probe(inputs)
    outputs = result["outputs"][0]
    answers = [x if real else "" for x, real in zip(task.decode(outputs), asked, strict=True)]
    shares = zip(confidence(outputs), asked, strict=True)
    # The answer is all outputs after the inputs, or else the last output.
    following = [x for x, given in zip(answers, read, strict=True) if not given]
    noted = getattr(task, "note", lambda *_, **__: None)
    note = noted(inputs[0], answers, **recipe.parameters)
    return {
        "answer": " ".join(following) if following else answers[-1],
        "inputs": read,
        "answers": answers,
        "confidence": [round(float(value), 4) if real else None for value, real in shares],
        "ponder_steps": [round(float(value)) for value in result["ponder_steps"][0]],
        "ponder": [round(float(value), 3) for value in result["ponder"][0]],
        **({"note": note} if note else {}),
    }


def confidence(outputs: np.ndarray) -> np.ndarray:
    """The probability of the answer at each step, from probabilities (time, …, classes)."""
    if outputs.shape[-1] == 1:
        return abs(outputs[:, 0] - 0.5) + 0.5
    best = outputs.max(-1)
    return best if best.ndim == 1 else best.prod(-1)


def format_answer(answer):
    """A table with a line for each input, empty at inputs without a question, and the answer."""
    header = ("input", "answer", "steps", "confidence")
    shown = ["" if value is None else f"{value:.1%}" for value in answer["confidence"]]
    columns = (answer["inputs"], answer["answers"], answer["ponder_steps"], shown)
    rows = list(zip(*columns, strict=True))
    rows = [[str(cell) for cell in row] for row in (header, *rows)]
    note = [f"note: {answer['note']}"] if "note" in answer else []
    return "\n".join([*aligned(rows), f"answer: {answer['answer']}", *note])
