"""What differs between the kinds of networks of the zoo, one module for each.

A recipe names its family. The module of a family has

* `compile_model(model, recipe, jit_compile, steps_per_execution)`;
* `before_chunk(run)`: sets what changes while the network is trained, but for the learning rate;
* `LOGGED`: metrics of training that go into the history, beside loss and sequence error;
* `validate(run, probe)`: the columns of the history that are measured on validation data;
* `Probe(model)`: the model with all that it can tell, called with inputs;
* `found(batch, answers)`: what was measured of each example, arrays with the examples first;
* `summary(found)` and `by_difficulty(found)`: the numbers of an evaluation, without error rates;
* `examples_at_once(recipe, parameters)`: how many are measured in one batch.
"""

import importlib


def of(recipe):
    """The module of a recipe's family."""
    return importlib.import_module(f".{recipe.family}", __name__)
