"""One search by several processes: KerasTuner's chief and workers, on loopback."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# On JAX, which starts faster.
PROCESS = """
import json, os, sys
sys.modules["tensorflow"] = None
from support import quick_trainings
from keras_adaptive import zoo

trainer = quick_trainings.install()
over = {"tau": [3e-4, 1e-3, 7e-3, 1e-2, 1e-1]}
tuner = zoo.tuner("act_logic", sys.argv[1], over=over, method="grid", seeds=2, resume=True)
tuner.search()
json.dump([folder for folder, *_ in trainer.calls], sys.stdout)
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_chief_and_workers(workers, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shared = {
        **os.environ,
        "KERAS_BACKEND": "jax",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]),
        "KERASTUNER_ORACLE_IP": "127.0.0.1",
        "KERASTUNER_ORACLE_PORT": str(port),
    }
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(tmp_path)],
            env={**shared, "KERASTUNER_TUNER_ID": name},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("chief", "tuner0", "tuner1")[: 1 + workers]
    ]
    try:
        said = [process.communicate(timeout=300) for process in processes]
    finally:
        for process in processes:
            process.kill()
    # KerasTuner's chief may be gone before a worker has heard that nothing is left to do.
    ends = [
        process.returncode == 0 or "UNAVAILABLE" in err
        for process, (_, err) in zip(processes, said)
    ]
    assert all(ends) and processes[0].returncode == 0, said
    assert json.loads(said[0][0].splitlines()[-1]) == []
    trained = [f"trial_000{trial}/seed-{seed}" for trial in range(5) for seed in range(2)]
    rows = json.loads((tmp_path / "trials.json").read_text())
    assert [row["folder"] for row in rows] == trained
    # Numbers that pass between the processes are those that were given.
    taus = [row["overrides"]["time_penalty"] for row in rows[::2]]
    assert taus == [3e-4, 1e-3, 7e-3, 1e-2, 1e-1]
