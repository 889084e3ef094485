"""Subject of lesson 16, taken out: limits out of an anchor's reach, old mechanisms, several structures."""

from __future__ import annotations

from dataclasses import replace

from models.parts.flash import Flash
from models.parts.flash.cells import Cells
from models.systems.dbfs import DBFS
from models.systems.exadata import EXADATA
from sim import Delay
from sim.system.what_if import with_set


def a_drive_that_is_never_full(monkeypatch):
    """Bytes pass the drive in no time, and any unit serves any read."""
    monkeypatch.setattr(Flash, "transfer_s", lambda *_: 0.0)
    monkeypatch.setattr(Cells, "accessed", lambda _, time_s, *_pages: Delay(time_s))


def memory_of_the_newest(monkeypatch):
    """The model has the memory of the newest generation."""
    monkeypatch.setattr("models.systems.exadata.EXADATA", with_set(EXADATA, {"memory_s": 13.7e-6}))


def one_structure(monkeypatch):
    """There is only one way to build such a system."""
    monkeypatch.setattr("models.systems.dbfs.DBFS", replace(DBFS, rivals=()))
