"""Columns of PostgreSQL's statistics views, with their measures and units.

Names and units are those of the manual of PostgreSQL 13 to 18 ("The Cumulative Statistics System",
"pg_stat_statements"); times are in milliseconds. Columns that a version lacks are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """Sum of the columns ``total``, in ``unit``, per second or divided by the columns ``per``.

    Attributes:
        scale: factor from the column's unit to ``unit``.
        each: a column to multiply by, such as bytes of an operation.
    """

    measure: str
    total: tuple[str, ...]
    unit: str
    scale: float = 1.0
    per: tuple[str, ...] = ()
    each: str = ""


@dataclass(frozen=True)
class View:
    """A view: the columns that identify it, its key columns, and its figures.

    Attributes:
        part: function from a row's columns to its name for users.
    """

    marks: frozenset[str]
    key: tuple[str, ...]
    part: Callable[[Mapping[str, str]], str]
    figures: tuple[Figure, ...]


_MB = 1e-6
_MS = 1e-3
_LONGEST_QUERY = 48


def _query(cells: Mapping[str, str]) -> str:
    """Number and beginning of a statement."""
    words = " ".join(cells.get("query", "").split())
    cut = words if len(words) <= _LONGEST_QUERY else f"{words[: _LONGEST_QUERY - 1]}…"
    return f"{cells['queryid']} {cut}".strip()


_BLOCKS_READ = ("shared_blks_read", "local_blks_read")
_BLOCKS_WRITTEN = ("shared_blks_written", "local_blks_written")

STATEMENTS = View(
    frozenset({"queryid", "calls"}),
    ("userid", "dbid", "queryid", "toplevel"),
    _query,
    (
        Figure("calls", ("calls",), "calls/s"),
        Figure(
            "mean_execution_time", ("total_exec_time", "total_time"), "s", _MS, ("calls",)
        ),  # total_time before 13
        Figure("rows", ("rows",), "rows", per=("calls",)),
        Figure("block_reads", _BLOCKS_READ, "blocks/s"),
        Figure(
            "mean_block_read_time",
            ("blk_read_time", "shared_blk_read_time", "local_blk_read_time"),
            "s",
            _MS,
            _BLOCKS_READ,
        ),
        Figure("block_writes", _BLOCKS_WRITTEN, "blocks/s"),
        Figure(
            "mean_block_write_time",
            ("blk_write_time", "shared_blk_write_time", "local_blk_write_time"),
            "s",
            _MS,
            _BLOCKS_WRITTEN,
        ),
        Figure("temporary_block_reads", ("temp_blks_read",), "blocks/s"),
        Figure("temporary_block_writes", ("temp_blks_written",), "blocks/s"),
        Figure("wal_throughput", ("wal_bytes",), "MB/s", _MB),
        Figure("wal_bytes", ("wal_bytes",), "bytes", per=("calls",)),
    ),
)

WAL = View(
    frozenset({"wal_records", "wal_fpi", "wal_bytes", "wal_buffers_full"}),
    (),
    lambda _cells: "WAL",
    (
        Figure("wal_throughput", ("wal_bytes",), "MB/s", _MB),
        Figure("wal_records", ("wal_records",), "records/s"),
        Figure("full_page_images", ("wal_fpi",), "pages/s"),
        Figure("buffers_full", ("wal_buffers_full",), "1/s"),
        Figure("writes", ("wal_write",), "writes/s"),
        Figure("mean_write_time", ("wal_write_time",), "s", _MS, ("wal_write",)),
        Figure("syncs", ("wal_sync",), "syncs/s"),
        Figure("mean_sync_time", ("wal_sync_time",), "s", _MS, ("wal_sync",)),
    ),
)

IO = View(
    frozenset({"backend_type", "object", "context", "reads", "writes"}),
    ("backend_type", "object", "context"),
    lambda cells: "/".join(cells[name] for name in ("backend_type", "object", "context")),
    tuple(
        figure
        for one, many, unit in (
            ("read", "reads", "reads/s"),
            ("write", "writes", "writes/s"),
            ("extend", "extends", "extends/s"),
            ("fsync", "fsyncs", "syncs/s"),
        )
        for figure in (
            Figure(many, (many,), unit),
            Figure(f"{one}_throughput", (f"{one}_bytes",), "MB/s", _MB),  # since 18
            *(() if one == "fsync" else (Figure(f"{one}_throughput", (many,), "MB/s", _MB, each="op_bytes"),)),
            Figure(f"mean_{one}_time", (f"{one}_time",), "s", _MS, (many,)),
        )
    ),
)

VIEWS = (STATEMENTS, WAL, IO)
"""All views in the order of recognition: the columns of statements include those of WAL."""
