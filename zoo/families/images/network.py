"""An adaptive ResNet, from images to the probabilities of their classes."""

import keras
import numpy as np

from .... import datasets, evaluation, metrics
from ....models import AdaptiveResNet

# From the setting `halting` of a recipe to the argument of `AdaptiveResNet`.
HALTING = {"sact": "sact", "act": "act", "fixed": None}


def build(recipe):
    """An `AdaptiveResNet` for images of any size.

    Args:
        recipe: a `Recipe` of a data set of images, whose hyperparameters have `halting`,
            `residual_units`, `channels`, `epsilon`, `halting_bias`, `target_ponder`,
            `global_logit` and `pooling`.
    """
    settings = recipe.hyperparameters
    sizes = datasets.task(recipe.dataset).sizes(**recipe.parameters)
    return AdaptiveResNet(
        (None, None, sizes["channels"]),
        sizes["classes"],
        units=settings["residual_units"],
        filters=settings["channels"],
        halting=HALTING[settings["halting"]],
        epsilon=settings["epsilon"],
        halting_bias=settings["halting_bias"],
        target_ponder=settings["target_ponder"],
        global_logit=settings["global_logit"],
        pooling=settings["pooling"],
        name=recipe.name,
    )


def halting_layers(model):
    """The `ResidualACT` layers of a model; empty for a network without halting."""
    return [layer for layer in model.layers if hasattr(layer, "time_penalty_variable")]


def cross_entropy(y_true, y_pred):
    """The cross-entropy of each image, from targets (batch, 1) and outputs (batch, classes)."""
    return keras.losses.sparse_categorical_crossentropy(y_true[:, 0], y_pred)


class ImageError(metrics.SequenceError):
    """The share of wrong images; images have one target and no time axis."""

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Counts the images of a batch: targets (batch, 1), outputs (batch, classes)."""
        super().update_state(y_true, y_pred[:, None], sample_weight)


class Probe(evaluation.Probe):
    """A model with the number of residual units that each position of an image took.

    Args:
        model: as `build` returns it.
    """

    def __init__(self, model):
        outputs = {"outputs": model.outputs[0]}
        for number, layer in enumerate(halting_layers(model)):
            steps, remainder = evaluation.ponder_of(layer)
            outputs |= {f"remainder_{number}": remainder, f"steps_{number}": steps}
        super().__init__(keras.Model(model.inputs[0], outputs, name=f"{model.name}_with_ponder"))
        self.resnet = model

    def __call__(self, inputs):
        """The answers to images (batch, height, width, channels), as NumPy arrays.

        Returns:
            A dict: `outputs` (batch, 1, classes); `steps` and `remainder`, lists with N and R of
            each block, (batch, height, width) or (batch,); `flops` (batch,); and `plain_flops`,
            those of the network without halting.
        """
        return self._with_flops(super().__call__(inputs), inputs)

    def once(self, inputs):
        """The same answers as a call's, sooner if it is the only one.

        On TensorFlow the graph of a network that saves time has a thousand branches, and takes
        longer to trace than a hundred answers without it.
        """
        if keras.config.backend() != "tensorflow":
            return self(inputs)
        answers = self.model(inputs, training=False)
        answers = {name: np.asarray(values) for name, values in answers.items()}
        return self._with_flops(answers, inputs)

    def _with_flops(self, answers, inputs):
        blocks = len(answers) // 2
        if blocks:
            steps = [np.round(answers[f"steps_{number}"]).astype(int) for number in range(blocks)]
            remainder = [answers[f"remainder_{number}"] for number in range(blocks)]
        else:
            config = self.resnet.get_config()
            steps = [np.full(len(inputs), config["units"])] * len(config["filters"])
            remainder = [np.zeros(len(inputs))] * len(config["filters"])
        return {
            "outputs": answers["outputs"][:, None],
            "steps": steps,
            "remainder": remainder,
            "flops": self.resnet.flops_of(steps, inputs.shape[1:3]),
            "plain_flops": self.resnet.plain_flops(inputs.shape[1:3]),
        }


def ponder_map(answers, size):
    """The sum of ρ over all blocks for each pixel, from the answers of a `Probe`."""
    return AdaptiveResNet.map_of(answers["steps"], answers["remainder"], size)
