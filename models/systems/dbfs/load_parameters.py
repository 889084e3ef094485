"""Parameters of bulk work on DBFS, with the arithmetic that derives the work of each process.

Parameters of mounts, sessions, cards and cells are those of the dbfs system, fitted to tables 4 to 6;
disks are published. All new values come from one node on three cells, and from one sentence on imports.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from models.io import IO
from models.parts.cell import DISKS
from models.systems.dbfs.costs import Costs, extended, inherited
from models.systems.dbfs.dd import DBFS
from models.systems.dbfs.dd_parameters import DBFSParameters
from models.workloads.bulk_load import TABLE_IO_BYTES
from sim.system import Basis, derivation, parameter

GENERATORS, SLAVES = 8, 16
DUMP_BYTES = 1024 * 10**9
"""Bytes that a node generates, loads, exports and imports on the quarter rack."""

STDIO_BYTES = 4096
"""Bytes of a write of the C library to a file of a FUSE mount: its block size."""

DIRECT_BYTES = 128 * 1024
"""Largest request; the database reads and writes in whole ones."""

_QUARTER = "Quarter-X2-2 (1 db-node)"
_CELLS = 3


@dataclass(frozen=True)
class Rates:
    """Published bytes a second on one node.

    Attributes:
        regression: import below export for small data: "varies from 40% - 2x depending on data size".
    """

    generated: float = derivation.measured(145e6, 2.5e6, f"dbfs-external-table/{_QUARTER}/Flatfile generation")
    exported: float = derivation.measured(245e6, 2.5e6, f"dbfs-dump/{_QUARTER}/Export dump")
    imported: float = derivation.measured(115e6, 2.5e6, f"dbfs-dump/{_QUARTER}/Import Dump")
    regression: float = derivation.rounded(0.40, 0.005, "dbfs-dump/Import dump/regression from")


IOS_PER_S = 10_800
"""Small I/Os a second of a quarter rack's 36 disks."""


def derived(parameters: DBFSParameters, rates: Rates) -> dict[str, float]:
    """The work of each process, and the time to follow the map of a LOB."""
    costs = Costs(parameters)
    pieces = TABLE_IO_BYTES / DIRECT_BYTES
    write, read = IO("write", DIRECT_BYTES), IO("read", DIRECT_BYTES)
    generate = GENERATORS / rates.generated - costs.call(IO("write", STDIO_BYTES)) / STDIO_BYTES

    table_s = costs.storage(IO("read", TABLE_IO_BYTES), _CELLS)
    export = 1.0 / rates.exported - (table_s + pieces * costs.call(write)) / TABLE_IO_BYTES

    # A chunk takes the larger of two times: a constant one of the process, and one to follow the map, which grows
    # evenly from the start of the file to its end. All chunks take all_s in the mean, where few_s is the constant.
    few_s = DIRECT_BYTES / (rates.exported * (1.0 - rates.regression))
    all_s = DIRECT_BYTES / rates.imported
    short_s = few_s - costs.session(read, _CELLS)
    excess_s = all_s - few_s
    map_s = short_s + excess_s + math.sqrt((short_s + excess_s) ** 2 - short_s**2)
    restore_s = few_s - costs.call(read) - costs.storage(IO("write", TABLE_IO_BYTES)) / pieces
    return {
        "generate_s_per_byte": generate,
        "export_s_per_byte": export,
        "import_s_per_byte": restore_s / DIRECT_BYTES,
        "map_s_per_byte": map_s / DUMP_BYTES,
    }


def _new(value: float, unit: str, basis: Basis, source: str, *figures: str, **known: Any) -> Any:
    """A parameter with physical bounds a factor of five from its value."""
    return parameter(value, unit, value / 5, value * 5, basis, source, figures, **known)


_DBFS = inherited(DBFS.parameters)
_DERIVED = derivation.outcomes(derived, _DBFS, Rates())


def _derived(name: str, how: str) -> Any:
    outcome = _DERIVED[name]
    return _new(outcome.value, "s/byte", "derived", how, *outcome.cells, follows=outcome.follows)


_LOADED_S, _LOAD_LIKELY = 34.0e-9, (34.0e-9 / 1.04, 34.0e-9 * 1.04)
"""A slave moves 250 MB/s / 16, a byte in 64 ns. One deviation, of rounding (0.6 %) and of another run (1 %), is
0.74 ns, 2.2 % of this parameter: 4 % in nine of ten cases."""


@dataclass(frozen=True)
class LoadParameters(DBFSParameters):
    """The parameters of the dbfs system, and those of bulk work."""

    generate_s_per_byte: float = _derived(
        "generate_s_per_byte",
        "table 8: what eight dbgen take on one node, beside their writes",
    )
    load_s_per_byte: float = _new(
        _LOADED_S,
        "s/byte",
        "derived",
        "table 8: found by bisection of the simulation for one node; a test finds it again",
        f"dbfs-external-table/{_QUARTER}/External table load",
        likely=_LOAD_LIKELY,
    )
    export_s_per_byte: float = _derived(
        "export_s_per_byte",
        "table 9: what one export takes on one node, beside its reads and writes",
    )
    import_s_per_byte: float = _derived(
        "import_s_per_byte",
        "table 9: 40 % less throughput than export where data are few, less reads and writes",
    )
    map_s_per_byte: float = _derived(
        "map_s_per_byte",
        "table 9: what one import of 1024 GB takes longer than one of few data",
    )
    position_s: float = _new(
        DISKS * _CELLS / IOS_PER_S,
        "s",
        "published",
        "Exadata X2-2 data sheet: 10,800 I/Os a second of a quarter rack's 36 disks",
    )
    stdio_bytes: float = _new(STDIO_BYTES, "bytes", "assumed", "the block size that a FUSE mount reports")


PARAMETERS = extended(_DBFS, LoadParameters)
"""All parameters of bulk work on DBFS."""
