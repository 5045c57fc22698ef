"""What trains models works on JAX too: the same tests, in a process that runs it."""

from pathlib import Path

import other_backend

FOLDER = Path(__file__).parent
TESTS = (
    "test_callbacks.py::test_a_saved_training_goes_on_as_the_first",
    "test_callbacks.py::test_noise_is_told_what_was_wrong",
    "test_callbacks.py::test_pull_rises_with_the_curriculum_and_ends_in_one_set",
    "test_ensemble.py::test_the_members_stay_as_they_are",
    "test_initial_weights.py::test_both_models_go_on_afterwards",
    "test_metrics.py::test_a_mask_of_the_predictions_says_what_counts[BitError]",
    "test_metrics.py::test_in_a_model_with_weights",
    "test_metrics.py::test_symbol_errors[False-classes]",
    "test_models.py::test_a_layer_that_is_called_twice_is_charged_twice",
    "test_models.py::test_the_time_penalty_changes_within_an_epoch",
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
    "test_teacher_forcing.py::test_the_loss_of_evaluate_is_that_of_fit",
)


def test_on_jax():
    """What fails is in what the process says on standard error."""
    tests = [str(FOLDER / test) for test in TESTS]
    options = ["-q", "-n0", "-p", "no:cacheprovider", f"--rootdir={FOLDER.parent}"]
    assert other_backend.call("jax", "pytest", "main", [*options, *tests]) == 0
