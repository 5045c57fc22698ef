"""The settings of HAM's baselines, which are trained like the networks with memory."""


SETTINGS = {
    "units": 64,
    "num_layers": 1,
    "dropout": 0.0,
    "clipnorm": 5.0,
    "beta_2": 0.999,
    "size_factor": 0.8,
    "longer": 128,
}
SEARCH = {"learning_rate": (1e-3, 3e-3, 9e-3), "units": (64, 96), "num_layers": (1, 2)}


def compared_with(recipe, attention, errors, searched=False, times=1, test_data_seen=()):
    """The recipe of a baseline on the task of a network with memory.

    Args:
        recipe: a `Recipe` of the family `ham`.
        attention: whether the baseline has attention.
        errors: the paper's, in percent, at the length of training and at four times that length
            (Table 1).
        searched: whether its settings were searched for.
        times: how many times as many batches its stages may take as those of that network.
        test_data_seen: as of a `Recipe`.
    """
    words = "LSTM with attention" if attention else "encoder-decoder LSTM"
    error, longer_error = errors
    more_batches = ()
    if times > 1:
        more_batches = (
            f"Its stages may take {times} times as many batches as those of the network with "
            "memory, which learns in fewer.",
        )
    settings = {
        **SETTINGS,
        "attention": attention,
        "max_outputs": recipe.hyperparameters["max_outputs"],
    }
    return recipe.scaled(times).replace(
        name=f"{recipe.name}_{'attention' if attention else 'lstm'}",
        family="ham_baseline",
        build="seq2seq_lstm",
        hyperparameters=settings,
        paper={"error": f"{error} %", "longer_error": f"{longer_error} %"},
        differences=(
            f"The paper says that its {words} has more parameters than the largest network with "
            "memory, and not how many.",
            "`keras-adaptive tune` tried four settings of learning rate, units and layers."
            if searched
            else "The settings were not searched for; `keras-adaptive tune` does that.",
            *more_batches,
        ),
        search=SEARCH,
        test_data_seen=test_data_seen,
    )
