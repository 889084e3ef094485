"""Every lesson as a student runs it: in a kernel of its own, from top to bottom, in less than a minute."""

from __future__ import annotations

import sys
import time

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from lessons import NOTEBOOKS, Lesson
from stacksim.notebook.edition.executing import ThisInterpreter

pytestmark = pytest.mark.slow

LONGEST_CELL_S = 300
LONGEST_LESSON_S = 60
FIRST_USE = "Matplotlib is building the font cache"
"""Messages of a machine that draws for the first time, if it is slow."""


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


def outputs(notebook):
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def notebook_of(*sources):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])


def draws(output):
    """True if there is a picture in the output of a cell."""
    data = output.get("data", {})
    html = data.get("text/html", "")
    return any(kind.startswith("image/") for kind in data) or "<img" in html or "<svg" in html


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_lesson_runs_and_draws(path, executed):
    begin = time.perf_counter()
    shown = outputs(executed(Lesson.of(path).notebook))
    assert time.perf_counter() - begin < LONGEST_LESSON_S
    assert any(map(draws, shown))
    complaints = [output.text for output in shown if output.get("name") == "stderr"]
    assert [text for text in complaints if FIRST_USE not in text] == []


def test_the_kernel_is_the_interpreter_of_the_tests(executed):
    (shown,) = outputs(executed(notebook_of("import sys; print(sys.executable, end='')")))
    assert shown.text == sys.executable


def test_failing_cell_is_detected(executed):
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        executed(notebook_of("1 / 0", "2"))
