"""The same computations on whichever backend Keras runs."""

import keras
import numpy as np
from keras import ops

from keras_adaptive.backend import last_chunk
from keras_adaptive.layers import ACTRNN
from keras_adaptive.losses import SequenceLoss
from keras_adaptive.metrics import SequenceError
from keras_adaptive.models import AdaptiveModel
from known_attention import ReadsItself, attention_layer
from known_automata import AUTOMATA, automaton
from known_layers import CELLS, act_layer, ragged_mask, sequences
from known_neural_gpu import VARIANTS, batch_of, examples, neural_gpu_layer

BATCH, TIME, FEATURES, UNITS, MAX_PONDER = 4, 3, 2, 3, 7
# On the others Keras computes in float32 even when asked for more.
DTYPE = "float64" if keras.config.backend() == "tensorflow" else "float32"


def compute(name):
    """A dict of arrays: of a cell, of a variant of the Neural GPU, or of a function below."""
    if name in CELLS:
        return _layer(name)
    if name in VARIANTS:
        return _neural_gpu(name)
    of = {"attention": _attention, "automata": _automata, "fit": _training, "masks": _masks}
    return of[name]()


def known(cell):
    """The layer that is computed, its weights, input and mask."""
    layer, weights = act_layer(
        cell, FEATURES, UNITS, seed=1, bias=-1.5, dtype=DTYPE, max_ponder=MAX_PONDER
    )
    return layer, weights, sequences(BATCH, TIME, FEATURES), ragged_mask(BATCH, TIME)


def _layer(cell):
    """Values and gradients of a layer, as `references.act_batch` has them."""
    layer, _, x, mask = known(cell)
    return _of_layer(layer, x, mask)


def known_attention():
    """The layer that reads its own input, its weights, input and mask."""
    layer, weights = attention_layer(
        "LSTMCell", FEATURES, FEATURES, 3, dtype=DTYPE, max_ponder=MAX_PONDER, make=ReadsItself
    )
    return layer, weights, sequences(BATCH, TIME, FEATURES), ragged_mask(BATCH, TIME)


def _attention():
    layer, _, x, mask = known_attention()
    return _of_layer(layer, x, mask)


def _of_layer(layer, x, mask):
    x = x.astype(DTYPE)
    (loss, (y, states, ponder)), gradients = _value_and_gradients(layer, x, mask)
    results = {"loss": loss, "y": y, "N": ponder["steps"], "R": ponder["remainder"]}
    results.update({f"s{i}": state for i, state in enumerate(states)})
    results.update({f"gradient{i}": gradient for i, gradient in enumerate(gradients)})
    return {name: ops.convert_to_numpy(value) for name, value in results.items()}


def known_neural_gpu(variant):
    """The layer that is computed, its weights, and its examples."""
    layer, weights = neural_gpu_layer(seed=3, dtype=DTYPE, **VARIANTS[variant])
    return layer, weights, examples([3, 2])


def _neural_gpu(variant):
    """Values and gradients of a layer, as `known_neural_gpu.expected` has them."""
    layer, _, sequences = known_neural_gpu(variant)
    symbols = batch_of(sequences)[0].astype("int32")
    (loss, (column, images)), gradients = _value_and_gradients(
        layer, symbols, loss=_loss_of_neural_gpu, return_images=True
    )
    results = {"loss": loss, "column": column, "images": images}
    results.update({f"gradient{i}": gradient for i, gradient in enumerate(gradients)})
    return {name: ops.convert_to_numpy(value) for name, value in results.items()}


def _automata():
    symbols = batch_of(examples([17, 40]))[0]
    return {name: np.array(automaton(name)(symbols)) for name in AUTOMATA}


def _loss(result, losses):
    y, *states, ponder = result
    loss = ops.sum(y**2) + sum(ops.sum(state**2) for state in states)
    return loss + sum(losses), (y, states, ponder)


def _loss_of_neural_gpu(result, losses):
    column = result[0]
    return ops.sum(column**2) + sum(ops.cast(one, column.dtype) for one in losses), result


def _value_and_gradients(layer, x, mask=None, loss=_loss, **arguments):
    """Of the loss in the trainable weights, and in `x` unless it is integers."""
    backend = keras.config.backend()
    arguments = {**arguments, "mask": mask, "training": True}
    is_float = x.dtype.kind == "f"
    x = ops.convert_to_tensor(x)
    if backend == "tensorflow":
        import tensorflow as tf

        @tf.function
        def run(x):
            with tf.GradientTape() as tape:
                tape.watch([x] * is_float)
                value, results = loss(layer(x, **arguments), layer.losses)
            weights = [variable.value for variable in layer.trainable_variables]
            gradients = tape.gradient(value, [*weights, *[x] * is_float])
            return (value, results), [tf.convert_to_tensor(gradient) for gradient in gradients]

        return run(x)
    if backend == "jax":
        import jax

        fixed = [variable.value for variable in layer.non_trainable_variables]

        def run(weights, x):
            result, _, losses = layer.stateless_call(
                weights, fixed, x, return_losses=True, **arguments
            )
            return loss(result, losses)

        weights = [variable.value for variable in layer.trainable_variables]
        sources = (0, 1) if is_float else (0,)
        value, gradients = jax.jit(jax.value_and_grad(run, sources, has_aux=True))(weights, x)
        return value, [*gradients[0], *gradients[1:]]
    x = x.detach().requires_grad_(is_float)
    value, results = loss(layer(x, **arguments), layer.losses)
    value.backward()
    gradients = [variable.value.grad for variable in layer.trainable_variables]
    detach = lambda x: x.detach()  # noqa: E731
    return keras.tree.map_structure(detach, (value, results)), [*gradients, *[x.grad] * is_float]


def _training():
    """What `fit` logs and learns, with an automatic time penalty, a mask and a limit."""
    inputs = keras.Input((None, FEATURES))
    hidden = keras.layers.Masking()(inputs)
    hidden = ACTRNN(
        keras.layers.LSTMCell(UNITS),
        max_ponder=5,
        target_ponder=2.0,
        return_sequences=True,
        name="act",
    )(hidden)
    outputs = keras.layers.Dense(1, activation="sigmoid")(hidden)
    model = AdaptiveModel(inputs, outputs)
    rng = np.random.default_rng(0)
    model.set_weights(
        [rng.normal(size=w.shape) * 0.5 if w.ndim else w for w in model.get_weights()]
    )
    model.compile(keras.optimizers.Adam(0.01), SequenceLoss(), weighted_metrics=[SequenceError()])
    x, mask = sequences(6, TIME, FEATURES).astype("float32"), ragged_mask(6, TIME)
    x[~mask] = 0.0
    y = rng.integers(0, 2, size=(6, TIME))
    arguments = {"sample_weight": mask.astype("float32"), "batch_size": 4, "verbose": 0}
    history = model.fit(x, y, epochs=2, shuffle=False, **arguments).history
    results = {f"history/{name}": np.array(values) for name, values in history.items()}
    results["history/evaluate"] = np.array(model.evaluate(x, y, **arguments))
    results["predictions"] = model.predict(x, verbose=0)
    results.update({f"weight{i}": w for i, w in enumerate(model.get_weights())})
    return results


def _masks():
    """What a model does with the mask of a `Masking` layer, with the same mask given, without."""
    x, y, mask = sequences(6, TIME, FEATURES), np.ones((6, TIME)), ragged_mask(6, TIME)
    x, state = np.where(mask[..., None], x, 0).astype("float32"), np.ones((6, UNITS), "float32")
    results = {}
    for way in ("attached", "given", "without"):
        inputs, start = keras.Input((TIME, FEATURES)), keras.Input((UNITS,))
        masked = keras.layers.Masking()(inputs) if way == "attached" else inputs
        given = {"mask": ops.any(inputs != 0, -1)} if way == "given" else {}
        layer = ACTRNN(keras.layers.GRUCell(UNITS), max_ponder=4, return_sequences=True)
        # Keras fills the argument `mask` of a call with one tensor only; here there are two.
        outputs = layer(masked, initial_state=start, **given)
        outputs = keras.layers.Dense(1, activation="sigmoid")(outputs)
        model = keras.Model([inputs, start], outputs)
        rng = np.random.default_rng(0)
        model.set_weights([rng.normal(size=w.shape) for w in model.get_weights()])
        results[f"outputs/{way}"] = model.predict([x, state], verbose=0)
        model.compile(keras.optimizers.SGD(0.1), SequenceLoss())
        # The loss reads the mask of the outputs, which is not that of the inputs if it was given.
        weights = mask.astype("float32") if way == "given" else None
        loss = model.evaluate([x, state], y, sample_weight=weights, verbose=0)
        results[f"loss/{way}"] = np.array(loss)
    return results


def with_chunks(cell, steps):
    """As `compute`, on JAX, where so many steps are kept for the gradient."""
    kept, last_chunk.KEPT = last_chunk.KEPT, steps
    try:
        return _layer(cell)
    finally:
        last_chunk.KEPT = kept


def with_64_bits(cell):
    """As `compute`, on JAX, where integers have 64 bits unless they are told to have fewer."""
    import jax

    with jax.enable_x64(True):
        return with_chunks(cell, 2)


def bytes_for_the_gradient(max_ponder):
    """What JAX keeps of a layer's call until its gradient is taken."""
    import jax

    layer = ACTRNN(keras.layers.LSTMCell(UNITS), max_ponder=max_ponder)
    x = ops.convert_to_tensor(sequences(BATCH, TIME, FEATURES))
    layer.build(x.shape)
    weights = [variable.value for variable in layer.trainable_variables]
    fixed = [variable.value for variable in layer.non_trainable_variables]
    _, pull_back = jax.vjp(
        lambda weights: layer.stateless_call(weights, fixed, x, training=True)[0], weights
    )
    return sum(tensor.nbytes for tensor in jax.tree.leaves(pull_back))
