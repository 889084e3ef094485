"""Settings of the system ``raft-sql``."""

from __future__ import annotations

from dataclasses import dataclass

from sim.system import choice, count

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
