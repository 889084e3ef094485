"""Subject of lesson 04, taken out: who may write a file at the same time as others."""

from __future__ import annotations

from models.parts.file import lock_rules
from models.parts.file.lock_rules import LockRule


def _rule(monkeypatch, changed):
    """Whatever a file system's rule is, it is ``changed(rule, aligned)`` now."""
    own = lock_rules._Rules.rule  # noqa: SLF001  (the one place that knows all rules)

    def rule(self, extents, *, aligned):
        return changed(lambda aligned: own(self, extents, aligned=aligned), aligned)

    monkeypatch.setattr(lock_rules._Rules, "rule", rule)  # noqa: SLF001  (the same)


def share_nothing(monkeypatch):
    """No file system lets writers share its lock."""
    _rule(monkeypatch, lambda own, aligned: LockRule(own(aligned).read, "exclusive", own(aligned).source))


def lock_nothing(monkeypatch):
    """No file system locks."""
    _rule(monkeypatch, lambda own, aligned: LockRule("free", "free", own(aligned).source))


def align_everything(monkeypatch):
    """All writes are taken for whole blocks."""
    _rule(monkeypatch, lambda own, _: own(aligned=True))
