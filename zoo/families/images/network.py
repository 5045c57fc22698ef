"""An adaptive ResNet: an image in, the probabilities of its classes out."""

import keras
import numpy as np

from .... import datasets, evaluation, metrics
from ....models import AdaptiveResNet

# Settings of a recipe -> what `AdaptiveResNet` takes.
HALTING = {"sact": "sact", "act": "act", "fixed": None}


def build(recipe):
    """An `AdaptiveResNet` for images of any size.

    Args:
        recipe: a `Recipe` of a data set of images, whose hyperparameters have `halting`,
            `residual_units`, `channels`, `epsilon`, `halting_bias`, `target_ponder` and
            `global_logit`.
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
        name=recipe.name,
    )


def halting_layers(model):
    """The `ResidualACT` layers of a model, none without halting."""
    return [layer for layer in model.layers if hasattr(layer, "time_penalty_variable")]


def cross_entropy(y_true, y_pred):
    """Of each image: targets (batch, 1), outputs (batch, classes)."""
    return keras.losses.sparse_categorical_crossentropy(y_true[:, 0], y_pred)


class ImageError(metrics.SequenceError):
    """The share of images that are wrong, whose one target has no axis of time."""

    def update_state(self, y_true, y_pred, sample_weight=None):
        """Counts the images of a batch: targets (batch, 1), outputs (batch, classes)."""
        super().update_state(y_true, y_pred[:, None], sample_weight)


class Probe(evaluation.Probe):
    """A model that also tells how many units it took, and where.

    Args:
        model: as of `build`.
    """

    def __init__(self, model):
        outputs = {"outputs": model.outputs[0]}
        for number, layer in enumerate(halting_layers(model)):
            steps, remainder = evaluation.ponder_of(layer)
            outputs |= {f"remainder_{number}": remainder, f"steps_{number}": steps}
        super().__init__(keras.Model(model.inputs[0], outputs, name=f"{model.name}_with_ponder"))
        self.resnet = model

    def __call__(self, inputs):
        """Of images (batch, height, width, channels), as NumPy arrays.

        Returns:
            A dict: `outputs` (batch, 1, classes); `steps` and `remainder`, lists with N and R of
            each block, (batch, height, width) or (batch,); `flops` (batch,); and `plain_flops`,
            those of the network without halting.
        """
        found = super().__call__(inputs)
        blocks = len(found) // 2
        if blocks:
            steps = [np.round(found[f"steps_{number}"]).astype(int) for number in range(blocks)]
            remainder = [found[f"remainder_{number}"] for number in range(blocks)]
        else:
            config = self.resnet.get_config()
            steps = [np.full(len(inputs), config["units"])] * len(config["filters"])
            remainder = [np.zeros(len(inputs))] * len(config["filters"])
        return {
            "outputs": found["outputs"][:, None],
            "steps": steps,
            "remainder": remainder,
            "flops": self.resnet.flops_of(steps, inputs.shape[1:3]),
            "plain_flops": self.resnet.plain_flops(inputs.shape[1:3]),
        }


def ponder_map(answers, size):
    """ρ of all blocks together for each pixel, of what a `Probe` returned for images of a size."""
    return AdaptiveResNet.map_of(answers["steps"], answers["remainder"], size)
