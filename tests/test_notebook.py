"""The notebook runs from its first cell to its last, and shows what it says."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).resolve().parent.parent / "examples" / "notebook.py"


@pytest.mark.filterwarnings("default")
def test_every_cell_runs() -> None:
    pytest.importorskip("marimo")
    spec = importlib.util.spec_from_file_location("notebook", NOTEBOOK)
    assert spec is not None
    assert spec.loader is not None
    notebook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(notebook)
    shown, names = notebook.app.run()
    assert len(shown) == 6
    assert names["sizes"] == [4, 6, 8]
    assert all(mean > 0 for mean in names["means"])
    assert "<table>" in names["comparison"]._repr_html_()
