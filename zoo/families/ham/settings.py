"""The default settings of networks with hierarchical attentive memory."""

import dataclasses

from ...recipe import Curriculum, Stage


def is_raw(recipe):
    """Whether a recipe's network has no controller."""
    return recipe.hyperparameters.get("controller_units", 0) is None


# The fields of recipes whose examples have up to 32 vectors.
FIELDS = {
    "family": "ham",
    "build": "ham",
    "parameters": {"length": 32, "min_length": 1},
    "length_parameters": ("min_length", "length"),
    "figure": None,
    "validate_every": 100,
}
# Raw HAM, trained by REINFORCE.
RAW = {
    "units": 20,
    "hidden_units": 20,
    "depth": 2,
    "controller_units": None,
    "accesses_per_output": 1,
    "max_outputs": [1, 0],
    "soft": False,
    "clipnorm": 5.0,
    "beta_2": 0.99,
    "reward": "bits",
    "discount": 0.9,
    "baseline": "leave_one_out",
    "samples": 8,
    "policy_weight": 1.0,
    "entropy_bonus": 3e-3,
    # A factor of 0.8 in 500 steps; from 16 leaves on also 0.6 in 100 steps.
    "entropy_decay": 0.8**0.002,
    "sure_from": 16,
    "sure_decay": 0.6**0.01,
    # α at each new size, from a stage on; None lets it decay further.
    "entropy_again": None,
    "again_from": 0,
    # Chunks without progress after which the learning rate is halved.
    "patience": None,
    "size_factor": 1.0,
    "averaging": None,
    "longer": 128,
}
SIZES = Curriculum(
    ("min_length", "length"),
    start=2,
    stop="length",
    threshold=0.4,
    validation_threshold=0.03,
    doubling=True,
)
RAW_STAGES = (
    Stage(steps=8000, learning_rate=5e-3, curriculum=SIZES, chunk=50),
    Stage(steps=1000, learning_rate=5e-3, schedule="exponential", chunk=50),
)

# LSTM+HAM, trained by REINFORCE.
CONTROLLED = {
    **RAW,
    "controller_units": 20,
    "max_outputs": [1, 1],
    "policy_weight": 4.0,
    "entropy_bonus": 6e-3,
    "size_factor": 0.8,
    "averaging": 0.99,
}
LENGTHS = dataclasses.replace(
    SIZES, parameters=("length",), threshold=0.5, validation_threshold=0.05
)
CONTROLLED_STAGES = (
    Stage(steps=8000, learning_rate=5e-3, curriculum=LENGTHS, chunk=50),
    Stage(steps=1500, learning_rate=5e-3, schedule="exponential", hold=0.4, chunk=50),
)

# Larger nodes and slower training, for tasks that compare numbers.
COMPARING = {
    "units": 32,
    "hidden_units": 48,
    "controller_units": 32,
    "beta_2": 0.999,
    "reward": {"bits": 0.5, "vector": 0.5},
    "discount": 0.3,
    "samples": 4,
    "entropy_bonus": 3e-3,
    "sure_from": 32,
    "patience": 8,
    "size_factor": 0.75,
}
COMPARING_STAGES = (
    Stage(
        steps=30_000,
        learning_rate=3e-3,
        curriculum=dataclasses.replace(LENGTHS, threshold=0.4, validation_threshold=0.02),
        chunk=100,
    ),
    Stage(steps=4000, learning_rate=3e-3, schedule="exponential", hold=0.4, chunk=100),
)

# Trees of several sizes at once, which the paper proposes for generalization to larger ones.
SEVERAL_SIZES = Stage(
    3000, 4e-3, schedule="exponential", hold=0.4, bins=(16, 32, 64), chunk=100
)


def differences(settings, stages, batch_size):
    """Sentences on the differences from the paper's training.

    Args:
        settings: the recipe's hyperparameters.
        stages: its stages.
        batch_size: its batch size.
    """
    soft = settings["soft"]
    threshold = stages[0].curriculum.validation_threshold
    sentences = [
        f"{settings['units']} numbers in each node and perceptrons of {settings['depth']} layers "
        f"with {settings['hidden_units']} hidden units; the paper has 20 and does not say how many "
        "hidden units."
    ]
    if not soft:
        sentences.append(
            f"{batch_size} examples with {settings['samples']} drawn runs each, and the mean "
            "return of the other runs as baseline, instead of batches of 50 with a learned one."
        )
        if isinstance(settings["reward"], dict):
            sentences.append(
                "The reward is half the share of right bits, half whether all are right."
            )
    else:
        sentences.append(
            "An entropy bonus, which the paper gives to HAM alone, keeps attention open at first; "
            "without it two pairs were not learned to be sorted."
        )
    if settings.get("averaging"):
        sentences.append("The weights are an average of those of the last steps.")
    sentences.append(
        f"The tree grows when at most {100 * threshold:.0f} % of the validation answers are wrong. "
        "The paper does not say when."
    )
    if any(stage.bins for stage in stages):
        most = max(max(stage.bins, default=0) for stage in stages)
        sentences.append(
            f"A part of the steps is on trees of several sizes at once, of up to {most} leaves, "
            "which the paper proposes and did not try."
            + (" Its own networks have seen 32." if most > 32 else "")
        )
    return tuple(sentences)


def up_to_32(recipe, *own, sizes=(8, 16, 32), seen=()):
    """The recipe of a network that is trained on at most 32 leaves, as all of the paper's are.

    Args:
        recipe: a `Recipe` of the family `ham` with larger trees in some stages.
        *own: sentences on its differences from the paper, beside those of all recipes.
        sizes: those of the trees in stages that would have larger ones.
        seen: sentences on its own test figures that were known before a change.
    """
    stages = tuple(
        dataclasses.replace(stage, bins=sizes) if max(stage.bins, default=0) > 32 else stage
        for stage in recipe.stages
    )
    return recipe.replace(
        name=f"{recipe.name}_32",
        stages=stages,
        scouted_stages=min(recipe.scouted_stages, len(stages)),
        differences=(*differences(recipe.hyperparameters, stages, recipe.batch_size), *own),
        test_data_seen=(
            f"The recipe is that of `{recipe.name}`, whose test figures were seen before its last "
            "stages were added, with no more than 32 leaves.",
            *seen,
        ),
    )


def softened(recipe, steps=(32_000, 8000), entropy_bonus=3e-2, own=(), test_data_seen=()):
    """The recipe of DHAM on the task of a network with HAM.

    Args:
        recipe: a `Recipe` of the family `ham`.
        steps: of its two stages: the most while the tree grows, and those at the full size.
        entropy_bonus: α at the start.
        own: sentences on its differences from the paper, beside those of all recipes.
        test_data_seen: as of a `Recipe`.
    """
    growing, full = steps
    settings = {
        **recipe.hyperparameters,
        "soft": True,
        "beta_2": 0.999,
        "averaging": 0.99,
        "entropy_bonus": entropy_bonus,
        "entropy_decay": 0.8**0.002,
        "sure_from": 32,
        "sure_decay": 0.6**0.002,
        "patience": 30,
        "size_factor": 0.75,
    }
    sizes = dataclasses.replace(recipe.stages[0].curriculum, validation_threshold=0.05)
    stages = (
        Stage(steps=growing, learning_rate=3e-3, curriculum=sizes, chunk=100),
        Stage(steps=full, learning_rate=3e-3, schedule="exponential", hold=0.4, chunk=100),
    )
    return recipe.replace(
        name=f"d{recipe.name}",
        hyperparameters=settings,
        stages=stages,
        scouted_stages=len(stages),
        batch_size=50,
        task=(
            f"{recipe.task} All leaves are attended, each as much as a descent of HAM would be "
            "likely to end there."
        ),
        paper={},
        differences=(*differences(settings, stages, 50), *own),
        test_data_seen=test_data_seen,
    )
