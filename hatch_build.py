"""What a wheel gets beside its files: machine code of the event loop, so that no user waits for the compiler.

An editable install compiles its own, for its sources change.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PREPARE = (
    "import sys, pathlib; from sim.engine.events.compiled import prepared; "
    "prepared.prepare(pathlib.Path(sys.argv[1]))"
)


class MachineCode(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles where the compiler is: a build of its own environment (``--no-isolation``) has it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        if find_spec("numba") is None:
            self.app.display_warning(
                "no machine code in this wheel, for there is no Numba: build with --no-isolation"
            )
            return
        folder = tempfile.mkdtemp()
        subprocess.run([sys.executable, "-c", PREPARE, folder], cwd=self.root, check=True)  # noqa: S603  (our own)
        included = {
            str(file): f"sim/engine/events/compiled/prepared_code/{file.name}" for file in Path(folder).iterdir()
        }
        build_data["force_include"].update(included)
