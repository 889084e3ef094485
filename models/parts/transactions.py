"""Transactions of a client on the host of its database, statement by statement.

statement    client: work, message ──> session: work, message ──> client
insert       one statement, whose session commits before it answers
tpcb-like    begin, three statements ──> [row of a branch, one of scale]: update, insert, commit ──> answer

These are pgbench's transactions (doc/src/sgml/ref/pgbench.sgml of PostgreSQL): the balance of a branch is updated
in the fifth of seven messages, and its row stays locked until the commit is done. A session that finds it locked
sleeps until it owns the lock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from models.parts.host.messages import MessageCores
from sim import Buffer, Choose, Hold, IfAny, Lock, Path, Put, Repeat, Step, Take

_ANY_NUMBER = 1 << 30


@dataclass(frozen=True)
class Script:
    """Messages of a client for a transaction.

    Attributes:
        messages: number of statements, each sent once the one before is answered.
        locked: number of the last statements with the row of a branch locked; 0 if it locks none.
    """

    messages: int
    locked: int = 0

    def path(self, cores: MessageCores, cpu_s: float, branches: Sequence[Lock], commit: Path) -> Path:
        """A transaction with ``cpu_s`` of the cores, spread evenly over both sides of each statement."""
        side_s = cpu_s / (2 * self.messages)
        side, half = cores.message(side_s), side_s / 2
        last = max(1, self.locked)
        held = (*_times(last - 1, *side, *side), *cores.work(half), *commit)
        chosen: Path = held
        if self.locked:
            chosen = (Choose(*((1.0 / len(branches), _of(row, cores, held)) for row in branches)),)
        return (*_times(self.messages - last, *side, *side), *side, *chosen, *cores.message(half))


def _of(row: Lock, cores: MessageCores, held: Path) -> Path:
    """Steps with a row locked; a session that waited for it owns it while it wakes up."""
    waited = Buffer(f"{row.name} waited for", _ANY_NUMBER)
    woken = (IfAny(waited, (Take(waited), *cores.woken)),)
    return (IfAny(row, Put(waited)), Hold(row.exclusive, *woken, *held))


def _times(times: int, *steps: Step) -> Path:
    return (Repeat(times, *steps),) if times else ()


SCRIPTS: Mapping[str, Script] = MappingProxyType(
    {"plain": Script(0), "insert": Script(1), "tpcb-like": Script(7, locked=3)}
)
"""Scripts by name; a plain transaction is work without messages."""
