"""All private names of other packages that this one uses, and that they are still there.

A private name may go with any version. When one does, the test of it names the version, and what
uses the name is found by searching for it.
"""

import argparse
import ast
import importlib
import platform
import re
import sys
from importlib import metadata
from pathlib import Path

import keras
import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ["keras_adaptive", "datasets", "zoo"]

# module -> names in it; of a class with its attributes behind a dot.
NAMES = {
    "argparse": ["ArgumentParser._option_string_actions", "_AppendAction"],
    "keras.src.backend.common.masking": ["get_keras_mask"],
    "keras.src.backend.common.symbolic_scope": ["in_symbolic_scope"],
    "keras.src.saving.object_registration": ["GLOBAL_CUSTOM_OBJECTS"],
    "keras.layers": [
        "Layer._call_has_training_arg",
        "Layer._flatten_layers",
        "Layer._get_call_context",
        "Layer._losses_override",
        "Layer._maybe_reset_call_context",
        "Layer._non_trainable_variables",
        "Layer._seed_generators",
        "RNN._maybe_config_dropout_masks",
        "RNN._maybe_reset_dropout_masks",
    ],
    "keras": ["Model._default_save_signature", "Model._initial_epoch", "Variable._value"],
    "keras.optimizers": [
        "SGD._clip_gradients",
        "SGD._get_variable_index",
        "SGD._model_variables_moving_average",
        "SGD._track_variable",
        "SGD._trainable_variables",
        "SGD._untrack_variable",
        "SGD._variables",
    ],
    "keras.utils": ["Progbar._estimate_step_duration"],
    "keras_tuner": ["Oracle._get_oracle_fname", "Oracle._get_trial_dir", "Oracle._save_trial"],
    "keras_tuner.oracles": ["BayesianOptimizationOracle._random_state"],
    "tensorflow.python.eager.forwardprop_util": ["pack_tangents"],
    "tensorflow.python.eager.polymorphic_function.function_context": ["make_function_context"],
    "tensorflow.python.eager.record": ["should_record_backprop", "stop_recording"],
    "tensorflow.python.framework.config": ["is_op_determinism_enabled"],
    "tensorflow.python.framework.kernels": ["get_registered_kernels_for_op"],
    "tensorflow.python.ops.control_flow_util": ["GraphOrParentsInXlaContext"],
}
# What only an object has, not its class.
EXAMPLES = {
    "Model": lambda: built_model(),
    "ArgumentParser": argparse.ArgumentParser,
    "Layer": lambda: keras.layers.Dense(1),
    "Variable": lambda: keras.Variable(1.0),
    "BayesianOptimizationOracle": lambda: built_oracle(),
    "SGD": lambda: built(keras.optimizers.SGD(use_ema=True)),
}
LISTED = {name.split(".")[-1] for names in NAMES.values() for name in names}
PRIVATE_MODULE = re.compile(r"(keras\.src|tensorflow\.python|tensorflow\.core|jax\._src)[\w.]*")
# Methods of tuples with names, and of `os`, that are public in spite of their names.
PUBLIC = {"_replace", "_exit"}


def built_model():
    return keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])


def built_oracle():
    import keras_tuner

    return keras_tuner.oracles.BayesianOptimizationOracle()


def built(optimizer):
    optimizer.build([keras.Variable(1.0)])
    return optimizer


def sources():
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def is_private(name):
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC


@pytest.mark.parametrize("module, name", [(m, name) for m in NAMES for name in NAMES[m]])
def test_name_exists(module, name):
    package = module.split(".")[0]
    if package in sys.stdlib_module_names:
        version = f"Python {platform.python_version()}"
    else:
        version = f"{package} {metadata.version(package.replace('_', '-'))}"
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        pytest.fail(f"{version} has no {module}: {error}")
    owner, _, attribute = name.rpartition(".")
    if owner:
        found = EXAMPLES.get(owner, lambda: getattr(found, owner))()
    assert hasattr(found, attribute), f"{version} has no {module}.{name}"


def test_every_private_name_that_is_used_is_listed():
    """What starts with an underscore and is defined nowhere here belongs to somebody else."""
    used, defined = {}, set()
    for path, tree in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                defined.add(node.name)
            elif isinstance(node, ast.Attribute) and is_private(node.attr):
                if isinstance(node.ctx, ast.Store):
                    defined.add(node.attr)
                else:
                    used.setdefault(node.attr, []).append(f"{path.name}:{node.lineno}")
    unlisted = {name: at for name, at in used.items() if name not in defined | LISTED}
    assert not unlisted, f"list in NAMES: {unlisted}"
    unused = {name for name in LISTED if is_private(name)} - used.keys() - defined
    assert not unused, f"no longer used: {unused}"


def test_every_private_name_that_is_overridden_is_listed():
    import keras_tuner

    classes = [keras.Model, keras.layers.RNN, keras.optimizers.Adamax, keras.metrics.Metric]
    classes += [keras.callbacks.Callback, keras.losses.Loss, keras_tuner.Tuner]
    classes += [keras.utils.Progbar]
    classes += [keras_tuner.oracles.BayesianOptimizationOracle, keras_tuner.oracles.HyperbandOracle]
    theirs = {name for one in classes for name in dir(one) if is_private(name)}
    ours = {
        node.name
        for tree in sources().values()
        for of_class in ast.walk(tree)
        if isinstance(of_class, ast.ClassDef)
        for node in of_class.body
        if isinstance(node, ast.FunctionDef)
    }
    assert theirs & ours <= LISTED, theirs & ours - LISTED


def test_every_private_module_that_is_used_is_listed():
    listed = set(NAMES)
    for path, tree in sources().items():
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                names = [node.value]
            for name in names:
                if PRIVATE_MODULE.fullmatch(name):
                    assert name in listed, f"list in NAMES: {path.name}:{node.lineno} {name}"
