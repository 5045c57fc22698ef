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
        path: of a model with a `Masking` layer, one `ACTRNN` that halts by `ACT` and returns
            sequences, around a `SimpleRNNCell` or an `LSTMCell` with Keras's default activations,
            and one dense layer with a sigmoid or a softmax.

    Raises:
        ValueError: the file has another model, or a weight is not a finite number.

    Example:

    ```python
    network = NumpyACT("model.keras")
    network(inputs)["outputs"]   # inputs (1, time, width)
    ```
    """

    def __init__(self, path: str | Path):
        path = arguments.path("path", path)
        try:
            with zipfile.ZipFile(path) as archive:
                layers = json.loads(archive.read("config.json"))["config"]["layers"]
                weights = h5py.File(io.BytesIO(archive.read("model.weights.h5")))["layers"]
        except (zipfile.BadZipFile, KeyError) as error:
            arguments.refuse("path", path, f"of a `.keras` file ({error})")
        masking, settings, cell, dense = _checked(layers, path)
        self.padding = masking["config"]["mask_value"]
        self.max_ponder = settings["config"]["max_ponder"]
        self.threshold = np.float32(1.0 - settings["config"]["epsilon"])
        self.transition = CELLS[cell["class_name"]]
        self.activation = ACTIVATIONS[dense["config"]["activation"]]
        self.cell = _variables(weights["actrnn/cell"], path)
        self.halting_unit = _variables(weights["actrnn/halting_unit"], path)
        head = "einsum_dense" if dense["class_name"] == "EinsumDense" else "dense"
        self.head = _variables(weights[head], path)

    def __call__(self, inputs: np.ndarray) -> dict[str, np.ndarray]:
        """Outputs, ponder and ponder steps for one example.

        Args:
            inputs: `(1, time, width)`.

        Returns:
            A dict: `outputs` `(1, time, …)`, `ponder` (ρ = N + R) and `ponder_steps` (N)
            `(1, time)`.

        Raises:
            ValueError: `inputs` has another shape.
        """
        inputs = np.asarray(inputs, "float32")
        width = len(self.cell[0]) - 1
        if inputs.ndim != 3 or len(inputs) != 1 or inputs.shape[-1] != width:
            arguments.refuse("inputs", inputs, f"numbers of shape (1, time, {width})")
        units = self.cell[1].shape[0]
        # The output is the first tensor of the state.
        state = np.zeros((2, units), "float32")
        outputs, steps, ponder = [], [], []
        for x in inputs[0]:
            taken, remainder = 0, np.float32(0.0)
            if (x != self.padding).any():
                state, taken, remainder = self.ponder(x, state)
            outputs.append(state[0])
            steps.append(taken)
            ponder.append(taken + remainder)
        kernel, bias = self.head
        logits = np.tensordot(np.array(outputs), kernel, 1) + bias
        return {
            "outputs": self.activation(logits)[None],
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


def _sigmoid(x):
    # By tanh, which cannot overflow.
    return 0.5 * (np.tanh(0.5 * x) + 1)


def _softmax(x):
    shares = np.exp(x - x.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


# Functions of the sum of both matrix products, and of the state, that return the next state.
CELLS = {"SimpleRNNCell": _simple_rnn, "LSTMCell": _lstm}
ACTIVATIONS = {"sigmoid": _sigmoid, "softmax": _softmax}
DENSE = ("Dense", "EinsumDense")
LAYERS = f"InputLayer, Masking, ACTRNN, and {' or '.join(DENSE)}"
# The values of settings that change what a layer computes.
OF_ACTRNN = {"halting": ("act",), "return_sequences": (True,), "return_state": (False,)}
PLAIN = dict.fromkeys(("go_backwards", "stateful", "zero_output_for_mask"), (False,))
TANH = {"activation": ("tanh",), "use_bias": (True,)}
ALLOWED = {
    "ACTRNN": {**OF_ACTRNN, **PLAIN},
    "SimpleRNNCell": TANH,
    "LSTMCell": {**TANH, "recurrent_activation": ("sigmoid",)},
    "Dense": {"activation": tuple(ACTIVATIONS), "use_bias": (True,)},
    "EinsumDense": {
        "activation": tuple(ACTIVATIONS),
        "equation": ("btu,uoc->btoc",),
        "bias_axes": ("oc",),
    },
}


def _checked(layers, path):
    """The masking layer, the ACTRNN, its cell and the dense layer of a file, as it has them."""
    # Operations compute the mask that `Masking` has too.
    parts = [layer for layer in layers if layer["class_name"] not in ("NotEqual", "Any")]
    names = [part["class_name"] for part in parts]
    if not any(names == ["InputLayer", "Masking", "ACTRNN", dense] for dense in DENSE):
        arguments.refuse("path", path, f"of a model with the layers {LAYERS}, not {names}")
    masking, settings, dense = parts[1:]
    cell = settings["config"]["cell"]
    if cell["class_name"] not in CELLS:
        arguments.refuse("path", path, f"of a model whose cell is one of {list(CELLS)}")
    for part in (settings, cell, dense):
        for name, allowed in ALLOWED[part["class_name"]].items():
            if part["config"][name] not in allowed:
                which = f"`{name}` of {part['class_name']} is one of {list(allowed)}"
                arguments.refuse("path", path, f"of a model in which {which}")
    return masking, settings, cell, dense


def _variables(layer, path):
    """The weights of a layer in a file, in order."""
    names = sorted(layer["vars"], key=int)
    variables = [layer["vars"][name][()] for name in names]
    for name, values in zip(names, variables, strict=True):
        if not np.isfinite(values).all():
            raise ValueError(f"the weights {layer.name}/vars/{name} of {path} are not finite")
    return variables
