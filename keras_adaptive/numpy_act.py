"""A trained network with ACT in NumPy alone, which answers without loading Keras.

Importing Keras and TensorFlow takes many times longer than answering one example. For instance, a
command or a small server that reads a saved model may use this instead.
"""

import io
import json
import zipfile
from pathlib import Path

import h5py
import numpy as np

from . import arguments


class NumpyACT:
    """The network of a `.keras` file, with the same outputs as an `evaluation.PonderProbe`.

    Args:
        path: of a model with a `Masking` layer, one `ACTRNN` that halts by `ACT`, around a
            `SimpleRNNCell` or an `LSTMCell` with Keras's default activations, and one dense layer.

    Raises:
        ValueError: a weight is not a finite number.

    Example:

    ```python
    network = NumpyACT("model.keras")
    network(inputs)["outputs"]   # inputs (1, time, width)
    ```
    """

    def __init__(self, path: str | Path):
        path = arguments.path("path", path)
        with zipfile.ZipFile(path) as archive:
            layers = json.loads(archive.read("config.json"))["config"]["layers"]
            weights = h5py.File(io.BytesIO(archive.read("model.weights.h5")))["layers"]
        kinds = {layer["class_name"]: layer["config"] for layer in layers}
        settings = kinds["ACTRNN"]
        self.padding = kinds["Masking"]["mask_value"]
        self.max_ponder = settings["max_ponder"]
        self.threshold = np.float32(1.0 - settings["epsilon"])
        self.transition = CELLS[settings["cell"]["class_name"]]
        self.cell = _variables(weights["actrnn/cell"], path)
        self.halting_unit = _variables(weights["actrnn/halting_unit"], path)
        head = "einsum_dense" if "EinsumDense" in kinds else "dense"
        self.head = _variables(weights[head], path)

    def __call__(self, inputs: np.ndarray) -> dict[str, np.ndarray]:
        """Outputs, ponder and ponder steps for one example.

        Args:
            inputs: `(1, time, width)`.

        Returns:
            A dict: `outputs` `(1, time, …)`, `ponder` (ρ = N + R) and `ponder_steps` (N)
            `(1, time)`.
        """
        units = self.cell[1].shape[0]
        # The output is the first tensor of the state.
        state = np.zeros((2, units), "float32")
        outputs, steps, ponder = [], [], []
        for x in np.asarray(inputs[0], "float32"):
            taken, remainder = 0, np.float32(0.0)
            if (x != self.padding).any():
                state, taken, remainder = self.ponder(x, state)
            outputs.append(state[0])
            steps.append(taken)
            ponder.append(taken + remainder)
        kernel, bias = self.head
        logits = np.tensordot(np.array(outputs), kernel, 1) + bias
        answers = _sigmoid(logits) if bias.shape == (1,) else _softmax(logits)
        return {
            "outputs": answers[None],
            "ponder": np.array([ponder], "float32"),
            "ponder_steps": np.array([steps], "float32"),
        }

    def ponder(self, x: np.ndarray, state: np.ndarray) -> tuple[np.ndarray, int, float]:
        """Repeats the cell at one input; returns the mean state, N and R (Equations 3 to 9).

        Args:
            x: `(width,)`.
            state: `(2, units)`, the output and the memory of an LSTM.
        """
        kernel, recurrent_kernel, bias = self.cell
        halting_kernel, halting_bias = self.halting_unit
        # The last row has the weights of the flag that is 1 at the first step only.
        from_input = x @ kernel[:-1] + bias
        mean, spent, flag = np.zeros_like(state), np.float32(0.0), kernel[-1]
        for n in range(1, self.max_ponder + 1):
            state = self.transition(from_input + flag + state[0] @ recurrent_kernel, state)
            flag = 0.0
            halting = _sigmoid(state[0] @ halting_kernel + halting_bias)[0]
            if n == self.max_ponder or spent + halting >= self.threshold:
                break
            mean += halting * state
            spent += halting
        remainder = 1 - spent
        return mean + remainder * state, n, remainder


def _simple_rnn(z, state):
    return np.stack([np.tanh(z), state[1]])


def _lstm(z, state):
    i, f, g, o = np.split(z, 4)
    memory = _sigmoid(f) * state[1] + _sigmoid(i) * np.tanh(g)
    return np.stack([_sigmoid(o) * np.tanh(memory), memory])


# Functions of the sum of both matrix products, and of the state, that return the next state.
CELLS = {"SimpleRNNCell": _simple_rnn, "LSTMCell": _lstm}


def _variables(layer, path):
    """The weights of a layer in a file, in order."""
    names = sorted(layer["vars"], key=int)
    variables = [layer["vars"][name][()] for name in names]
    for name, values in zip(names, variables, strict=True):
        if not np.isfinite(values).all():
            raise ValueError(f"the weights {layer.name}/vars/{name} of {path} are not finite")
    return variables


def _sigmoid(x):
    # By tanh, which cannot overflow.
    return 0.5 * (np.tanh(0.5 * x) + 1)


def _softmax(x):
    shares = np.exp(x - x.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)
