"""NVMe without its mechanisms."""

from __future__ import annotations

from models.parts.flash import Flash
from models.parts.flash.cells import Cells
from models.parts.host.cores import CoresLayer
from sim import Delay


def a_core_that_takes_no_time(monkeypatch):
    monkeypatch.setattr(CoresLayer, "path", lambda self, io: self.below.path(io))


def a_drive_that_is_never_full(monkeypatch):
    monkeypatch.setattr(Flash, "transfer_s", lambda *_: 0.0)
    units_that_stand_in_for_each_other(monkeypatch)


def units_that_stand_in_for_each_other(monkeypatch):
    monkeypatch.setattr(Cells, "accessed", lambda _, time_s, *_pages: Delay(time_s))
