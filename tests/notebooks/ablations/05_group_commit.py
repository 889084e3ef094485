"""What lesson 05 is about, taken out: commits that share a write, the wait for all log writers, leaders."""

from __future__ import annotations

from dataclasses import replace

from models.database import leader_commit
from models.database.group_commit import ALL_WORKERS, GroupCommit
from sim import Hold, IfAny, Lock, Pool


def each_commit_writes(monkeypatch):
    """A session posts its commit only when a log writer has nothing else to do, so that none are gathered."""
    session = GroupCommit.session

    def alone(self, *args, **named):
        workload = session(self, *args, **named)
        *work, post, sync = workload.path
        return replace(workload, path=(*work, Hold(Pool("one for each writer", self.writers), post, sync)))

    monkeypatch.setattr(GroupCommit, "session", alone)


def never_waits_for_all(monkeypatch):
    """The log writer takes the next worker at once, whoever has come meanwhile."""
    log_writer = GroupCommit.log_writer

    def at_once(self, name, *, group):
        workload = log_writer(self, name, group=group)
        return replace(workload, path=tuple(map(_passed, workload.path)))

    monkeypatch.setattr(GroupCommit, "log_writer", at_once)


def _passed(step):
    waits = isinstance(step, IfAny) and any(getattr(each, "held", None) == Pool(ALL_WORKERS) for each in step.some)
    return Hold(Pool(ALL_WORKERS)) if waits else step


def nobody_leads(monkeypatch):
    """Each session writes and flushes its own commit, one after the other."""

    def alone(stages):
        return tuple(Hold(Lock(f"{stage.name} lock").exclusive, *stage.work) for stage in stages)

    monkeypatch.setattr(leader_commit, "_through", alone)
