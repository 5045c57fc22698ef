"""The tables of docs/neural_gpu.md."""

import json
from pathlib import Path

import tables
from pages import neural_gpu as neural_gpu_page

ROOT = Path(__file__).parents[2]


def test_the_page_is_what_the_results_say():
    """If this fails: python docs/tables.py"""
    text = (ROOT / neural_gpu_page.PAGE).read_text(encoding="utf-8")
    assert tables.written(text, ROOT, neural_gpu_page.PAGE) == text


def test_tables(tmp_path):
    def run(symbols, sums):
        return {"longer": {"symbol_error": symbols}, "trained": {"sequence_error": sums}}

    found = {
        "bits": {"longer": 15, "trained": 6},
        "settings": [{"what": "no dropout", "runs": [run(0.1, 0.0), run(0.3, 0.02)]}],
        "ensemble": {"members": [{}] * 5, **run(0.05, 0.0)},
    }
    path = tmp_path / neural_gpu_page.ABLATIONS
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(found))
    errors = [
        {"sharpness": sharpness, "length": length, "sequence_error": sharpness * length / 1000}
        for sharpness in (1.0, 2.0)
        for length in (100, 200)
    ]
    entry = {"entry": "a", "unit": "bits", "sharpness": 1.5, "rows": errors}
    path = tmp_path / neural_gpu_page.SHARPNESS
    path.write_text(json.dumps({"entries": [entry]}))
    row = {"probe": None, "least": 1, "length": 5, "examples": 1000}
    measured = {"model": "a", "lengths": [{**row, "sequence_error": 0.5, "bit_error": 0.1}]}
    path = tmp_path / neural_gpu_page.UNPUBLISHED / "a.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(measured))
    made = neural_gpu_page.tables(tmp_path, lambda path: json.loads(path.read_text()))
    assert "| no dropout | 2 | 20.00 % | 10.00 % | 30.00 % | 1.00 % |" in made["ablations"]
    assert "5 seeds averaged | 1 | 5.00 % |" in made["ablations"]
    assert "| `a` | 200 bits | 20.00 % | 40.00 % | 1.5 |" in made["sharpness"]
    assert "| `a` | up to 5 | 1,000 | 50.00 % | 10.00 % |" in made["unpublished"]
    found["ensemble"] = None
    assert "averaged" not in neural_gpu_page.ablations(found)
