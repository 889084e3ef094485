"""Parts of the built-in systems lost: mirror copies are read in their place, and those left carry the load."""

from __future__ import annotations

import pytest

from models.io import IO
from models.parts.cell import Cell, MirroredCells
from models.parts.disk import Disk
from models.parts.mirror import NormalRedundancy
from models.systems.array import ARRAY
from models.systems.dbfs import DBFS, DBFS_FILES, DBFS_LOAD
from models.systems.exadata_ctas import EXADATA_CTAS
from models.systems.san import SAN
from sim import Buffer, Closed, InputError, Model, Station, Use, simulate
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine
from sim.engine.model.demands import demands_s
from sim.prediction import RunOptions, predict
from sim.system.case import Case

KIB, MIB = 1 << 10, 1 << 20
QUICK = RunOptions(precision=0.05, answers=("throughput",))


class Target:
    """Takes a second for each I/O."""

    def __init__(self, number):
        self.station = Station(f"target {number}")

    def path(self, _io):
        return (Use(self.station, 1.0),)


def asm(count, lost):
    return NormalRedundancy(tuple(Target(number) for number in range(1, count + 1)), lost)


def cells(count, lost):
    made = [
        Cell((Disk(f"target {n}", 0.0, float(MIB)),), Buffer(f"cache {n}", 64 * MIB), float(MIB))
        for n in range(1, count + 1)
    ]
    return MirroredCells(tuple(made), lost)


def disks(count, lost):
    return MirroredCells(tuple(Cell.of_places(f"cell {n}", 12.0 * MIB, 0.0) for n in range(1, count + 1)), lost)


def demand(layer, op, size=MIB):
    """Seconds of all disks of each target that one I/O needs on average."""
    needed: dict[str, float] = {}
    for place, seconds in demands_s(layer.path(IO(op, size))).items():
        if isinstance(place, Station):
            name = place.name.partition(" disk")[0]
            needed[name] = needed.get(name, 0.0) + seconds
    return needed


@pytest.mark.parametrize("make", [asm, cells, disks])
@pytest.mark.parametrize("count", [2, 3, 14])
def test_remaining_parts_take_all_reads_and_the_same_writes(make, count):
    """A read is spread over one target less; a write of which one copy is lost is written once."""
    intact, less = make(count, 0), make(count, 1)
    for op, factor in (("read", count / (count - 1)), ("write", 1.0)):
        before, after = demand(intact, op), demand(less, op)
        assert len(before) == count
        assert len({round(seconds, 12) for seconds in after.values()}) == 1
        assert after == pytest.approx({name: factor * before[name] for name in after})
        assert {name for name, seconds in after.items() if seconds} == set(list(before)[:-1])


def test_a_wide_read_has_the_piece_of_the_lost_cell_from_any_other():
    assert sum(demand(cells(3, 1), "read", 48 * KIB).values()) == pytest.approx(48 * KIB / MIB)


@pytest.mark.parametrize("op", ["read", "write"])
def test_the_engines_agree_on_cells_of_which_one_is_lost(op):
    path = cells(3, 1).path(IO(op, 128 * KIB))
    model = Model([Closed("clients", 4, path, think=1e-3)])
    runs = [engine(model, 1) for engine in (ReferenceEngine, CompiledEngine)]
    for engine in runs:
        engine.advance(10**10)
    first, second = (engine.snapshot() for engine in runs)
    assert first.workloads.tolist() == second.workloads.tolist()
    assert first.places.tolist() == second.places.tolist()


@pytest.mark.parametrize("op", ["read", "write"])
def test_the_analytic_engine_knows_lost_cells(op):
    settings = {"users": 8, "nodes": 2, "op": op, "cells_lost": 1}
    simulated, computed = (
        predict(
            DBFS, settings, RunOptions(engine=engine, precision=0.05, answers=("throughput",)), intervals=False
        )
        for engine in ("auto", "analytic")
    )
    assert computed.throughput.value == pytest.approx(simulated.throughput.value, rel=0.1)


def test_ceilings_count_the_cells_that_are_left():
    reads, writes = (
        [each.most for each in DBFS.limits(Case.of(DBFS, {"op": op, "cells_lost": 1}).settings)]
        for op in ("read", "write")
    )
    assert reads == pytest.approx([3200.0, 2 * 1800.0])
    assert writes == pytest.approx([3200.0 / (4 / 3), 3 * 1800.0 / 2])


def test_statements_cross_the_fabric_as_often_as_copies_are_written():
    few = {"statements": 2, "table": 1 << 28, "slaves": 2, "cells": 4}
    before, after = (predict(EXADATA_CTAS, {**few, "cells_lost": lost}, QUICK, intervals=False) for lost in (0, 1))
    for prediction, copies in ((before, 2.0), (after, 1.5)):
        crossed = prediction.answers["fabric"].estimate.value / prediction.throughput.value
        assert crossed == pytest.approx((copies + 1.0) / copies, rel=1e-4)


def test_remaining_paths_carry_their_share():
    settings = {"streams": 4, "page_cache": False, "data": 32 << 20, "drives": 64}
    before, after = (
        predict(SAN, {**settings, "paths_lost": lost}, QUICK, intervals=False).throughput.value for lost in (0, 1)
    )
    assert after / before == pytest.approx(0.5, rel=0.05)


ARRAY_LOAD = {"cache": 1 << 20, "data": 64 << 20, "disks": 4, "users": 32, "skew": 0.0, "read": 100}


def array(**settings):
    return predict(ARRAY, {**ARRAY_LOAD, **settings}, QUICK, intervals=False)


def test_remaining_disks_have_all_reads_and_the_rebuild():
    before, lost, rebuilt = (
        array(**each) for each in ({}, {"disks_lost": 1}, {"disks_lost": 1, "rebuild": "2MB/s"})
    )
    assert lost.throughput.value / before.throughput.value == pytest.approx(3 / 4, rel=0.03)
    assert rebuilt.answers["rebuild"].estimate.value == pytest.approx(2.0, rel=0.03)
    parameters = ARRAY.parameters.values
    block_s = parameters.position_s + 64 * KIB / parameters.disk_bytes_per_s
    share = 2e6 / (64 * KIB) * block_s / 3
    assert rebuilt.throughput.value / lost.throughput.value == pytest.approx(1.0 - share, rel=0.03)


def test_a_write_to_a_lost_disk_goes_to_the_other_copy_and_the_spare_if_any():
    written = {}
    for name, settings in (
        ("intact", {}),
        ("lost", {"disks_lost": 1}),
        ("spare", {"disks_lost": 1, "rebuild": 1e3}),
    ):
        load = {**ARRAY_LOAD, "read": 0, "battery": False, **settings}
        scenario = Case.of(ARRAY, load).scenario
        result = simulate(scenario.model, watch="normal", precision=0.02, answers=("throughput",))
        visits = sum(result.places[each].visits for each in ("disks", "spare disk") if each in result.places)
        written[name] = visits / result.throughput.value
    assert written == pytest.approx({"intact": 2.0, "lost": 1.5, "spare": 2.0}, rel=0.02)


@pytest.mark.parametrize(
    ("system", "settings", "message"),
    [
        (DBFS, {"cells": 1, "cells_lost": 1}, "cells_lost is 1 of 1 cells; allowed: fewer"),
        (DBFS, {"cells_lost": 2}, "cells_lost is '2'; allowed: a whole number from 0 to 1"),
        (SAN, {"paths_lost": 2}, "paths_lost is 2 of 2 paths; allowed: fewer"),
        (
            ARRAY,
            {"disks": 1, "disks_lost": 1},
            "disks_lost is 1 of 1 disks with copies = 2, so that data are lost",
        ),
        (ARRAY, {"rebuild": 1e6}, "rebuild fills the spare of a disk, and none is lost; add disks_lost=1"),
    ],
)
def test_unworkable_failures_are_refused_in_one_line(system, settings, message):
    with pytest.raises(InputError, match=message) as refused:
        Case.of(system, settings).scenario  # noqa: B018  (it is built)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(
    "system", [DBFS, DBFS_FILES, DBFS_LOAD, EXADATA_CTAS, SAN, ARRAY], ids=lambda each: each.name
)
def test_every_part_that_may_fail_leaves_a_model(system):
    assert system.failures
    for failure in system.failures:
        assert Case.of(system, failure.settings).scenario.model.workloads
