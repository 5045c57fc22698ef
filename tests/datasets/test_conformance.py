"""What every task promises. A new one is tested as soon as it has a folder."""

import inspect

import numpy as np
import pytest

from keras_adaptive import datasets
from support.oracles import oracle
from support.tasks import FEATURES, as_text, example_text, output_length, rng, variants

# Their lengths are numbers of non-zeros, of a vector that is no longer.
NON_ZEROS = ("act_parity", "sparse_parity")
FUNCTIONS = ["answers", "decode", "describe", "encode", "sample", "sizes"]


@pytest.fixture(params=datasets.names(), scope="module")
def name(request):
    return request.param


@pytest.fixture(scope="module")
def task(name):
    return datasets.task(name)


@pytest.fixture(scope="module")
def batches(name, task):
    """Pairs of parameters and a batch."""
    return [(variant, task.sample(rng(7), 50, **variant)) for variant in variants(name)]


def test_functions(task):
    for function in FUNCTIONS:
        assert inspect.getdoc(getattr(task, function)), function
    assert isinstance(task.PADDING, (int, float))


def test_shapes_and_types(task, batches):
    """Inputs are vectors of `width` numbers, or each is one of `symbols`."""
    for parameters, batch in batches:
        sizes = task.sizes(**parameters)
        width = (sizes["width"],) if "width" in sizes else ()
        outputs = (sizes["outputs"],) if sizes.get("outputs", 1) > 1 else ()
        time = batch["inputs"].shape[1]
        targets = output_length(task, time)
        shapes = {
            "inputs": (50, time, *width),
            "targets": (50, targets, *outputs),
            "weights": (50, targets),
            "difficulty": (50, time),
        }
        dtypes = {**dict.fromkeys(FEATURES, "int32"), "weights": "float32"}
        if width:
            dtypes["inputs"] = "float32"
        else:
            assert task.PADDING <= batch["inputs"].min() <= batch["inputs"].max()
            assert batch["inputs"].max() == sizes["symbols"] - 1, parameters
        assert {key: values.shape for key, values in batch.items()} == shapes, parameters
        assert {key: values.dtype.name for key, values in batch.items()} == dtypes, parameters
        assert 0 <= batch["targets"].min() <= batch["targets"].max() < sizes["classes"], parameters


def test_padding_is_at_the_end_and_counts_nothing(task, batches):
    for parameters, batch in batches:
        padding = batch["inputs"].reshape(*batch["difficulty"].shape, -1) == task.PADDING
        padding = padding.all(axis=-1)
        real = batch["difficulty"] > 0
        np.testing.assert_array_equal(padding, ~real, str(parameters))
        np.testing.assert_array_equal(np.sort(padding, axis=1), padding)
        assert real[:, 0].all()
        if parameters.get("same_length"):
            assert real.all()
        for length, weights in zip(real.sum(axis=1).tolist(), batch["weights"]):
            assert not weights[output_length(task, length) :].any(), parameters
        assert set(np.unique(batch["weights"])) <= {0.0, 1.0}


def test_same_length_draws_a_length_for_each_batch(name, task):
    signature = inspect.signature(task.sample).parameters
    if "same_length" not in signature:
        assert task.sample(rng(), 50)["inputs"].shape[1] == 1
        return
    # By default all examples of some tasks are of one length.
    shortest = {"min_length": 4} if "min_length" in signature else {}
    batches = [task.sample(rng(seed), 3, same_length=True, **shortest) for seed in range(12)]
    assert len({batch["inputs"].shape[1] for batch in batches}) > 2


def test_all_randomness_comes_from_the_generator(task, batches):
    np.random.seed(1)  # noqa: NPY002 - it must not matter
    for parameters, batch in batches:
        again, other = (task.sample(rng(seed), 50, **parameters) for seed in (7, 8))
        for feature in FEATURES:
            np.testing.assert_array_equal(again[feature], batch[feature], str(parameters))
        if "examples_per_length" not in parameters:
            assert not np.array_equal(other["inputs"], batch["inputs"]), parameters


def test_every_option_changes_the_examples(batches):
    (_, half), *changed = batches[1:]
    of_one_length = (half["difficulty"] > 0).all()
    for parameters, batch in changed:
        if "same_length" in parameters and of_one_length:
            continue
        assert any(not np.array_equal(batch[x], half[x]) for x in FEATURES), parameters


def test_targets_follow_from_inputs(task, batches):
    for parameters, batch in batches:
        counted = batch["weights"] > 0
        answers = task.answers(batch["inputs"])
        np.testing.assert_array_equal(answers[counted], batch["targets"][counted], str(parameters))


def check_against_oracle(task, answer, batch, count):
    """Targets and weights of the first examples are what plain Python says of their inputs."""
    for inputs, targets, weights, difficulty in zip(*(batch[x][:count] for x in FEATURES)):
        expected = answer(inputs[difficulty > 0].tolist())
        end = len(expected)
        assert end == output_length(task, int((difficulty > 0).sum()))
        assert targets[:end].tolist() == expected
        assert not weights[end:].any()


def test_every_task_has_an_oracle():
    assert all(map(oracle, datasets.names()))


def test_targets_are_those_of_the_oracle(name, task, batches):
    """Which is written in plain Python, in a file of its own; long examples included."""
    if oracle(name) is None:
        pytest.skip("a new task, see test_new_task.py")
    for _, batch in batches:
        check_against_oracle(task, oracle(name).answer, batch, 10)
    for length in ("length", "bits"):
        if length in inspect.signature(task.sample).parameters and name not in NON_ZEROS:
            # The oracle of tours tries all of them.
            long = getattr(task, "MOST_AT_ONCE", 250)
            batch = task.sample(rng(), 3, **{length: long, f"min_{length}": long - 1})
            check_against_oracle(task, oracle(name).answer, batch, 3)
            break


def test_the_human_form_of_every_example_reads_back(task, batches):
    for parameters, batch in batches:
        for inputs, difficulty in list(zip(batch["inputs"], batch["difficulty"]))[:10]:
            example = inputs[difficulty > 0]
            text, found = as_text(task, example, **parameters)
            # Where bits are duplicated, an odd number of positions has one blank more.
            assert len(example) - len(found) in (0, 1)
            np.testing.assert_array_equal(found, example[: len(found)], f"{parameters} {text!r}")


def test_padding_is_not_described(task, batches):
    for parameters, batch in batches[:2]:
        inputs, real = batch["inputs"][0], batch["difficulty"][0] > 0
        forms, of_example = task.describe(inputs), task.describe(inputs[real])
        if isinstance(forms, list):
            assert not any(forms[len(of_example) :]), parameters
            forms = forms[: len(of_example)]
        assert forms == of_example, parameters


def test_certain_probabilities_decode_to_the_answer(name, task):
    """And nearly certain ones to the same."""
    inputs = task.encode(example_text(name))
    answers, sizes = task.answers(inputs)[0], task.sizes()
    if sizes["classes"] > 2:
        certain = np.eye(sizes["classes"])[answers]
    else:
        certain = answers if sizes["outputs"] > 1 else answers[:, None]
    decoded = task.decode(certain)
    assert decoded and task.decode(0.8 * certain + 0.1) == decoded
    assert isinstance(decoded, str) or set(map(type, decoded)) == {str}


def test_encode_ignores_other_parameters_of_sample(name, task):
    """So that all parameters of a recipe can be passed to it."""
    expected = task.encode(example_text(name))
    for option in ("hard_share", "short_share", "length"):
        np.testing.assert_array_equal(task.encode(example_text(name), **{option: 1}), expected)


@pytest.mark.parametrize("text", ["", "?!", "²"])
def test_encode_quotes_what_it_cannot_read(task, text):
    with pytest.raises(ValueError) as error:
        task.encode(text)
    assert repr(text) in str(error.value) and "for instance" in str(error.value)


def wrong_values(parameter):
    """Values that no parameter of its kind may have."""
    if isinstance(parameter.default, bool):
        return []
    if parameter.name.endswith("_share"):
        return [-0.1, 1.5, float("nan"), "half", None]
    if isinstance(parameter.default, float):
        return [-1.0, float("inf"), "much"]
    if isinstance(parameter.default, int):
        return [-1, 2.5, True, "5", None]
    if parameter.default is None:
        return [-1, 2.5, "5"]
    return ["unknown"]


def test_parameters_out_of_range(task):
    """The message names the parameter and the value received."""
    for parameter in inspect.signature(task.sample).parameters.values():
        if parameter.kind != parameter.KEYWORD_ONLY:
            continue
        for wrong in wrong_values(parameter):
            with pytest.raises(ValueError) as error:
                task.sample(rng(), 2, **{parameter.name: wrong})
            assert parameter.name in str(error.value), (parameter.name, wrong)
            assert repr(wrong) in str(error.value), (parameter.name, wrong)


@pytest.mark.parametrize("name", ["cifar10", "enwik8", "tatoeba", "wikitext2"])
def test_a_home_that_nobody_has_is_said_to_hold_nothing(name, monkeypatch):
    monkeypatch.setenv(datasets.task(name).VARIABLE, "~nobody-of-this-name")
    with pytest.raises(FileNotFoundError, match=r"~nobody|cifar10"):
        datasets.batch(name, 2)
