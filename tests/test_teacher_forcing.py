"""What `evaluate` says of models that are trained on true sequences."""

import keras
import numpy as np
import pytest

from keras_adaptive import baselines, losses, metrics, models

RNG = np.random.default_rng(0)
SYMBOLS = RNG.integers(1, 6, (2, 6, 5)).astype("int32")
POINTS = RNG.normal(size=(6, 4, 2)).astype("float32")
TOURS = np.array([RNG.permutation(4) + 1 for _ in POINTS])
PONDER = {"halting": "act", "max_ponder": 3, "time_penalty": 1.0}


def seq2seq():
    alphabet = baselines.Symbols(6)
    return baselines.Seq2SeqLSTM(alphabet, alphabet, units=3, num_layers=1)


MODELS = {
    "pointer": (lambda: models.PointerNetwork(4, **PONDER), POINTS, TOURS),
    "translation": (lambda: models.TranslationNetwork(6, 6, units=4, **PONDER), *SYMBOLS),
    "seq2seq": (seq2seq, *SYMBOLS),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_loss_of_evaluate_is_that_of_fit(name):
    """With the ponder cost; there is no dropout, and nothing is learned."""
    make, x, y = MODELS[name]
    keras.utils.set_random_seed(0)
    model = make()
    model.compile(keras.optimizers.SGD(0.0), losses.SequenceLoss(per_target=True))
    logs = model.fit(x, y, validation_data=(x, y), batch_size=6, verbose=0).history
    assert name == "seq2seq" or logs["ponder_cost"][0] > 1
    np.testing.assert_allclose(logs["val_loss"], logs["loss"], rtol=1e-5)
    of_evaluate = model.evaluate(x, y, verbose=0, return_dict=True)
    np.testing.assert_allclose(of_evaluate["loss"], logs["loss"][0], rtol=1e-5)


@pytest.mark.parametrize("name", ["pointer", "translation"])
@pytest.mark.parametrize("axes", [1, 2])
def test_weights_of_targets_with_a_last_axis_of_1(name, axes):
    """As many rows as targets, so that weights on the wrong axis would be no error."""
    make, x, y = MODELS[name]
    model, rows = make(), y.shape[1]
    weights, found = RNG.random((rows, *y.shape[1:])[:axes]), []
    for targets in (y[:rows], y[:rows, :, None]):
        model.compile("sgd", losses.SequenceLoss(), weighted_metrics=[metrics.SequenceError()])
        found.append(model.evaluate(x[:rows], targets, sample_weight=weights, verbose=0))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)
