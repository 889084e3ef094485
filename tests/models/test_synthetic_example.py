"""The synthetic example is what the model says under the parameters below; as a script, this file writes it.

Nobody measured these figures. They are for trying out what a fit does with a table of one's own: it should find
the changed parameters again.
"""

from __future__ import annotations

import csv
import io
from itertools import product
from pathlib import Path

from models.systems.dbfs import DBFS
from models.systems.dbfs.dd_parameters import PARAMETERS
from sim import simulate
from sim.data.importers import read
from sim.system.settings import complete

EXAMPLE = Path(__file__).parents[2] / "calibration-data" / "examples" / "dbfs-synthetic.csv"
CHANGED = {"dispatch_s": 1.5, "node_serial_s_per_byte": 0.8, "session_write_s": 1.25}
"""A slower FUSE queue, a faster memory, a slower session: factors on the middles of the priors."""

COLUMNS = ("nodes", "cells", "users", "block", "op")
RUNS = [
    ("1", "3", users, block, op)
    for users, block, op in product(("1", "4", "8"), ("1KiB", "8KiB", "128KiB", "1MiB"), ("write", "read"))
]


def table() -> str:
    """The example as text: throughput in whole MB/s."""
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow((*COLUMNS, "value", "unit"))
    parameters = PARAMETERS.changed({name: PARAMETERS[name] * by for name, by in CHANGED.items()})
    for run in RUNS:
        settings = complete(DBFS.settings, dict(zip(COLUMNS, run, strict=True)))
        scenario = DBFS.scenario(settings, parameters)
        found = simulate(scenario.model, seed=1, precision=0.005, watch=scenario.watch)
        rows.writerow((*run, f"{found.throughput.value * scenario.amount:.0f}", scenario.unit))
    return written.getvalue()


def test_example_equals_the_model():
    assert EXAMPLE.read_text("utf-8") == table()


def test_the_example_can_be_read():
    found = read(EXAMPLE, DBFS, {})
    assert (found.name, found.system) == ("dbfs-synthetic", "dbfs")
    assert len(found.measurements) == len(RUNS)
    assert {(each.measure, each.unit, each.half_width) for each in found.measurements} == {
        ("throughput", "MB/s", 0.5)
    }


if __name__ == "__main__":
    EXAMPLE.parent.mkdir(exist_ok=True)
    EXAMPLE.write_text(table(), "utf-8")
