"""Subject of lesson 02, taken out: a log that takes time, a place for one at a time, unequal requests."""

from __future__ import annotations

from dataclasses import replace

from models.parts.flash import FlashLayer
from models.parts.fuse.request import FuseRequests
from models.parts.log_device import LogDevice
from models.systems.dbfs import dd
from sim import Station


def free_log(monkeypatch):
    """Writing the log takes no time."""
    monkeypatch.setattr(LogDevice, "path", lambda *_: ())


def many_queues(monkeypatch):
    """A mount hands over as many calls at once as there are."""
    monkeypatch.setattr(dd, "_part", dd._part.__wrapped__)  # noqa: SLF001  (what it keeps is not to be kept)
    served = FuseRequests.served

    def at_once(self, *work, size_bytes=0):
        queue = Station(self.queue.name, 64)
        return served(replace(self, queue=queue), *work, size_bytes=size_bytes)

    monkeypatch.setattr(FuseRequests, "served", at_once)


def all_alike(monkeypatch):
    """A write takes a drive as long as a read."""
    path = FlashLayer.path
    monkeypatch.setattr(FlashLayer, "path", lambda self, io: path(self, replace(io, op="read")))
