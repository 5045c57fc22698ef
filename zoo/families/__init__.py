"""What differs between the kinds of networks of the zoo, three modules for each.

A recipe names its family. The module of a family, `<family>.py`, has what trains and measures it:

* `compile_model(model, recipe, jit_compile, steps_per_execution)`;
* `training_batch(batch, recipe, parameters)`: inputs, targets and weights as `fit` takes them, of a
  batch of the data set with these parameters;
* `before_chunk(run)`: sets what changes while the network is trained; returns a factor on the
  stage's learning rate, or None;
* `SCORE`: the number that its models are judged by; families without it are judged by the share of
  wrong sequences, `sequence_error`;
* `POWER`: an input takes time as this power of its length; families without it as its length;
* `finish(run)`: what is done with the trained model at last; not all have it;
* `LOGGED`: metrics of training that go into the history, beside loss and sequence error;
* `validate(run, probe)`: the columns of the history that are measured on validation data;
* `Probe(model)`: the model with all that it can tell, called with inputs;
* `found(batch, answers)`: what was measured of each example, arrays with the examples first;
* `ratios(found)`: the means of an evaluation, each a `Ratio` (not of a family with a score);
* `summary(found)` and `by_difficulty(found)`: the numbers of an evaluation, without error rates;
* `examples_at_once(recipe, parameters)`: how many are measured in one batch;
* `selection(run, examples)`: what a choice between trainings may look at, on validation data;
* `ask(probe, recipe, text)`: what the model answers to an example in human form.

`<family>_entry.py` has what an entry of the zoo consists of, and what the command line says of it:

* `KEPT`: what the entry keeps of the metrics of every training;
* `EXAMPLES`: of an evaluation, where nothing else is said;
* `AVERAGED`: true if models can be averaged in an ensemble; not all have it;
* `measured(run, model, trainings, request)`: what is measured for the entry beside the trainings;
* `published(recipe, metrics)`: the measurements that its numbers come from, to be repeated by
  `verify`; `exact(recipe, metrics, model, folder)`: its other numbers; not all have them;
* `add_endpoints(archive, model)`: the endpoints of the SavedModel;
* `draw(folder, model, recipe, metrics, history)`: the pictures of the card;
* `limited(model, limits)`: sets limits of the computation;
* `parameters(recipe, wanted)`: the data set's parameters for what `evaluate` was asked;
* `told(metrics)`: numbers of an evaluation in words;
* `spoken(found)`: an answer to an example in lines to read;
* `check_plot(name, recipe, request)`: refuses what cannot be drawn, before a model is loaded;
* `plot(name, model, recipe, request)`: the pictures of the command line; not all have it.

`<family>_card.py` has the family's sections of a model card, see `model_card`.
"""

import importlib

NAMES = ("act", "baseline", "ham", "ham_baseline", "language", "neural_gpu")


def of(recipe):
    """The module of a recipe's family."""
    return importlib.import_module(f".{recipe.family}", __name__)


def score_of(recipe):
    """The name of the number that the models of a recipe are judged by."""
    return getattr(of(recipe), "SCORE", "sequence_error")


def entry_of(recipe):
    """The module of a family that says what its entries consist of."""
    return importlib.import_module(f".{recipe.family}_entry", __name__)


def card_of(recipe):
    """The module of a family that writes its sections of a model card."""
    return importlib.import_module(f".{recipe.family}_card", __name__)
