"""A network with hierarchical attentive memory: vectors of bits in, vectors of bits out.

A network with a controller answers after its input, up to its own End Of Output; one without ("raw
HAM") answers each operation at once. Measurements take the most probable turns.
"""

import keras
import numpy as np
from keras import ops

from .... import datasets, evaluation, export
from ....baselines import Seq2SeqLSTM, Vectors
from ....ham import DHAM, HAM, Memory
from ....reinforce import ReinforceModel

# Hyperparameters that are arguments of `ReinforceModel`.
OF_TRAINING = (
    "reward",
    "discount",
    "baseline",
    "samples",
    "policy_weight",
    "entropy_bonus",
    "entropy_penalty",
)


def build(recipe):
    """A model from vectors (batch, m, width) to probabilities (batch, outputs, bits).

    The outputs of a soft memory have one more axis, as losses and metrics expect it.

    Args:
        recipe: a `Recipe` whose hyperparameters have `units`, `hidden_units`, `depth`,
            `controller_units` (None: raw HAM), perhaps `priority_gain` (see `enlarge_priority`),
            `accesses_per_output`, `max_outputs`, `soft` (whether it is a `DHAM`), `clipnorm`,
            `beta_2`, what `HAM.on_chunk_begin` needs, and, unless it is soft, any of `OF_TRAINING`.
    """
    settings = recipe.hyperparameters
    sizes = datasets.task(recipe.dataset).sizes(**recipe.parameters)
    units = settings["controller_units"]
    layer = (DHAM if settings["soft"] else HAM)(
        sizes["outputs"],
        None if units is None else keras.layers.LSTMCell(units),
        Memory(settings["units"], settings["hidden_units"], settings["depth"]),
        accesses_per_output=settings["accesses_per_output"],
        max_outputs=tuple(settings["max_outputs"]),
        name="ham",
        **(
            {"entropy_bonus": settings["entropy_bonus"]}
            if settings["soft"]
            else {"seed": recipe.seed}
        ),
    )
    vectors = keras.Input((None, sizes["width"]), name="inputs")
    outputs = layer(vectors)
    if "priority_gain" in settings:
        enlarge_priority(layer, settings["priority_gain"])
    if settings["soft"]:
        bits = keras.layers.Reshape((-1, sizes["outputs"], 1))
        bits.supports_masking = True
        return keras.Model(vectors, bits(outputs), name=recipe.name)
    network = keras.Model(vectors, outputs, name=recipe.name)
    arguments = {name: settings[name] for name in OF_TRAINING if name in settings}
    model = ReinforceModel(network, **arguments, per_target=True, name=recipe.name)
    model.build((None, None, sizes["width"]))
    return model


def enlarge_priority(layer, gain):
    """Multiply the initial weights of EMBED for a vector's first number, a priority.

    From larger numbers a network learns much faster to distinguish priorities such as 0.500 and
    0.503.
    """
    kernel = layer.memory.embed.trainable_variables[0]
    rows = np.ones((kernel.shape[0], 1))
    rows[0] = gain
    kernel.assign(np.array(kernel) * rows)


def seq2seq_lstm(recipe):
    """A sequence-to-sequence LSTM from vectors (batch, m, width) to probabilities.

    Args:
        recipe: a `Recipe` whose hyperparameters have `units`, `num_layers`, `attention`, `dropout`
            and `max_outputs`.
    """
    sizes = datasets.task(recipe.dataset).sizes(**recipe.parameters)
    names = ("units", "num_layers", "attention", "dropout", "max_outputs")
    model = Seq2SeqLSTM(
        Vectors(sizes["width"]),
        Vectors(sizes["outputs"]),
        **{name: recipe.hyperparameters[name] for name in names},
        name=recipe.name,
    )
    model.build()
    return model


class Probe(evaluation.Probe):
    """A model whose output bits have an axis of classes, as losses and metrics expect it."""

    @property
    def num_leaves(self):
        """The number of leaves that the memory has; None if it has as many as there are vectors."""
        memories = [x for x in network_of(self.model).layers if x.name == "ham"]
        return memories[0].num_leaves if memories else None

    def __call__(self, inputs):
        """Outputs for `inputs` (batch, m, width): probabilities (batch, outputs, bits, 1).

        Beside them `leaves`, the size of the memory: m, if the model does not have its own.

        Raises:
            ValueError: the memory of a network with a controller has fewer leaves than vectors.
        """
        size = inputs.shape[1]
        leaves = self.num_leaves or size
        if leaves < size and network_of(self.model).get_layer("ham").controller is not None:
            raise ValueError(
                f"the memory has {leaves} leaves, which are too few for {size} vectors, padding "
                "included"
            )
        outputs = super().__call__(inputs)["outputs"]
        return {
            "outputs": outputs.reshape(*outputs.shape[:3], 1),
            "leaves": np.full(len(inputs), leaves),
        }


def network_of(model):
    """The functional model inside a model that is trained by REINFORCE, or the model itself."""
    return model.network if isinstance(model, ReinforceModel) else model


def serve_vectors(archive, network, width, bits):
    """Give the SavedModel an endpoint from vectors of a width to vectors of bits."""
    def serve(inputs):
        outputs = network(inputs)
        return {"outputs": ops.reshape(outputs, (ops.shape(inputs)[0], -1, bits))}

    export.add_endpoints(archive, serve, (None, None, width))
