"""Subject of lesson 08, taken out: flushes of the drive, reads of records, and bytes written twice."""

from __future__ import annotations

from dataclasses import replace

from models.parts.disk import Disk
from models.parts.zfs.intent_log import IntentLog
from models.parts.zfs.records import Records


def the_drive_need_not_write(monkeypatch):
    """A flush comes back at once, whatever is still in the drive's cache."""
    monkeypatch.setattr(Disk, "flush", ())


def records_are_never_read(monkeypatch):
    """The rest of a partly written record need not be known."""
    monkeypatch.setattr(Records, "_read", lambda *_: ())


def small_pieces_are_written_once(monkeypatch):
    """Pieces of any size go to their final place at once."""
    path = IntentLog.path
    monkeypatch.setattr(IntentLog, "path", lambda self, io: path(replace(self, immediate_bytes=0), io))
