"""Many trainings of a recipe: searches with KerasTuner, studies, and the choice of a seed."""
