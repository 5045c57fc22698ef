"""Models with everything that can be measured about an answer."""

import keras
import numpy as np

from .. import arguments
from ..types import Tensor


def ponder_of(layer: keras.layers.Layer) -> tuple[Tensor, Tensor]:
    """The numbers of steps N and the remainders R of a layer in a functional model, symbolic.

    Args:
        layer: an adaptive layer that was made with `return_ponder=True`, and called once.

    Returns:
        A pair of symbolic tensors.
    """
    arguments.instance("layer", layer, keras.layers.Layer, "a layer that returns its ponder")
    if not getattr(layer, "return_ponder", False):
        arguments.refuse("layer", layer, "a layer that returns its ponder")
    # A symbolic output is flat, and the entries of a dict are in the order of their names.
    *_, remainder, steps = keras.tree.flatten(layer.output)
    return steps, remainder


class Probe:
    """A model that answers in NumPy arrays, with everything that it returns about an answer.

    Args:
        model: a `keras.Model` that returns a tensor, which is called `outputs`, or a dict of them.
    """

    def __init__(self, model: keras.Model):
        self.model = arguments.instance("model", model, keras.Model, "a Keras model")

    def __call__(self, inputs: Tensor) -> dict[str, np.ndarray]:
        """The answers to a batch of inputs, a dict of arrays."""
        answers = self.model.predict_on_batch(inputs)
        answers = answers if isinstance(answers, dict) else {"outputs": answers}
        return {name: keras.ops.convert_to_numpy(value) for name, value in answers.items()}


class PonderProbe(Probe):
    """A functional model with the ponder of one adaptive layer as further outputs.

    It returns a dict of `outputs`, `ponder` (ρ = N + R) and `ponder_steps` (N).

    Args:
        model: a functional model with one output.
        layer: name of its adaptive layer, which returns its ponder; by default the only such layer.

    Raises:
        ValueError: if there is no such layer, or several.
    """

    def __init__(self, model: keras.Model, layer: str | None = None):
        arguments.instance("model", model, keras.Model, "a functional Keras model")
        if arguments.text("layer", layer, none=True) is None:
            names = [x.name for x in model.layers if getattr(x, "return_ponder", False)]
            if len(names) != 1:
                arguments.refuse("model", names, "a model with one layer that returns its ponder")
            (layer,) = names
        steps, remainder = ponder_of(model.get_layer(layer))
        outputs = {
            "outputs": model.outputs[0],
            "ponder": steps + remainder,
            "ponder_steps": steps,
        }
        inputs = model.inputs[0] if len(model.inputs) == 1 else model.input
        super().__init__(keras.Model(inputs, outputs, name=f"{model.name}_with_ponder"))
