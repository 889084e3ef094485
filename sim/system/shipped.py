"""The folder of data that came with the models."""

from __future__ import annotations

from pathlib import Path

from sim.errors import InputError

OWN = Path(__file__).resolve().parents[2] / "models"
"""The models that came with this package."""

FOLDER = "calibration-data"

INSTALLED, CHECKOUT = OWN / FOLDER, OWN.parent / FOLDER
"""Where it lies inside an installed wheel, and beside the models in a checkout."""


def shipped(file: str) -> Path:
    """The ``file`` of that folder.

    Raises:
        InputError: there is none; stacksim is not whole.
    """
    places = (INSTALLED / file, CHECKOUT / file)
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise InputError(f"no file at {' or '.join(map(str, places))}; install stacksim again")
    return path
