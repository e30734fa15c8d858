"""The notebooks run from beginning to end, and what they store is what their cells give."""

import sys
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("matplotlib")

FOLDER = Path(__file__).parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def kinds(cell):
    """Return what kinds of output a cell has: of text and pictures, not which."""
    return [(output.output_type, sorted(output.get("data", {}))) for output in cell.outputs]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_what_it_stores(path, monkeypatch):
    # Pictures go into the notebook.
    monkeypatch.delenv("MPLBACKEND", raising=False)
    monkeypatch.syspath_prepend(str(FOLDER))
    from run import digest, run

    stored = nbformat.read(path, as_version=4)
    nbformat.validate(stored)
    assert stored.metadata.ran == digest(stored), "the code has changed: run `make notebooks`"
    found = run(path)
    for before, after in zip(code_cells(stored), code_cells(found), strict=True):
        assert before.execution_count == after.execution_count, "run `make notebooks`"
        assert kinds(before) == kinds(after), f"run `make notebooks`: {before.source}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_stores_text_and_pictures_and_is_small(path):
    notebook = nbformat.read(path, as_version=4)
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    found = {kind for output in outputs for kind in output.get("data", {})}
    assert {"text/plain", "image/png"} <= found
    assert not [output for output in outputs if output.output_type == "error"]
    assert path.stat().st_size < 300_000
    # No path of the machine it ran on.
    assert sys.prefix not in path.read_text(encoding="utf-8")


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 6
