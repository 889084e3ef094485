"""Lessons executed in a kernel of their own, in an empty folder."""

from __future__ import annotations

from copy import deepcopy
from tempfile import TemporaryDirectory

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from traitlets import default

_PREPARE = "from stacksim.notebook.edition.worked_out import prepare; prepare(get_ipython())"

_LONGEST_CELL_S = 300


class ThisInterpreter(AsyncKernelManager):
    """The kernel ``python3`` of this interpreter, whatever kernels the user has."""

    @default("kernel_spec_manager")
    def _only_the_native_kernel(self) -> KernelSpecManager:
        return KernelSpecManager(kernel_dirs=[])


def executed(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """A copy of ``notebook`` with outputs for pages.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell failed.
    """
    copy = deepcopy(notebook)
    copy.cells.insert(0, nbformat.v4.new_code_cell(_PREPARE))  # type: ignore[no-untyped-call]
    with TemporaryDirectory() as folder:
        NotebookClient(
            copy,
            kernel_name="python3",
            kernel_manager_class=ThisInterpreter,
            timeout=_LONGEST_CELL_S,
            extra_arguments=["--log-level=ERROR"],
            resources={"metadata": {"path": folder}},
        ).execute()
    del copy.cells[0]
    return copy
