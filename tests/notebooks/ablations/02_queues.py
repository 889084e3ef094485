"""Subject of lesson 02, taken out: a log that takes time, a core for one read at a time, unequal requests."""

from __future__ import annotations

from dataclasses import replace

from models.parts.flash import FlashLayer
from models.parts.host.cores import CoresLayer
from models.parts.log_device import LogDevice


def free_log(monkeypatch):
    """Writing the log takes no time."""
    monkeypatch.setattr(LogDevice, "path", lambda *_: ())


def a_core_that_takes_no_time(monkeypatch):
    """A process submits as many reads at once as it likes."""
    monkeypatch.setattr(CoresLayer, "path", lambda self, io: self.below.path(io))


def all_alike(monkeypatch):
    """A write takes a drive as long as a read."""
    path = FlashLayer.path
    monkeypatch.setattr(FlashLayer, "path", lambda self, io: path(self, replace(io, op="read")))
