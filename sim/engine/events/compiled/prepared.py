"""Machine code in the package: made when the wheel was built, for all processors of a level.

An object file of Linux needs neither Numba nor the version of LLVM that made it. Other systems, other processors
and other sources compile their own.
"""

from __future__ import annotations

import platform
from pathlib import Path

from llvmlite import binding as llvm  # type: ignore[import-untyped]

from sim.engine.events.compiled import compilation, object_code
from sim.engine.files import write_atomically

LEVELS = {"x86-64-v2": frozenset({"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"})}
"""Features that a processor needs for code of a level, with LLVM's names. Code for higher levels, and for the
exact processor, was no faster: nothing in the loop is long enough for wider vectors."""

FOLDER = Path(__file__).with_name("prepared_code")


def code() -> bytes | None:
    """The code that fits this processor and these sources; None if there is none."""
    features: dict[str, bool] = llvm.get_host_cpu_features()
    for level, needed in LEVELS.items():
        if all(features.get(feature) for feature in needed):
            try:
                return object_code.unpacked((FOLDER / name_of(level)).read_bytes())
            except OSError:
                continue
    return None


def prepare(folder: Path) -> None:
    """Write the code of each level into ``folder``, if this system and its processors have such levels."""
    if (platform.system(), platform.machine()) == ("Linux", "x86_64"):
        assembly = compilation.intermediate_code()
        for level in LEVELS:
            write_atomically(folder / name_of(level), object_code.packed(object_code.emitted(assembly, level)))


def name_of(level: str) -> str:
    """Name of the file with code of ``level`` for these sources."""
    return f"{platform.system()}-{level}-{object_code.sources().hex()}.o".lower()
