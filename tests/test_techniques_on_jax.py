"""What trains models works on JAX too: the same tests, in a process that runs it."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
TESTS = (
    "test_callbacks.py::test_a_saved_training_goes_on_as_the_first",
    "test_callbacks.py::test_noise_is_told_what_was_wrong",
    "test_callbacks.py::test_pull_rises_with_the_curriculum_and_ends_in_one_set",
    "test_ensemble.py::test_the_members_stay_as_they_are",
    "test_metrics.py::test_in_a_model_with_weights",
    "test_metrics.py::test_symbol_errors",
    "test_neural_gpu_model.py::test_the_parts_add_up",
    "test_optimizers.py::test_accumulated_gradients_get_noise_once",
    "test_optimizers.py::test_adamax_is_that_of_the_equations",
    "test_optimizers.py::test_fit_feels_the_noise",
    "test_optimizers.py::test_noise_has_the_papers_standard_deviation",
    "test_optimizers.py::test_saved_model_goes_on_as_the_first[adamax]",
    "test_optimizers.py::test_saved_model_goes_on_as_the_first[noise]",
    "test_relaxation.py::test_an_averaged_model_trains_as_one_with_a_single_set",
    "test_relaxation.py::test_averaging_leaves_a_tied_model_unchanged",
    "test_relaxation.py::test_cost_is_the_pull_times_the_distance_to_the_mean",
)


def test_on_jax():
    if importlib.util.find_spec("jax") is None:
        pytest.skip("jax is not installed")
    environment = {**os.environ, "KERAS_BACKEND": "jax", "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *(str(FOLDER / test) for test in TESTS)],
        env=environment,
        cwd=FOLDER.parent,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
