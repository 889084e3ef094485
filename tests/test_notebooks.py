"""Every lesson runs from top to bottom, draws something, and is committed without what it printed."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from traitlets import default

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
LONGEST_CELL_S = 300
FIRST_USE = "Matplotlib is building the font cache"
"""What a machine says once that never drew before, if it is slow."""

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


class ThisInterpreter(AsyncKernelManager):
    """The kernel ``python3`` of the interpreter that runs the tests, whatever kernels the user has."""

    @default("kernel_spec_manager")
    def _only_the_native_kernel(self):
        return KernelSpecManager(kernel_dirs=[])


@pytest.fixture
def executed(tmp_path, monkeypatch):
    """Execute a notebook in an empty folder, without the user's settings of Jupyter, IPython and Matplotlib."""
    for variable in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    monkeypatch.delenv("MPLBACKEND", raising=False)  # else the kernel would not show pictures in the notebook
    folder = tmp_path / "elsewhere"
    folder.mkdir()

    def execute(notebook):
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            kernel_manager_class=ThisInterpreter,
            timeout=LONGEST_CELL_S,
            resources={"metadata": {"path": str(folder)}},
        )
        return client.execute()

    return execute


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def outputs(notebook):
    return [output for cell in code_cells(notebook) for output in cell.outputs]


def notebook_of(*sources):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])


def test_there_are_notebooks():
    assert NOTEBOOKS


@every_notebook
def test_is_committed_as_written_and_not_as_run(path):
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert notebook.metadata.kernelspec.name == "python3"
    for cell in code_cells(notebook):
        assert cell.outputs == [], f"cell {cell.id} has outputs; clear them"
        assert cell.execution_count is None, f"cell {cell.id} has a number; clear the outputs"


@pytest.mark.long
@every_notebook
def test_runs_and_draws(path, executed):
    shown = outputs(executed(nbformat.read(path, as_version=4)))
    assert any("image/png" in output.get("data", {}) for output in shown)
    complaints = [output.text for output in shown if output.get("name") == "stderr"]
    assert [text for text in complaints if FIRST_USE not in text] == []


def test_the_kernel_is_the_interpreter_of_the_tests(executed):
    (shown,) = outputs(executed(notebook_of("import sys; print(sys.executable, end='')")))
    assert shown.text == sys.executable


def test_a_failing_cell_would_be_noticed(executed):
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        executed(notebook_of("1 / 0", "2"))
