"""A drive and its host without the mechanisms that figures could show, or hide."""

from __future__ import annotations

from dataclasses import replace

from models.parts.host.cores import CoresLayer

PATH = CoresLayer.path


def a_core_that_takes_no_time(monkeypatch):
    monkeypatch.setattr(CoresLayer, "path", lambda self, io: PATH(replace(self, time_s=0.0), io))


def processes_that_poll(monkeypatch):
    monkeypatch.setattr(CoresLayer, "path", lambda self, io: PATH(replace(self, interrupt_s=0.0), io))
