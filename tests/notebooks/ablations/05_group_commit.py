"""Subject of lesson 05, taken out: commits that share a write, the wait for all log writers, leaders."""

from __future__ import annotations

from models.parts import leader_commit
from models.parts.log_writer import ALL_WORKERS, Commits
from sim import Hold, IfAny, Lock, Pool


def each_commit_writes(monkeypatch):
    """A session posts its commit only when a log writer has nothing else to do, so that none are gathered."""
    commit = Commits.commit

    def alone(self, sessions):
        return (Hold(Pool("one for each writer", self.kind.workers), *commit(self, sessions)),)

    monkeypatch.setattr(Commits, "commit", alone)


def never_waits_for_all(monkeypatch):
    """The log writer takes the next worker at once, whoever has come meanwhile."""
    in_turn = Commits.taken_in_turn
    monkeypatch.setattr(Commits, "taken_in_turn", lambda self: tuple(map(_passed, in_turn(self))))


def _passed(step):
    waits = isinstance(step, IfAny) and any(getattr(each, "held", None) == Pool(ALL_WORKERS) for each in step.some)
    return Hold(Pool(ALL_WORKERS)) if waits else step


def nobody_leads(monkeypatch):
    """Each session writes and flushes its own commit, one after the other."""

    def alone(stages):
        return tuple(Hold(Lock(f"{stage.name} lock").exclusive, *stage.work) for stage in stages)

    monkeypatch.setattr(leader_commit, "_through", alone)
    monkeypatch.setattr(leader_commit, "_if_free", lambda log: alone([log]))
