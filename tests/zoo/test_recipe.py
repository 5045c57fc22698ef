"""Recipes are data: overrides, variants, stages and their way through JSON."""

import inspect
import itertools
import json

import pytest

from keras_adaptive import datasets
from keras_adaptive.datasets.settings import PARAMETERS
from keras_adaptive.zoo import families, recipes, settings
from keras_adaptive.zoo.families import registry
from keras_adaptive.zoo.recipe import Curriculum, Recipe, Stage
from keras_adaptive.zoo.search import space
from keras_adaptive.zoo.training.batches import batches


@pytest.fixture(params=recipes.names())
def recipe(request):
    return recipes.load(request.param)


def test_names():
    tasks = [name.removeprefix("act_") for name in recipes.names() if name.startswith("act_")]
    assert tasks == [
        "addition",
        "cifar10",
        "digits",
        "enwik8",
        "enwik8_paper",
        "enwik8_small",
        "logic",
        "logic_anytime",
        "parity",
        "sort",
        "sort_narrow",
        "words",
    ]
    assert "neural_gpu_addition" in recipes.names()


def test_unknown_name_shows_the_nearest():
    with pytest.raises(ValueError, match=r"act_parety.*act_parity"):
        recipes.load("act_parety")


def test_goes_through_json(recipe):
    data = json.loads(json.dumps(recipe.to_dict()))
    assert Recipe.from_dict(data) == recipe.replace(build=None)


def test_every_stage_has_batches(recipe):
    if recipe.dataset not in datasets.names():
        pytest.skip("its text is not part of the repository")
    for stage in recipe.stages:
        levels = [None]
        if stage.curriculum:
            levels = [stage.curriculum.start, recipe.stop_of(stage.curriculum)]
        for level, index in itertools.product(levels, range(max(len(stage.bins), 1))):
            parameters = recipe.parameters_at(stage, level, index)
            batch = datasets.batch(recipe.dataset, 4, seed=0, index=index, **parameters)
            assert batch["inputs"].shape[0] == 4


def test_figure_has_batches_of_one_difficulty(recipe):
    figure = recipe.figure
    if figure is None:
        pytest.skip("the recipe's card has no figure of difficulty")
    stop = recipe.parameters[figure.stop]
    parameters = {**recipe.parameters, **figure.fixed, **dict.fromkeys(figure.parameters, stop)}
    batch = datasets.batch(recipe.dataset, 4, seed=0, index=0, **parameters)
    assert set(batch["difficulty"].ravel()) <= {0, stop}


def test_overrides():
    changes = {"units": 8, "digits": 3, "learning_rate": 0.5, "stages.0.steps": 7}
    changes |= {"batch_size": 2, "seed": 9, "same_length": False}
    recipe = recipes.load("act_addition").with_overrides(changes)
    assert recipe.hyperparameters["units"] == 8
    assert recipe.parameters["digits"] == 3
    assert {stage.learning_rate for stage in recipe.stages} == {0.5}
    assert recipe.stages[0].steps == 7
    assert recipe.training_parameters["same_length"] is False
    assert (recipe.batch_size, recipe.seed) == (2, 9)


@pytest.mark.parametrize("key", ["unit", "stages.99.steps", "stages.x.steps", "stages.0.stepz"])
def test_unknown_override(key):
    with pytest.raises(ValueError, match=key.replace(".", r"\.")):
        recipes.load("act_parity").with_overrides({key: 1})


@pytest.mark.parametrize(
    ("name", "overrides", "message"),
    [
        ("act_parity", {"max_ponder": 5, "target_ponder": 6}, "at most max_ponder, 5"),
        ("act_parity", {"halting": "fixed"}, "needs fixed_steps"),
        ("act_parity", {"fixed_steps": 5}, "fixed_steps goes with halting=fixed"),
        ("act_parity", {"batch_size": 10**6, "bits": 10**5}, "batch_size must be at most"),
        ("act_addition", {"numbers": 1}, "no example of act_addition has a target"),
        ("act_logic", {"stages.0.parameters": {"gatez": 3}}, "unknown parameter 'gatez'"),
        ("ham_sort", {"controller_units": None}, "ham_sort needs a controller"),
        ("ham_sort", {"max_outputs": [1, 0]}, "max_outputs must be"),
        ("ham_sort", {"samples": 1}, "samples must be at least 2"),
        ("ham_merge", {"longer": 301}, "`length` must lie between 1 and 300"),
        ("neural_gpu_addition_stack_rnn", {"stack_depth": 1}, "at least read_depth, 2"),
        ("act_parity", {"stages.1.batch_size": 10**6, "bits": 10**5}, "batch_size must be"),
        ("act_words", {"stages.0.batch_size": 7}, "batch_size of a stage must be the recipe's"),
        ("act_parity", {"stages.0.hyperparameters": {"clipnorm": 1}}, "num_layers or units"),
        ("act_parity", {"stages.0.hyperparameters": {"units": 0}}, "units must be a whole number"),
        ("act_parity", {"stages.0.hyperparameters": {"num_layers": 2}}, "has no num_layers"),
        ("act_parity", {"stages.0.hyperparameters": {"units": 129}}, "units must not fall .* 128 "),
        (
            "neural_gpu_multiplication",
            {"stages.7.hyperparameters": {"num_layers": 5}},
            "must train the recipe's network. Received: .*5} of stage 7",
        ),
    ],
)
def test_settings_that_do_not_go_together(name, overrides, message):
    with pytest.raises(ValueError, match=message):
        recipes.load(name).with_overrides(overrides)


def test_a_stage_may_have_batches_of_another_size():
    recipe = recipes.load("act_parity").with_overrides({"stages.1.batch_size": 3})
    sizes = [len(batches(recipe, 0, stage, level=1)[0][0]) for stage in recipe.stages]
    assert sizes == [128, 3]
    assert Recipe.from_dict(recipe.to_dict()).stages == recipe.stages


def test_every_setting_says_what_it_may_be(recipe):
    """None of a recipe's settings is without type, range and help."""
    known = {**settings.RECIPE, **settings.STAGE, **settings.HYPERPARAMETERS, **PARAMETERS}
    names = {*recipe.hyperparameters, *recipe.parameters, *recipe.training_parameters}
    for name in sorted(names):
        assert known[name].help and known[name].allowed
        for mapping in (recipe.hyperparameters, recipe.parameters, recipe.training_parameters):
            if name in mapping:
                recipe.check_setting(name, mapping[name])


def test_every_parameter_of_a_task_says_what_it_may_be():
    for name in datasets.names():
        sample = inspect.signature(datasets.task(name).sample)
        for parameter in sample.parameters.values():
            if parameter.kind == parameter.KEYWORD_ONLY:
                PARAMETERS[parameter.name].check(parameter.name, parameter.default)


def test_variants():
    recipe = recipes.load("act_logic")
    plain, fixed = recipe.with_variant("plain"), recipe.with_variant("fixed-3")
    assert plain.hyperparameters["halting"] == fixed.hyperparameters["halting"] == "fixed"
    assert (plain.hyperparameters["fixed_steps"], fixed.hyperparameters["fixed_steps"]) == (1, 3)
    assert plain.stages == recipe.stages


@pytest.mark.parametrize("variant", ["fixed-0", "fixed-", "fixed-x", "lstm"])
def test_unknown_variant(variant):
    with pytest.raises(ValueError, match=variant):
        recipes.load("act_logic").with_variant(variant)


def test_scaled_steps_are_whole_chunks():
    recipe = recipes.load("act_logic").scaled(1e-9)
    assert recipe.steps == sum(stage.chunk for stage in recipe.stages)
    with pytest.raises(ValueError, match="steps_scale"):
        recipe.scaled(0)


def test_cosine_ends_at_one_percent():
    stage = Stage(steps=1000, learning_rate=0.1, schedule="cosine", hold=0.4)
    assert stage.learning_rate_at(0) == stage.learning_rate_at(400) == 0.1
    assert stage.learning_rate_at(1000) == pytest.approx(0.001)


@pytest.mark.parametrize(
    "arguments",
    [
        {"steps": 0},
        {"chunk": 0},
        {"learning_rate": 0.0},
        {"schedule": "linear"},
        {"hold": 1.0},
        {"time_penalty": -1.0},
    ],
)
def test_stages_refuse_bad_values(arguments):
    (name,) = arguments
    with pytest.raises(ValueError, match=name):
        Stage(**{"steps": 10, "learning_rate": 0.1, **arguments})


def test_curricula_refuse_bad_thresholds():
    with pytest.raises(ValueError, match="threshold"):
        Curriculum(("bits",), 1, 2, threshold=0.0)


def test_curriculum_stays_within_the_recipe():
    recipe = recipes.load("act_logic").with_overrides({"vectors": 3})
    stage = recipe.stages[0]
    assert recipe.parameters_at(stage, 7)["vectors"] == 3
    assert recipe.parameters_at(stage, 7)["gates"] == 7


@pytest.mark.parametrize("name", ["tau", "time_penalty"])
def test_time_penalty_means_the_same_in_training_and_in_searches(name):
    """In the curriculum of parity steps cost nothing, whatever τ is."""
    parity, sort = recipes.load("act_parity"), recipes.load("act_sort")
    assert space.full_name(parity, name) == parity.full_name(name) == "stages.1.time_penalty"
    changed = parity.with_overrides({name: 0.25})
    assert [stage.time_penalty for stage in changed.stages] == [0.0, 0.25]
    assert {stage.time_penalty for stage in sort.with_overrides({name: 0.25}).stages} == {0.25}
    with pytest.raises(ValueError, match="time_penalty"):
        parity.with_overrides({name: -1.0})


def test_overrides_are_a_mapping():
    with pytest.raises(ValueError, match=r"overrides must be a mapping. Received: \[\('units'"):
        recipes.load("act_parity").with_overrides([("units", 3)])


def test_every_family_has_a_name_without_keras():
    assert tuple(registry.CLASSES) == families.NAMES
