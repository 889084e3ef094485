"""Parameters of the DBFS file operations, with the arithmetic that derives four of them from published times.

Everything about mounts, sessions, cards and cells is what the dbfs system was fitted with, to tables 4 to 6. New
are four times of the database. One process waits for nobody, so the time of a file is the sum of its requests.
"""

from __future__ import annotations

from dataclasses import replace

from models.fileops import RESTORED, records
from models.io import IO, Op
from models.link import INFINIBAND_BYTES_PER_S
from models.tree import Tree
from sim.parameters import Basis, Parameter, Parameters
from sim.units import KIB

FILES, FILE_BYTES = 93_000, 3 * 10**9 // 93_000
TREE = Tree(FILES, directories=FILES // 10, levels=9)
"""A tree of the source's size; ten files a directory is assumed."""

_QUARTER, _HALF = "Quarter-X2-2 (1 db-node)", "Half-X2-2 (4 db node)"
_COLUMNS = ("ls -lFR", "ls -lFR | wc -l")
_PAPER = "table 7 of the DBFS white paper"

LISTED_S = 32.5
"""ls: printed to 5 s, 35 for one node and 30 for four, which do the same work each: only 32.5 s is both."""

EXTRACTED_S, ARCHIVED_S, REMOVED_S = 345, 210, 165
"""tar xvf, tar cvf and rm -rf on one node."""


class _Costs:
    """Seconds that requests take where nobody queues, by the parameters of the dbfs system."""

    def __init__(self, known: Parameters) -> None:
        self.known = known
        self.request = known["dispatch_s"] + known["handler_s"]
        self.block = known["message_read_s"]

    def records(self, op: Op) -> tuple[float, float]:
        """Calls of tar for a file, as a mean, and seconds that they take together."""
        known, (least, share) = self.known, records(FILE_BYTES)
        calls = least + share
        each_byte = known[f"channel_{op}_s_per_byte"] + known[f"copy_{op}_s_per_byte"]
        blocks = calls + FILE_BYTES / (8 * KIB)
        fixed = known["call_s"] + self.request
        return calls, calls * fixed + FILE_BYTES * each_byte + blocks * known[f"message_{op}_s"]

    def session(self, io: IO) -> float:
        """One call of a session that moves a whole file; a small read comes from one cell."""
        known, copies = self.known, 2 if io.op == "write" else 1
        card = copies * io.size_bytes / INFINIBAND_BYTES_PER_S["qdr"] + known["latency_s"]
        cell = 0.0 if io.op == "write" else io.size_bytes / known["cell_stream_bytes_per_s"]
        memory = io.size_bytes * known["memory_s_per_byte"]
        return known[f"session_{io.op}_s"] + memory + known[f"segment_{io.op}_s"] + card + cell


def derived(known: Parameters) -> dict[str, float]:
    """The four times of the database, each from one operation, those before it known."""
    costs = _Costs(known)
    request, block, names = costs.request, costs.block, TREE.names_each / TREE.files_each
    each = 1.0 / TREE.files_each
    listed = 3 * each * request  # open, list, find that nothing is left
    path_s = (LISTED_S / FILES - listed - (1.0 + each) * request) / names

    resolve = request + block + path_s
    _, written_s = costs.records("write")
    flushed_s = costs.session(IO("write", FILE_BYTES))
    file_s = (3 + RESTORED) * resolve + written_s + flushed_s
    directory_s = (2 + RESTORED) * resolve
    commits = 1 + 1 + RESTORED + each * (1 + RESTORED)
    commit_s = (EXTRACTED_S / FILES - file_s - each * directory_s) / commits

    listing_s = listed + names * path_s
    calls, read_s = costs.records("read")
    first_s = costs.session(IO("read", FILE_BYTES)) - read_s / calls  # runs beside the first call
    archived_s = listing_s + 3 * request + resolve + read_s + first_s
    first_read_s = ARCHIVED_S / FILES - archived_s

    removed_s = listing_s + (1.0 + each) * (request + resolve + commit_s)
    return {
        "path_s": path_s,
        "commit_s": commit_s,
        "first_read_s": first_read_s,
        "free_s": REMOVED_S / FILES - removed_s,
    }


def carried(known: Parameters) -> tuple[Parameter, ...]:
    """What the fit of the dbfs system found, as it stands: nothing here is fitted to it again."""
    return tuple(
        replace(each, basis="derived", source=f"fit of the dbfs system: {each.source}", interval=None, prior=None)
        if each.basis == "fitted"
        else each
        for each in known.entries
    )


def _new(name: str, value: float, unit: str, basis: Basis, source: str, *figures: str) -> Parameter:
    """A parameter that may be wrong by a factor of five and still be physically possible."""
    cells = tuple(f"dbfs-file-ops/{figure}" for figure in figures)
    return Parameter(name, value, unit, value / 5, value * 5, basis, source, cells)


def parameters(known: Parameters) -> Parameters:
    """All parameters of the DBFS file operations."""
    value = derived(known)
    listings = tuple(f"{row}/{column}" for row in (_QUARTER, _HALF) for column in _COLUMNS)
    new = (
        _new(
            "path_s", value["path_s"], "s", "derived", f"{_PAPER}: ls, a name; 32.5 s is 35 and is 30", *listings
        ),
        _new(
            "commit_s",
            value["commit_s"],
            "s",
            "derived",
            f"{_PAPER}: what tar xvf takes beside its requests, a commit",
            f"{_QUARTER}/tar xvf",
        ),
        _new(
            "first_read_s",
            value["first_read_s"],
            "s",
            "derived",
            f"{_PAPER}: what tar cvf takes beside its requests, a file",
            f"{_QUARTER}/tar cvf",
        ),
        _new(
            "free_s",
            value["free_s"],
            "s",
            "derived",
            f"{_PAPER}: what rm -rf takes beside its requests, a file",
            f"{_QUARTER}/rm -rf",
        ),
        _new("block_s", 10e-6, "s", "assumed", "a further block of a chained row, in the buffer cache"),
        _new("row_bytes", 300, "bytes", "assumed", "a path name, a dozen properties and an empty LOB"),
        _new("map_entry_bytes", 8, "bytes", "assumed", "an extent in the map of a LOB: address and length"),
        _new("map_extent_bytes", 8 << 20, "bytes", "assumed", "automatic extents of segments up to 1 GB: 8 MiB"),
        _new("map_most_bytes", 3964, "bytes", "published", "Oracle: a LOB may take so much of its row"),
    )
    return Parameters((*carried(known), *new))
