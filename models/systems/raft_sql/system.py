"""Transactions of a replicated database, wired.

thread ──> statements: way, [cores] ──> prewrite: an entry for each row and index changed ──> commit: the first
                                                   └─ [stores] of the nodes that lead them       └─ others later

From 5.0 on clients do not wait for the commit, and a transaction of one entry needs none (asynchronous commit,
one-phase commit). Before, an update waits for two rounds of the log.
"""

from __future__ import annotations

from dataclasses import dataclass

from models import data_folder
from models.parts.raft_log import RaftLogs
from models.paths import varied
from models.systems.raft_sql.parameters import PARAMETERS, RaftSqlParameters
from sim import Closed, Delay, Fork, Model, Path, Repeat, Station, Step, Use
from sim.data.fitted import loaded
from sim.system import Scenario, Settings, System, choice, count

STUDIES = ("v4-v3", "v5-v4", "v6")
"""Comparisons of two versions each, with machines of their own."""

VERSIONS = ("3.0", "4.0", "5.0", "6.0", "6.1")
ASYNCHRONOUS = VERSIONS[2:]
"""Versions that return before a transaction is committed, once all its entries are written."""


@dataclass(frozen=True)
class RaftSqlSettings:
    """Threads of sysbench and their test."""

    threads: int = count(
        300, "of sysbench, each running one transaction after another", high=10_000, role="clients"
    )
    test: str = choice(
        "point_select",
        "read a row by its key; update a row, or a row and its index; 18 statements, four of which write",
        ("point_select", "update_non_index", "update_index", "read_write"),
    )
    version: str = choice("5.0", "of the database", VERSIONS)
    study: str = choice("v5-v4", "on whose machines", STUDIES)
    nodes: int = count(3, "machines that store the data", low=3, high=64)


_GROUP = "transactions"


@dataclass(frozen=True)
class Transaction:
    """Statements and log entries of a sysbench transaction.

    Attributes:
        rows: statements that find one row, changed or not.
        ranges: statements that read a hundred rows.
        entries: entries of the log: each changed row, and each of its indexes.
    """

    rows: int
    ranges: int = 0
    entries: int = 0


TESTS = {
    "point_select": Transaction(rows=1),
    "update_non_index": Transaction(rows=1, entries=1),
    "update_index": Transaction(rows=1, entries=2),
    "read_write": Transaction(rows=14, ranges=4, entries=7),
}
"""Transactions of sysbench (oltp_*.lua), whose tables have one index. read_write: ten rows and four ranges are
read; an update of the index and one without, a row deleted and inserted."""


@dataclass(frozen=True)
class _Database:
    settings: RaftSqlSettings
    parameters: RaftSqlParameters

    @property
    def slowness(self) -> float:
        """Factor from the times of 4.0 in the study with 5.0."""
        s, p = self.settings, self.parameters
        factors = {
            "3.0": (p.version_3_0,),
            "4.0": (),
            "5.0": (p.version_5_0,),
            "6.0": (p.version_5_0, p.version_6_0),
            "6.1": (p.version_5_0, p.version_6_0, p.version_6_1),
        }[s.version]
        slowness = p.study_v4_v3 if s.study == "v4-v3" else 1.0
        for factor in factors:
            slowness *= factor
        return slowness

    @property
    def logs(self) -> RaftLogs:
        """Raft logs of the nodes."""
        p = self.parameters
        return RaftLogs(self.settings.nodes, p.round_s * self.slowness, p.each_s * self.slowness)

    def transaction(self) -> Path:
        """One transaction."""
        kind, p = TESTS[self.settings.test], self.parameters
        rows = Repeat(kind.rows, *self._statement(p.work_s))
        ranges = (Repeat(kind.ranges, *self._statement(p.work_s + p.range_s)),) if kind.ranges else ()
        return (rows, *ranges, *self._written(kind.entries))

    def _statement(self, work_s: float) -> tuple[Step, ...]:
        cores = Station("cores", round(self.parameters.cores))
        way = Delay(self.parameters.delay_s * self.slowness)
        work = varied(work_s * self.slowness, self.parameters.variation, "assumed: four steps in a row")
        return (way, Use(cores, work))

    def _written(self, entries: int) -> Path:
        """All entries in parallel; then, unless there is only one phase, the commit of each."""
        if not entries:
            return ()
        entry = self.logs.written()
        prewritten = Fork(*[entry] * entries)
        if self.settings.version in ASYNCHRONOUS:
            return (prewritten, Fork(*[entry] * entries, wait=False)) if entries > 1 else (prewritten,)
        others = (Fork(*[entry] * (entries - 1), wait=False),) if entries > 1 else ()
        return (prewritten, *entry, *others)


def _build(settings: RaftSqlSettings, parameters: RaftSqlParameters) -> Scenario:
    """All threads, and the stores; the answer is transactions a second."""
    database = _Database(settings, parameters)
    threads = Closed("threads", settings.threads, database.transaction(), group=_GROUP)
    stores = database.logs.stores() if TESTS[settings.test].entries else ()
    return Scenario(
        Model([threads, *stores]),
        _GROUP,
        1.0,
        "transactions/s",
        compared="95th percentiles of the same tables",
    )


RAFT_SQL = System(
    name="raft-sql",
    title="transactions of sysbench on a distributed SQL database, three replicas by Raft (2019 to 2022)",
    settings=Settings.of(RaftSqlSettings),
    parameters=loaded(PARAMETERS, data_folder(), "raft-sql"),
    build=_build,
    data_package=data_folder(),
)
