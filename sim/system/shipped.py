"""The folder of data that is shipped with the models."""

from __future__ import annotations

from pathlib import Path

from sim.engine.errors import InputError

OWN = Path(__file__).resolve().parents[2] / "models"
"""Folder of this installation's models."""

FOLDER = "calibration-data"

INSTALLED, CHECKOUT = OWN / FOLDER, OWN.parent / FOLDER
"""Path of the data in an installed wheel, and beside the models in a checkout."""


def shipped(file: str) -> Path:
    """Path of ``file`` in that folder.

    Raises:
        InputError: there is no such file; the installation is incomplete.
    """
    places = (INSTALLED / file, CHECKOUT / file)
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise InputError(f"no file at {' or '.join(map(str, places))}; install stacksim again")
    return path
