"""Baselines with known weights on whichever backend Keras runs."""

from typing import NamedTuple

import keras
import numpy as np
from keras import ops

import references_baselines as references
from keras_adaptive.baselines import NextSymbolRNN, Seq2SeqLSTM, StackRNNCell, Symbols, Vectors
from keras_adaptive.losses import SequenceLoss
from keras_adaptive.metrics import SequenceError

# On the others Keras computes in float32 even when asked for more.
DTYPE = "float64" if keras.config.backend() == "tensorflow" else "float32"
UNITS, STACKS, BATCH, LENGTH, STEPS = 3, 2, 6, 4, 3
LENGTHS = np.array([3, 1, 2, 3, 3, 2])  # of the targets


class Case(NamedTuple):
    """A model as a function of its dtype, and its reference as a function of its weights."""

    make: object
    network: object
    hole: bool = False
    seed: int = 0  # with which what is generated has several lengths


def _stack_rnn(dtype, **kwargs):
    cell = StackRNNCell(UNITS, num_stacks=STACKS, dtype=dtype, **kwargs)
    return NextSymbolRNN(cell, Symbols(5), Symbols(3), max_outputs=(2, 1), dtype=dtype)


CASES = {
    "attention": Case(
        lambda dtype: Seq2SeqLSTM(
            Symbols(5), Symbols(3), UNITS, 2, max_outputs=(2, 1), dtype=dtype
        ),
        lambda weights: references.seq2seq(weights, 2, True, references.softmax),
        seed=14,
    ),
    "vectors without attention": Case(
        lambda dtype: Seq2SeqLSTM(
            Vectors(2, padding=9.0),
            Vectors(3),
            UNITS,
            1,
            attention=False,
            max_outputs=(2, 1),
            reverse_inputs=True,
            dtype=dtype,
        ),
        lambda weights: _reversed(references.seq2seq(weights, 1, False, references.sigma)),
        seed=1,
    ),
    "stack RNN": Case(
        lambda dtype: _stack_rnn(dtype, stack_depth=None),
        lambda weights: references.stack_rnn(weights, STACKS, 2, None, 5, references.softmax),
        seed=17,
    ),
    "recurrent stack RNN of two numbers": Case(
        lambda dtype: _stack_rnn(dtype, stack_depth=2, read_depth=1, recurrent=True),
        lambda weights: references.stack_rnn(weights, STACKS, 1, 2, 5, references.softmax, True),
        hole=True,
        seed=8,
    ),
}


def _reversed(network):
    return lambda x: network(x[::-1])


def known(name, dtype=DTYPE):
    """A model with large random weights, and these as the references want them."""
    model = CASES[name].make(dtype)
    model.build((None, None))
    rng = np.random.default_rng(CASES[name].seed)
    variables = variables_of(model)
    for variable in variables:
        variable.assign(rng.normal(size=variable.shape) * 1.2)
    return model, [ops.convert_to_numpy(variable).astype("float64") for variable in variables]


def variables_of(model):
    """The variables in the order of the references."""
    if isinstance(model, NextSymbolRNN):
        cell = model.cell
        variables = [cell.kernel, cell.stack_kernel, cell.push_kernel, cell.action_kernel]
        variables += [cell.recurrent_kernel] if cell.recurrent else []
    else:
        variables = [model.source_embedding.kernel, model.target_embedding.kernel]
        for cell in [*[layer.cell for layer in model.encoder], *model.decoder]:
            variables += [cell.kernel, cell.recurrent_kernel, cell.bias]
        if model.attention:
            reader = model.reader
            variables += [reader.memory_kernel, reader.query_kernel, reader.score_kernel]
    assert len(variables) + 2 == len(model.trainable_variables)
    return [*variables, model.head.kernel, model.head.bias]


def examples(name):
    """Inputs, targets, and the mask of the inputs (None, if their padding says it all)."""
    rng = np.random.default_rng(1)
    model = CASES[name].make("float32")
    lengths = np.array([4, 1, 2, 3, 4, 4])
    present = np.arange(LENGTH) < lengths[:, None]
    if isinstance(model.source, Symbols):
        inputs = rng.integers(0, 5, (BATCH, LENGTH)).astype("int32")
        targets = rng.integers(1, 3, (BATCH, STEPS)).astype("int32")
        targets[np.arange(BATCH), LENGTHS - 1] = 0
    else:
        inputs = rng.normal(size=(BATCH, LENGTH, 2)).astype("float32")
        targets = rng.integers(0, 2, (BATCH, STEPS, 3)).astype("int32")
        targets[:, :, -1] = 0
        targets[np.arange(BATCH), LENGTHS - 1, -1] = 1
    if CASES[name].hole:
        present[0, 1] = False
        return inputs, targets, present
    inputs[~present] = model.source.padding
    return inputs, targets, None


def vectors(name):
    """The examples as the references want them: a list of inputs without padding, and targets."""
    inputs, targets, mask = examples(name)
    if targets.ndim == 2:
        found = np.eye(5)[np.maximum(inputs, 0)], np.eye(3)[targets]
        mask = inputs != -1 if mask is None else mask
    else:
        found = inputs.astype("float64"), targets.astype("float64")
        mask = inputs[..., 0] != 9.0
    return [x[here] for x, here in zip(found[0], mask)], found[1]


def value_and_gradients(model, inputs, targets, mask):
    """The loss of `references.loss`, and its gradients in `variables_of(model)`."""
    counts = np.arange(STEPS) < LENGTHS[:, None]

    def loss(p):
        truth = model.target.vectors(ops.convert_to_tensor(targets), p.dtype)
        terms = truth * ops.log(p)
        if model.target.activation == "sigmoid":
            terms = terms + (1.0 - truth) * ops.log(1.0 - p)
        return -ops.sum(terms * ops.cast(counts, p.dtype)[..., None])

    variables = variables_of(model)
    if keras.config.backend() == "tensorflow":
        import tensorflow as tf

        @tf.function
        def run(x, y):
            with tf.GradientTape() as tape:
                value = loss(model(x, targets=y, mask=mask, training=True))
            return value, tape.gradient(value, [variable.value for variable in variables])

        return run(inputs, targets)
    import jax

    fixed = [variable.value for variable in model.non_trainable_variables]

    def run(weights):
        p, _ = model.stateless_call(
            weights, fixed, inputs, targets=targets, mask=mask, training=True
        )
        return loss(p)

    weights = [variable.value for variable in model.trainable_variables]
    value, gradients = jax.jit(jax.value_and_grad(run))(weights)
    by_id = dict(zip(map(id, model.trainable_variables), gradients))
    return value, [by_id[id(variable)] for variable in variables]


def generated(model, inputs, mask):
    """What the model generates, compiled."""
    if keras.config.backend() == "tensorflow":
        import tensorflow as tf

        return tf.function(model)(inputs, mask=mask)
    import jax

    weights = [variable.value for variable in model.trainable_variables]
    fixed = [variable.value for variable in model.non_trainable_variables]
    return jax.jit(lambda: model.stateless_call(weights, fixed, inputs, mask=mask)[0])()


def compute(name):
    """The loss of a case, its gradients, and what is generated, as arrays."""
    model, _ = known(name)
    inputs, targets, mask = examples(name)
    value, gradients = value_and_gradients(model, inputs, targets, mask)
    results = value, gradients, generated(model, inputs, mask)
    return keras.tree.map_structure(ops.convert_to_numpy, results)


def trained():
    """What `fit` and `evaluate` log, and what is learned."""
    model, _ = known("attention", "float32")
    x, y, _ = examples("attention")
    weights = (np.arange(STEPS) < LENGTHS[:, None]).astype("float32")
    model.compile(keras.optimizers.SGD(0.05), SequenceLoss(), weighted_metrics=[SequenceError()])
    arguments = {"sample_weight": weights, "batch_size": 3, "verbose": 0}
    history = model.fit(x, y, epochs=2, shuffle=False, **arguments).history
    results = {f"history/{name}": np.array(values) for name, values in history.items()}
    results["evaluate"] = np.array(model.evaluate(x, y, **arguments))
    results["predictions"] = model.predict(x, verbose=0)
    weights = map(ops.convert_to_numpy, variables_of(model))
    results.update({f"weight{i}": weight for i, weight in enumerate(weights)})
    return results
