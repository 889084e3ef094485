"""Subject of lesson 01, taken out: waiting for a place, the time of a drive, the buffer before the disks."""

from __future__ import annotations

from dataclasses import replace

from models.parts.flash import FlashLayer, device
from models.parts.flash.cells import Cells
from models.parts.host.cores import CoresLayer
from models.parts.page_cache.window import Window
from models.systems.dbfs import dd
from sim import Delay


def nobody_queues(monkeypatch):
    """Cores and drive serve as many at once as there are."""

    def path(self, io):
        return (Delay(self.time_s), *self.below.path(replace(io, core=self.cores[0])), Delay(self.interrupt_s))

    monkeypatch.setattr(CoresLayer, "path", path)
    monkeypatch.setattr(device, "_used", lambda _, time_s: (Delay(time_s),))
    monkeypatch.setattr(Cells, "accessed", lambda _, time_s, *_pages: Delay(time_s))


def instant_drive(monkeypatch):
    """A drive takes no time."""
    monkeypatch.setattr(FlashLayer, "path", lambda *_: ())


def write_through(monkeypatch):
    """A writer waits until the bytes are where they belong."""
    monkeypatch.setattr(dd, "_part", dd._part.__wrapped__)  # noqa: SLF001  (what it keeps is not to be kept)
    path = Window.path
    monkeypatch.setattr(Window, "path", lambda self, io: (*self.below.path(io), *path(self, io)))
