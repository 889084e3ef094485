"""Parameters of the replicated database: times are those of version 4.0 in the study of 4.0 and 5.0.

A fitted one has a prior: its value here is the centre, and its bounds are two standard deviations away on each
side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from models.parameters import prior
from sim.system import Parameters, parameter


def _speed(what: str) -> Any:
    return prior(1.0, "1", f"times of {what}; a version or a machine differs by less than a half", 1.5)


@dataclass(frozen=True)
class RaftSqlParameters:
    """Times of statements and of entries of the log."""

    delay_s: float = prior(
        0.4e-3, "s", "of a statement on its way and in queues of the network: two hops and back"
    )
    work_s: float = prior(
        0.5e-3, "s", "of the cores of a statement that reads a row: parse, plan, two messages, read"
    )
    range_s: float = prior(3e-3, "s", "of the cores for a statement that reads 100 rows, besides")
    round_s: float = prior(
        1e-3, "s", "of a batch of the log: append, sync of an NVMe drive, and messages to a follower"
    )
    each_s: float = prior(30e-6, "s", "of a store for each entry: leader and followers, log and state")
    cores: float = parameter(
        120,
        "1",
        4,
        10_000,
        "assumed",
        "of all machines, for statements; not stated: three to nine machines of 16 to 40 processors",
        likely=(60, 250),
    )
    variation: float = parameter(
        0.5,
        "1",
        0.0,
        2.0,
        "assumed",
        "coefficient of variation of that work: parse, plan, ask and read, four steps in a row without memory",
        likely=(0.3, 1.0),
    )
    study_v4_v3: float = _speed("the study of versions 3.0 and 4.0")
    version_3_0: float = _speed("version 3.0, over 4.0 beside it")
    version_5_0: float = _speed("version 5.0, over 4.0 beside it")
    version_6_0: float = _speed("version 6.0 and its study, over version 5.0")
    version_6_1: float = _speed("version 6.1, over 6.0 beside it")


PARAMETERS = Parameters.of(RaftSqlParameters)
"""All parameters of the replicated database, before a fit."""
