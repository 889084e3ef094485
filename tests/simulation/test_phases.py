"""A load in phases: each phase alone is what its model does, and places go on from one to the next."""

from __future__ import annotations

import pytest

from sim import Buffer, Closed, Delay, Fork, Model, ModelError, Open, Periodic, Poisson, Put, Station, Take, Use
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.protocol import WORKLOAD_COLUMNS
from sim.engine.events.reference import ReferenceEngine
from sim.engine.simulation.phases import in_phases

SECOND = 10**9
COMPLETED, POPULATION = (WORKLOAD_COLUMNS.index(name) for name in ("completed", "population_ns"))


def clients(time_s, count=4, **options):
    return Model([Closed("clients", count, Use(Station("server"), time_s), group="load", **options)])


def completed(model, *, length_s=1, count=3, seed=1):
    """Requests completed in each second, of both engines, which agree."""
    counted = []
    for make in (ReferenceEngine, CompiledEngine):
        history = make(model, seed).intervals(length_s * SECOND, count)
        totals = history.workloads[:, :, COMPLETED].sum(axis=1).tolist()
        counted.append([after - before for before, after in zip([0, *totals], totals, strict=False)])
    assert counted[0] == counted[1]
    return counted[0]


def test_each_phase_is_as_fast_as_its_own_paths_are():
    model = in_phases([clients(1e-2), clients(4e-2), clients(1e-2)], [0.0, 1.0, 2.0, 3.0], 1)
    # four requests of either phase end as they began: 4 x 10 ms, then 24 x 40 ms; 4 x 40 ms, then 84 x 10 ms
    assert completed(model) == pytest.approx([100, 4 + 24, 4 + 84], abs=1)


def test_as_many_are_in_flight_as_there_are_clients():
    """Clients of two phases never ask at once: one request waits for three others, where phases change, too."""
    model = in_phases([clients(1e-2), clients(2e-2)], [0.0, 1.005, 2.0], 1)
    engine = CompiledEngine(model, 1)
    engine.advance(2 * SECOND)
    assert engine.snapshot().workloads[:, POPULATION].sum() == 4 * 2 * SECOND


def test_unchanged_workload_runs_through_all_phases():
    steady = Closed("steady", 1, Delay(1e-2))
    models = [Model([steady, *clients(time_s).workloads]) for time_s in (1e-2, 2e-2, 1e-2)]
    model = in_phases(models, [0.0, 1.0, 2.0, 3.0], 1)
    assert steady in model.workloads
    assert [each.name for each in model.workloads] == ["steady", "clients", "clients [2]", "clients [3]"]


def test_workload_of_one_phase_runs_in_that_phase_alone():
    rebuild = Closed("rebuild", 1, Use(Station("server"), 1e-2))
    alone = clients(1e-2, count=1)
    model = in_phases([alone, Model([*alone.workloads, rebuild]), alone], [0.0, 1.0, 2.0, 3.0], 1)
    engine = CompiledEngine(model, 1)
    rows = engine.intervals(SECOND, 3).workloads[:, :, COMPLETED]
    assert [row.tolist() for row in rows] == [
        pytest.approx([100, 0], abs=2),
        pytest.approx([150, 50], abs=2),
        pytest.approx([250, 50], abs=2),
    ]


def test_buffer_contents_carry_over_to_the_next_phase():
    """Dirty data are written on in the next phase, and slow down clients of the disk itself."""
    dirty, disk = Buffer("dirty", 50), Station("disk")
    behind = Model(
        [Closed("writer", 1, [Delay(1e-6), Put(dirty), Fork([Use(disk, 1e-2), Take(dirty)], wait=False)])]
    )
    through = Model([Closed("writer", 1, Use(disk, 1e-2))])
    model = in_phases([behind, through], [0.0, 1.0, 3.0], 1)
    assert completed(model, count=3) == pytest.approx([150, 50, 100], abs=3)


@pytest.mark.parametrize("arrivals", [Poisson(100.0), Periodic(1e-2)])
def test_an_open_load_arrives_at_its_rate_in_every_phase(arrivals):
    models = [Model([Open("load", arrivals, Use(Station("server"), time_s))]) for time_s in (1e-3, 2e-3)]
    model = in_phases(models, [0.0, 20.0, 40.0], 1)
    assert completed(model, length_s=20, count=2) == pytest.approx([2000, 2000], rel=0.06)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (
            clients(1e-2, count=8, stop_s=4.0),
            "workload 'clients' comes to an end",
        ),
        (clients(1e-2, count=4), None),
        (
            Model([Closed("clients", 4, Use(Station("server", 2), 1e-2))]),
            "station 'server' is not the same in all phases, and no place can change",
        ),
        (Model([Closed("other", 4, Delay(1.0), stop_s=9.0)]), "workload 'other' comes to an end"),
    ],
)
def test_models_that_cannot_be_phases_are_refused(second, message):
    if message is None:
        assert len(in_phases([clients(1e-2), second], [0.0, 1.0, 2.0], 1).workloads) == 1
        return
    with pytest.raises(ModelError, match=message):
        in_phases([clients(1e-2), second], [0.0, 1.0, 2.0], 1)


def test_arrivals_continue_long_after_the_last_phase():
    models = [Model([Open("load", Periodic(0.25), Use(Station("server"), time_s))]) for time_s in (1e-3, 2e-3)]
    first, second = (each.arrivals.times_s for each in in_phases(models, [0.0, 1.0, 2.25], 1).workloads)
    assert (first, second) == ((0.25, 0.5, 0.75, 3.0), (1.25, 1.5, 1.75, 2.0, 5.5))


@pytest.mark.parametrize("begins", [0, 1, 2])
def test_client_takes_its_turn_before_the_steps_before_a_request(begins):
    path = [Delay(1e-3), Use(Station("server"), 1e-3), Delay(2e-3)]
    slower = [*path[:2], Delay(3e-3)]
    models = [Model([Closed("load", 2, steps, begins=begins, think=0.5)]) for steps in (path, slower)]
    first, second = in_phases(models, [0.0, 1.0, 2.0], 1).workloads
    assert (first.begins, second.begins) == (begins + 1, begins + 1)
    assert [len(each.path) for each in (first, second)] == [5, 5]
    assert (first.start_s, first.stop_s, second.start_s, second.stop_s) == (0.0, 1.0, 1.0, None)
    assert (first.clients, first.think) == (2, models[0].workloads[0].think)
