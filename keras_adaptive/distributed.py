"""Training on several devices or machines with TensorFlow's strategies.

On one machine, use `model.fit` under `tf.distribute.MirroredStrategy`. With one process for each
machine Keras's `fit` fails, and `fit` of this module replaces it.
"""

from typing import Any

import keras

from . import arguments
from .types import Tensor


def replicas() -> int:
    """How many copies of a model take each training step together: 1 without a strategy."""
    if keras.config.backend() != "tensorflow":
        return 1
    import tensorflow as tf

    return tf.distribute.get_strategy().num_replicas_in_sync


def share_of(loss: Tensor) -> Tensor:
    """The share of a replica's loss in the loss of all, whose gradients are summed.

    Args:
        loss: scalar, a mean over the examples of one replica.

    Returns:
        A scalar. The sum over all replicas is the mean over all examples, if each replica has as
        many.
    """
    count = replicas()
    return loss if count == 1 else loss / count


def fit(model: keras.Model, batches: Any, epochs: int = 1) -> dict[str, list[float]]:
    """Trains a model that was made in the scope of a `tf.distribute` strategy.

    For `tf.distribute.MultiWorkerMirroredStrategy`, under which `model.fit` of Keras 3 fails
    (keras-team/keras#20585); it does the same under any other strategy whose replicas take their
    steps together. Every process calls it with the same arguments, and ends with the same weights.
    Callbacks are left to the caller: call it once for each epoch.

    Args:
        model: a compiled, built `keras.Model` on TensorFlow, made in the strategy's scope.
        batches: a `tf.data.Dataset` of what `model.fit` takes, `(x, y)` or `(x, y, sample_weight)`,
            in batches that are divided among the replicas. The size of a batch must be a multiple
            of the number of replicas.
        epochs: integer >= 1, how often to go through `batches`.

    Returns:
        A dict from names to lists with a value for each epoch, as `model.fit(...).history`.

    Raises:
        ValueError: another backend than TensorFlow, or a model that is not compiled or not built.

    Example:

    >>> import tensorflow as tf
    >>> strategy = tf.distribute.get_strategy()  # a MultiWorkerMirroredStrategy()
    >>> with strategy.scope():
    ...     model = keras.Sequential(
    ...         [keras.Input((2, 3)), keras_adaptive.layers.ACTRNN(keras.layers.SimpleRNNCell(4))]
    ...     )
    ...     model.compile("sgd", "mse")
    >>> examples = np.ones((8, 2, 3), "float32"), np.zeros((8, 4), "float32")
    >>> batches = tf.data.Dataset.from_tensor_slices(examples).batch(4)
    >>> history = keras_adaptive.distributed.fit(model, batches, epochs=2)
    >>> len(history["loss"]), history["loss"][1] < history["loss"][0]
    (2, True)
    """
    if keras.config.backend() != "tensorflow":
        raise ValueError(
            "`distributed.fit` is for the TensorFlow backend; on JAX `keras.distribution` does it. "
            f"Received: the backend {keras.config.backend()!r}"
        )
    arguments.instance("model", model, keras.Model, "a Keras model")
    epochs = arguments.integer("epochs", epochs, least=1)
    if not model.compiled or not model.built:
        raise ValueError(
            "Argument `model` must be compiled and built. "
            f"Received: compiled={model.compiled}, built={model.built}"
        )
    import tensorflow as tf

    arguments.instance("batches", batches, tf.data.Dataset, "a `tf.data.Dataset`")
    strategy = model.distribute_strategy
    # Built again, a LossScaleOptimizer would make its variables anew.
    if not model.optimizer.built:
        with strategy.scope():
            model.optimizer.build(model.trainable_variables)

    @tf.function
    def step(data):
        return strategy.run(model.train_step, args=(data,))

    shared = strategy.experimental_distribute_dataset(batches)
    history: dict[str, list[float]] = {}
    for _ in range(epochs):
        model.reset_metrics()
        logs = None
        for data in shared:
            logs = step(data)
        if logs is None:
            arguments.refuse("batches", batches, "a dataset with at least one batch")
        # Outside of the replicas, a metric has the numbers of all of them. Anything else, such as
        # τ, is the same in all replicas.
        last = {name: strategy.experimental_local_results(log)[0] for name, log in logs.items()}
        for name, value in {**last, **model.get_metrics_result()}.items():
            history.setdefault(name, []).append(float(value))
    return history
