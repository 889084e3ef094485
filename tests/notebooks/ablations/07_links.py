"""Subject of lesson 07, taken out: line code and frames, a link for each read, copies by the cores."""

from __future__ import annotations

from dataclasses import replace

from models.parts.link.fabrics import FABRICS
from models.parts.link.link import Link
from sim.data.hardware import hardware


def every_bit_is_data(monkeypatch):
    """Neither line code nor frames: what is on the line arrives."""
    line_bytes_per_s = hardware("fc-2").line.bits_per_s / 8
    monkeypatch.setitem(FABRICS, "fc-2", replace(FABRICS["fc-2"], bytes_per_s=line_bytes_per_s))


def a_read_is_spread_over_all_links(monkeypatch):
    """All links carry each I/O together, as one that is as fast as all of them."""
    paths = Link.paths

    def as_one(fabric, count, latency_s, lost=0):
        return paths(replace(fabric, bytes_per_s=(count - lost) * fabric.bytes_per_s), 1, latency_s)

    monkeypatch.setattr(Link, "paths", as_one)


def ethernet_has_dma(monkeypatch):
    """The card of Ethernet moves data by itself, as others do."""
    monkeypatch.setitem(FABRICS, "gbe-10", replace(FABRICS["gbe-10"], dma=True))
