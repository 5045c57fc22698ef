"""HAM, DHAM and ReinforceModel on whichever backend Keras runs."""

import keras
import numpy as np
from keras import ops

from keras_adaptive.ham import DHAM, HAM
from keras_adaptive.reinforce import ReinforceModel
from known_ham import FEATURES, OUTPUTS, batch_of, examples, ham_layer, random_path

CASES = {
    "LSTM+HAM": (HAM, {"scale": 0.5, "accesses_per_output": 2}),
    "raw HAM": (HAM, {"scale": 0.5, "controller": None, "empty": "zeros"}),
    "DHAM": (DHAM, {"scale": 0.5}),
}


def known(case):
    """The layer that is computed, its weights, the sequences, and the turns that are given."""
    kind, arguments = CASES[case]
    layer, weights = ham_layer(kind, dtype="float32", **arguments)
    sequences = examples([3, 3])
    path = random_path(layer, batch_of(sequences)) if kind is HAM else None
    return layer, weights, sequences, path


def compute(case):
    """Loss, outputs and gradients of a case, as arrays."""
    return keras.tree.map_structure(ops.convert_to_numpy, _value_and_gradients(case))


def _loss(result):
    """As `known_ham.expected_loss`."""
    outputs, *found = result if isinstance(result, tuple) else (result,)
    log_p = ops.sum(found[0]["log_probability"]) if found else 0.0
    return ops.sum(outputs**2) + log_p, outputs


def _value_and_gradients(case):
    layer, _, sequences, path = known(case)
    inputs = ops.convert_to_tensor(batch_of(sequences).astype("float32"))
    arguments = {} if path is None else {"path": path, "return_path": True}
    if keras.config.backend() == "tensorflow":
        import tensorflow as tf

        with tf.GradientTape() as tape:
            loss, outputs = _loss(layer(inputs, **arguments))
        weights = [variable.value for variable in layer.trainable_variables]
        return loss, outputs, tape.gradient(loss, weights)
    import jax

    fixed = [variable.value for variable in layer.non_trainable_variables]

    def run(weights, inputs):
        return _loss(layer.stateless_call(weights, fixed, inputs, **arguments)[0])

    weights = [variable.value for variable in layer.trainable_variables]
    run = jax.jit(jax.value_and_grad(run, has_aux=True))
    (loss, outputs), gradients = run(weights, inputs)
    return loss, outputs, gradients


def trained():
    """What `fit` logs and learns when the turns are given, as each backend draws others."""
    layer, _ = ham_layer(HAM, dtype="float32", scale=0.5)
    x, path = keras.Input((3, FEATURES)), keras.Input((3, 2), dtype="int32")
    network = keras.Model([x, path], layer(x, path=path))
    model = ReinforceModel(network, samples=2, entropy_bonus=0.1, entropy_decay=0.5)
    model.build((None, None, FEATURES))
    model.baseline_layer.set_weights([np.full((4, 1), 0.5), np.full(1, -1.0)])
    model.compile(keras.optimizers.SGD(0.01), run_eagerly=keras.config.backend() == "tensorflow")
    inputs = batch_of(examples([3, 2, 3, 1])).astype("float32")
    y = np.random.default_rng(0).integers(0, 2, size=(4, 3, OUTPUTS))
    turns = random_path(layer, inputs)
    history = model.fit([inputs, turns], y, batch_size=2, shuffle=False, verbose=0).history
    results = {f"history/{name}": np.array(values) for name, values in history.items()}
    results["entropy_bonus"] = np.array(model.entropy_bonus)
    results.update({f"weight{i}": w for i, w in enumerate(model.get_weights())})
    drawn = HAM(OUTPUTS, keras.layers.LSTMCell(4), seed=1)
    drawn_model = ReinforceModel(drawn, baseline="leave_one_out", samples=4)
    drawn_model.compile("adam", run_eagerly=keras.config.backend() == "tensorflow")
    # What is drawn cannot be compared; that it is drawn anew at every step can.
    logs = [drawn_model.fit(inputs[:2], y[:2], verbose=0).history for _ in range(2)]
    results["drawn anew"] = np.array(logs[0]["log_probability"] != logs[1]["log_probability"])
    return results
