"""One search by several processes: KerasTuner's chief and workers, on loopback."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
# On JAX, which starts faster.
PROCESS = """
import json, os, sys
sys.modules["tensorflow"] = None
import known_trainings
from keras_adaptive import zoo

trainer = known_trainings.install()
over = {"tau": [3e-4, 1e-3, 7e-3, 1e-2, 1e-1]}
tuner = zoo.tuner("act_logic", sys.argv[1], over=over, method="grid", seeds=2, resume=True)
tuner.search()
json.dump([folder for folder, *_ in trainer.calls], sys.stdout)
"""


def test_a_chief_and_two_workers(tmp_path):
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
        for name in ("chief", "tuner0", "tuner1")
    ]
    try:
        said = [process.communicate(timeout=300) for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [process.returncode for process in processes] == [0, 0, 0], said
    chief, *workers = [json.loads(out.splitlines()[-1]) for out, _ in said]
    assert chief == []
    trained = sorted(folder for folders in workers for folder in folders)
    assert trained == [f"trial_000{trial}/seed-{seed}" for trial in range(5) for seed in range(2)]
    rows = json.loads((tmp_path / "trials.json").read_text())
    assert [row["folder"] for row in rows] == trained
    # Numbers that pass between the processes are those that were given.
    taus = [row["overrides"]["time_penalty"] for row in rows[::2]]
    assert taus == [3e-4, 1e-3, 7e-3, 1e-2, 1e-1]
