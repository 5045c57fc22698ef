"""A training step of pytorch-adaptive-computation-time, for `training_step.py`: milliseconds.

The best of one and of two threads; every row takes the same number of steps.
"""

import json
import sys
import time

import numpy as np
import torch
from pytorch_adaptive_computation_time import AdaptiveCellWrapper

CELLS = {"SimpleRNN": torch.nn.RNNCell, "GRU": torch.nn.GRUCell}
REPETITIONS = 40


def main():
    cell, *sizes = sys.argv[1:]
    units, batch, length, features, steps, most = map(int, sizes)
    layer = AdaptiveCellWrapper(CELLS[cell](features + 1, units), 1e-3, time_limit=most)
    unit = layer._halting_unit[0]
    # It adds a row's last activation twice, and so halts a step early.
    activation = 1 / (steps + 0.5)
    with torch.no_grad():
        unit.weight.zero_()
        unit.bias.fill_(float(np.log(activation / (1 - activation))))
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.0)
    inputs = torch.randn(length, batch, features)

    def step():
        optimizer.zero_grad()
        hidden, outputs, cost = None, [], 0.0
        for now in inputs:
            hidden, ponder, taken = layer(now, hidden)
            outputs.append(hidden)
            cost = cost + ponder
        (torch.stack(outputs).square().mean() + cost).backward()
        optimizer.step()
        return taken

    if not bool(torch.all(step() == steps)):
        raise SystemExit(f"the peer does not take {steps} steps")
    if missing := [name for name, x in layer.named_parameters() if x.grad is None]:
        raise SystemExit(f"{missing} got no gradient")
    best = float("inf")
    for threads in (1, 2):
        torch.set_num_threads(threads)
        for _ in range(REPETITIONS):
            start = time.perf_counter()
            step()
            best = min(best, time.perf_counter() - start)
    print(json.dumps(round(1e3 * best, 3)))


if __name__ == "__main__":
    main()
