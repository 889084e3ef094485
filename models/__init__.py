"""Storage stacks, built from the vocabulary of the engine (`sim`) and settings and parameters of `sim.system`."""

from __future__ import annotations

from pathlib import Path

from sim import InputError

_PLACES = (Path(__file__).parent / "calibration-data", Path(__file__).parent.parent / "calibration-data")


def data_folder() -> Path:
    """Folder of the data package of published figures: in an installed wheel, or beside this package."""
    for folder in _PLACES:
        if folder.is_dir():
            return folder
    raise InputError(f"no calibration data at {' or '.join(map(str, _PLACES))}; install stacksim again")
