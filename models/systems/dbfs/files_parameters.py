"""Parameters of the DBFS file operations, with the arithmetic that derives four of them from published times.

Parameters of mounts, sessions, cards and cells are those of the dbfs system, fitted to tables 4 to 6. New are four
times of the database. A single process does not queue, so the time of a file is the sum of its requests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from models.io import IO, Op
from models.systems.dbfs.costs import Costs, extended, inherited
from models.systems.dbfs.dd import DBFS
from models.systems.dbfs.dd_parameters import DBFSParameters
from models.workloads.directory_tree import Tree
from models.workloads.metadata_utilities import RESTORED, records
from sim.system import Basis, derivation, parameter

FILES, FILE_BYTES = 93_000, 3 * 10**9 // 93_000
TREE = Tree(FILES, directories=FILES // 10, levels=9)
"""A tree of the source's size; ten files a directory is assumed."""

_QUARTER, _HALF = "Quarter-X2-2 (1 db-node)", "Half-X2-2 (4 db node)"
_LS = ("ls -lFR", "ls -lFR | wc -l")
_PAPER = "table 7 of the DBFS white paper"


def _cell(row: str, column: str) -> str:
    return f"dbfs-file-ops/{row}/{column}"


@dataclass(frozen=True)
class Elapsed:
    """Published times on one node, in seconds, rounded to 5 s.

    Attributes:
        ls: 35 for one node and 30 for four, each with the same work: only 32.5 s rounds to both.
    """

    ls: float = derivation.measured(32.5, 0.0, *(_cell(row, name) for row in (_QUARTER, _HALF) for name in _LS))
    tar_x: float = derivation.measured(345, 2.5, _cell(_QUARTER, "tar xvf"))
    tar_c: float = derivation.measured(210, 2.5, _cell(_QUARTER, "tar cvf"))
    rm: float = derivation.measured(165, 2.5, _cell(_QUARTER, "rm -rf"))


def _recorded(costs: Costs, op: Op) -> tuple[float, float]:
    """Mean number of tar's calls for a file, and their total seconds; linear in file size."""
    least, share = records(FILE_BYTES)
    calls = least + share
    nothing, whole = costs.call(IO(op, 0)), costs.call(IO(op, FILE_BYTES))
    return calls, calls * nothing + whole - nothing


def derived(parameters: DBFSParameters, elapsed: Elapsed) -> dict[str, float]:
    """The four times of the database; each follows from one operation and from the times already derived."""
    costs = Costs(parameters)
    request, block, names = costs.request, costs.block, TREE.names_each / TREE.files_each
    directories = 1.0 / TREE.files_each  # for each file
    listed = 3 * directories * request  # open, list, list again at the end
    path_s = (elapsed.ls / FILES - listed - (1.0 + directories) * request) / names

    resolve = request + block + path_s
    written_s = _recorded(costs, "write")[1]
    flushed_s = costs.session(IO("write", FILE_BYTES))
    file_s = (3 + RESTORED) * resolve + written_s + flushed_s
    directory_s = (2 + RESTORED) * resolve
    commits = 1 + 1 + RESTORED + directories * (1 + RESTORED)
    commit_s = (elapsed.tar_x / FILES - file_s - directories * directory_s) / commits

    listing_s = listed + names * path_s
    calls, read_s = _recorded(costs, "read")
    first_s = costs.session(IO("read", FILE_BYTES)) - read_s / calls  # runs beside the first call
    archived_s = listing_s + 3 * request + resolve + read_s + first_s
    first_read_s = elapsed.tar_c / FILES - archived_s

    removed_s = listing_s + (1.0 + directories) * (request + resolve + commit_s)
    return {
        "path_s": path_s,
        "commit_s": commit_s,
        "first_read_s": first_read_s,
        "free_s": elapsed.rm / FILES - removed_s,
    }


def _new(value: float, unit: str, basis: Basis, source: str, **known: Any) -> Any:
    """A parameter with physical bounds a factor of five from its value."""
    return parameter(value, unit, value / 5, value * 5, basis, source, **known)


_DBFS = inherited(DBFS.parameters)
_DERIVED = derivation.outcomes(derived, _DBFS, Elapsed())


def _derived(name: str, how: str) -> Any:
    outcome = _DERIVED[name]
    return _new(outcome.value, "s", "derived", f"{_PAPER}: {how}", cells=outcome.cells, follows=outcome.follows)


@dataclass(frozen=True)
class FilesParameters(DBFSParameters):
    """The parameters of the dbfs system, and the times of the database for names."""

    path_s: float = _derived("path_s", "ls, a name; 32.5 s is 35 and is 30")
    commit_s: float = _derived("commit_s", "what tar xvf takes beside its requests, a commit")
    first_read_s: float = _derived("first_read_s", "what tar cvf takes beside its requests, a file")
    free_s: float = _derived("free_s", "what rm -rf takes beside its requests, a file")
    further_block_s: float = parameter(
        5e-4,
        "s",
        5e-6,
        2e-2,
        "assumed",
        "a further block of a chained row: 10 µs if cached, 0.5 ms from a cell's flash, 5 ms from a disk",
        likely=(1e-5, 5e-3),
    )
    row_bytes: float = _new(
        300, "bytes", "assumed", "a path name, a dozen properties and an empty LOB", likely=(200, 500)
    )
    map_entry_bytes: float = _new(
        8, "bytes", "assumed", "an extent in the map of a LOB: address and length", likely=(6, 16)
    )
    map_extent_bytes: float = _new(8 << 20, "bytes", "assumed", "automatic extents of segments up to 1 GB: 8 MiB")
    map_most_bytes: float = _new(3964, "bytes", "published", "Oracle: a LOB may take so much of its row")


PARAMETERS = extended(_DBFS, FilesParameters)
"""All parameters of the DBFS file operations."""
