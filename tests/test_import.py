"""What `import keras_adaptive` loads, registers, and leaves alone."""

import json
import subprocess
import sys

import pytest

PROBE = """
import json, sys
import keras
before = set(sys.modules)
import keras_adaptive
loaded = {name.split(".")[0] for name in set(sys.modules) - before}
print(json.dumps({
    "loaded": sorted(loaded - set(sys.stdlib_module_names)),
    "registered": [
        name
        for name in ["ACTRNN", "AdaptiveModel", "SequenceLoss", "SequenceError", "ACT", "Fixed"]
        if keras.saving.get_registered_object(f"keras_adaptive>{name}")
    ],
}))
"""

def last_line(*arguments):
    result = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=True
    )
    return result.stdout.splitlines()[-1]

def test_loads_nothing_but_keras_and_registers_what_models_save():
    """So it costs hardly more than Keras (measured by benchmarks/import_time.py)."""
    found = json.loads(last_line("-c", PROBE))
    assert found["loaded"] == ["keras_adaptive"]
    assert len(found["registered"]) == 6

@pytest.mark.parametrize("module", ["keras_adaptive", "keras_adaptive.zoo.cli"])
def test_the_command_line_chooses_the_backend_before_keras_loads(module):
    code = f"import sys, {module}; print('keras' in sys.modules)"
    as_command = ["-c", code, "/somewhere/bin/keras-adaptive"]
    assert last_line(*as_command) == "False"

def test_lists_its_modules():
    import keras_adaptive

    assert {"layers", "halting", "datasets", "zoo"} <= set(dir(keras_adaptive))
    with pytest.raises(AttributeError, match="nothing"):
        _ = keras_adaptive.nothing
