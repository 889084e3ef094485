"""Subject of lesson 15, taken out: dirty pages, and drives slower than what is before them."""

from __future__ import annotations

from models.parts.flash import Flash
from models.systems.san import SAN
from sim.system.what_if import with_set


def no_dirty_pages(monkeypatch):
    """Next to nothing of the memory of host and array may be dirty."""
    monkeypatch.setattr("models.systems.san.SAN", with_set(SAN, {"dirty_share": 1e-3, "array_dirty_share": 1e-2}))


def a_drive_that_keeps_up(monkeypatch):
    """Bytes pass the drive in no time."""
    monkeypatch.setattr(Flash, "transfer_s", lambda *_: 0.0)
