"""The table of docs/images.md: networks on CIFAR-10, see benchmarks/accuracy_and_cost.py."""

from keras_adaptive.zoo.entries.card import markdown, percent

PAGE = "docs/images.md"
RECORD = "benchmarks/results/accuracy_and_cost.json"


def tables(folder, read):
    """The tables of the page by their names.

    Args:
        folder: the repository.
        read: a function from a path to what its JSON says.
    """
    path = folder / RECORD
    networks = read(path)["networks"].get("cifar10", []) if path.is_file() else []
    rows = [
        [
            network["kind"] + (f", τ = {network['setting']:g}" if network["setting"] else ""),
            f"{network['steps']:,}" + (" more" if network["setting"] else ""),
            percent(network["accuracy"]),
            percent(network["flops_share"]),
            percent(network["time_share"]),
        ]
        for network in networks
    ]
    header = ["halting", "batches", "accuracy", "share of FLOPs", "share of time"]
    return {"cifar10": markdown(header, rows) if rows else ""}
