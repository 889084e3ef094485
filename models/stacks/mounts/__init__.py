"""Initial stacks of a measurement, by the storage of a directory; facts replace `$…`."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent


def __getattr__(name: str) -> str:
    """The text of the file with this name, in capitals: ``DISK`` is ``disk.toml``."""
    path = FOLDER / f"{name.lower()}.toml"
    if not path.is_file():
        raise AttributeError(name)
    return path.read_text(encoding="utf-8")
