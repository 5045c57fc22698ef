"""Runs the notebooks of this folder and writes what their cells print and draw into them.

    python docs/notebooks/run.py

It takes the place of Jupyter, so that tests and this command need no more than matplotlib.
"""

import ast
import base64
import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("MPLBACKEND", "agg")

FOLDER = Path(__file__).resolve().parent


def read(path):
    """A notebook as a dict."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def run(notebook):
    """Run the code cells of a notebook from top to bottom, in the current folder.

    Args:
        notebook: a dict, whose cells get their outputs.

    Returns:
        The variables after the last cell, a dict.
    """
    variables = {"__name__": "__main__"}
    code = (cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    for number, cell in enumerate(code, start=1):
        cell["execution_count"] = number
        cell["outputs"] = run_cell("".join(cell["source"]), variables, number)
    return variables


def run_cell(source, variables, number):
    """The outputs of a cell: what it prints, the value of its last line, and its pictures."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, outputs, value = io.StringIO(), [], None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), variables)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), variables)
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"output_type": "stream", "name": "stdout", "text": text})
    pictures = drawn()
    if value is not None and not pictures:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        result = {"output_type": "execute_result", "execution_count": number, "metadata": {}}
        outputs.append({**result, "data": data})
    return outputs + pictures


def drawn():
    """Outputs with the figures that pyplot holds, which are closed."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    outputs = []
    for number in pyplot.get_fignums() if pyplot else ():
        file = io.BytesIO()
        pyplot.figure(number).savefig(file, dpi=70, bbox_inches="tight")
        data = {"image/png": base64.b64encode(file.getvalue()).decode()}
        outputs.append({"output_type": "display_data", "metadata": {}, "data": data})
    if pyplot:
        pyplot.close("all")
    return outputs


def as_markdown(notebook):
    """A notebook as a page: text, code, and below it what it printed and drew."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                parts.append(f"![picture](data:image/png;base64,{data['image/png']})")
            else:
                text = "".join(output.get("text") or data["text/plain"])
                parts.append(f"```text\n{text.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def main():
    """Run and write all notebooks."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        notebook = read(path)
        # What a notebook saves is not kept.
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            run(notebook)
        text = json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
        path.write_text(text, encoding="utf-8")
        print(path.name)


if __name__ == "__main__":
    main()
