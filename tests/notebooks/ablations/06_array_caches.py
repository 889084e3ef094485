"""Subject of lesson 06, taken out: runs that enter the cache, recognised runs, memory for writes."""

from __future__ import annotations

from dataclasses import replace

from models.parts.array_cache.cache import CachedArray


def writes_in_runs_are_not_kept(monkeypatch):
    """Sequential writes go past the cache, whatever its policy."""
    looked_up = CachedArray._looked_up  # noqa: SLF001  (the mechanism to take out)

    def past(self, io, times):
        return [] if io.op == "write" and io.sequential else looked_up(self, io, times)

    monkeypatch.setattr(CachedArray, "_looked_up", past)


def runs_are_not_told(monkeypatch):
    """The policy is not told which accesses are pieces of a run."""
    looked_up = CachedArray._looked_up  # noqa: SLF001  (the mechanism to take out)
    monkeypatch.setattr(
        CachedArray, "_looked_up", lambda self, io, times: looked_up(self, replace(io, sequential=False), times)
    )


def writes_wait_for_the_disks(monkeypatch):
    """The array answers no write from its memory, even with batteries."""
    for name in ("path", "behind"):
        method = getattr(CachedArray, name)
        monkeypatch.setattr(
            CachedArray, name, lambda self, io, method=method: method(replace(self, write_back=None), io)
        )
