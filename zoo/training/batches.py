"""Training batches for Keras, one chunk of steps after the other."""

import keras

from ... import datasets
from .. import families


class Feed(keras.utils.PyDataset):
    """The batches of the chunk that begins at training step `start`.

    Batch i of the chunk is batch `start + i` of the endless stream, so a resumed training sees
    what it would have seen.

    Args:
        recipe: a `Recipe`.
        seed: of the stream.
        stage: the `Stage`.
        level: the value that the stage's curriculum has reached, if it has one.
    """

    def __init__(self, recipe, seed, stage, level=None):
        super().__init__()
        self.recipe = recipe
        self.family = families.of(recipe)
        self.seed = seed
        self.stage = stage
        self.level = level
        self.start = 0

    def __len__(self):
        return self.stage.chunk

    def __getitem__(self, index):
        index = self.start + index
        recipe = self.recipe
        parameters = recipe.parameters_at(self.stage, self.level, index)
        batch = datasets.batch(
            recipe.dataset, recipe.batch_size, seed=self.seed, index=index, **parameters
        )
        return self.family.training_batch(batch, parameters)

    def for_fit(self):
        """This feed as `fit` takes it.

        TensorFlow would read the shapes off the first batches, which may have one length by
        chance; it is told that the length is free.
        """
        if keras.backend.backend() != "tensorflow":
            return self
        import tensorflow as tf

        signature = tuple(
            tf.TensorSpec((None, None, *array.shape[2:]), array.dtype) for array in self[0]
        )

        def batches():
            for index in range(len(self)):
                yield self[index]

        data = tf.data.Dataset.from_generator(batches, output_signature=signature)
        return data.apply(tf.data.experimental.assert_cardinality(len(self))).prefetch(8)
