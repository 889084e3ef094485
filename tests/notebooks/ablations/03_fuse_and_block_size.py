"""Subject of lesson 03, taken out: the cost of a call through FUSE of any size, its one queue, pages."""

from __future__ import annotations

from dataclasses import replace

from models.parts.fuse.mount import REQUEST_BYTES, FuseMount
from models.parts.fuse.request import FuseRequests
from models.systems.dbfs import dd
from sim import Station


def _anew(monkeypatch):
    """Nothing that was built with the mechanism is used, nor is anything kept that is built without."""
    monkeypatch.setattr(dd, "_part", dd._part.__wrapped__)  # noqa: SLF001  (what it keeps is not to be kept)


def cost_by_the_byte(monkeypatch):
    """A request costs as much a byte as the largest one does, and nothing besides."""
    _anew(monkeypatch)
    moved = FuseMount._moved  # noqa: SLF001  (one request with its bytes)

    def by_the_byte(self, io):
        share = io.size_bytes / REQUEST_BYTES
        names = ("queue_s", "handler_s", "wake_s")
        times = replace(
            self.requests.times, **{each: share * getattr(self.requests.times, each) for each in names}
        )
        return moved(replace(self, requests=replace(self.requests, times=times)), io)

    monkeypatch.setattr(FuseMount, "_moved", by_the_byte)


def many_queues(monkeypatch):
    """A mount hands over as many calls at once as there are."""
    _anew(monkeypatch)
    served = FuseRequests.served

    def at_once(self, *work, size_bytes=0):
        queue = Station(self.queue.name, 64)
        return served(replace(self, queue=queue), *work, size_bytes=size_bytes)

    monkeypatch.setattr(FuseRequests, "served", at_once)


def never_pages(monkeypatch):
    """Every mount hands over large requests."""
    _anew(monkeypatch)
    path = FuseMount.path
    monkeypatch.setattr(FuseMount, "path", lambda self, io: path(replace(self, direct_io=True), io))
