"""The notebooks of the guides run from beginning to end, offline, without a warning.

`ASLANT_WRITE_KEPT=1` keeps what comes out in the files, for those who read them without running them.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import aslant

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "examples"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
#: Seconds for one cell: only so that one that hangs does not stop everything.
SAFETY_NET = 900
#: Stands before the first cell: a warning is an error, as everywhere in the tests, but for those of the kernel itself.
STRICT = """import warnings
warnings.simplefilter("error")
warnings.filterwarnings("default", module="ipykernel|zmq|tornado|jupyter_client|asyncio")
warnings.simplefilter("default", PendingDeprecationWarning)
warnings.filterwarnings("default", ".*: (a|one) list|.*words in column")  # how lists of one's own were read
"""


def run(notebook: Any, folder: Path) -> None:
    """Run the cells of `notebook` in `folder`, in a process of this Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that talk to the other process
        client = nbclient.NotebookClient(notebook, timeout=SAFETY_NET, resources={"metadata": {"path": str(folder)}})
        client.create_kernel_manager()
        client.km.kernel_spec.argv[0] = sys.executable  # whatever Python the machine's kernel names
        asyncio.run(client.async_execute())


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_beginning_to_end(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASLANT_OFFLINE", "1")
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    source, first.source = first.source, STRICT + first.source
    run(notebook, tmp_path)
    if os.environ.get("ASLANT_WRITE_KEPT"):
        first.source = source
        for cell in notebook.cells:
            cell.metadata.clear()
            for output in cell.get("outputs", ()):
                if "text" in output:  # of warnings, no path of this machine
                    output.text = re.sub(r"\S*ipykernel_\d+\S*\.py", "<cell>", output.text)
        notebook.metadata["language_info"] = {"name": "python"}
        nbformat.write(notebook, path)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    assert not [output for cell in code for output in cell.outputs if output.output_type == "error"]


def test_what_is_kept_is_of_the_sample_that_ships() -> None:
    for name in ("engineer", "reviewer"):
        assert aslant.load().fingerprint in (FOLDER / f"{name}.ipynb").read_text(), "run with ASLANT_WRITE_KEPT=1"


def test_a_notebook_with_an_error_or_a_warning_fails(tmp_path: Path) -> None:
    for source in ("1 / 0", "import warnings; warnings.warn('careful')"):
        cells = [nbformat.v4.new_code_cell(STRICT + source)]
        with pytest.raises(nbclient.exceptions.CellExecutionError):
            run(nbformat.v4.new_notebook(cells=cells), tmp_path)
