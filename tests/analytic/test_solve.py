"""The analytic engine against closed forms, against itself folded and unfolded, and against simulation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytic_parts import DISK, MS, only
from models.systems.dbfs import DBFS
from sim import (
    Await,
    Buffer,
    Cache,
    Choose,
    Closed,
    Custom,
    Delay,
    Exponential,
    Fork,
    Gate,
    Gather,
    Hold,
    IfAny,
    Lock,
    Lognormal,
    Lookup,
    Model,
    ModelError,
    NoSteadyStateError,
    Open,
    Poisson,
    Pool,
    Put,
    RecordedGaps,
    Repeat,
    Replayed,
    Sequential,
    Station,
    Take,
    Uniform,
    Use,
    Wake,
    Zipf,
    simulate,
)
from sim.engine.analytic.closed_forms import balanced_job_bounds, machine_repairman, mva_classes
from sim.engine.analytic.solve import solve, solved
from sim.prediction import RunOptions, predict
from sim.system.installed import find
from sim.system.settings import complete
from textbook import mg1, mmc, mva


@pytest.mark.parametrize("time", [Exponential(MS), Lognormal(MS, 2.0)], ids=str)
def test_open_station_with_one_server(time):
    found = only(Open("all", arrivals=Poisson(700.0), path=Use(DISK, time)))
    assert found.latency_s == pytest.approx(mg1(700.0, MS, getattr(time, "cv", 1.0)).response_s)


def test_open_station_with_several_servers():
    path = Use(Station("disks", 3), Exponential(MS))
    found = only(Open("all", arrivals=Poisson(2400.0), path=path))
    assert found.latency_s == pytest.approx(mmc(2400.0, MS, 3).response_s)


def test_open_tandem_is_a_row_of_queues():
    path = [Use(DISK, Exponential(1e-3)), Use(Station("links", 2), Exponential(2e-3))]
    found = only(Open("all", arrivals=Poisson(600.0), path=path))
    assert found.latency_s == pytest.approx(mmc(600.0, 1e-3, 1).response_s + mmc(600.0, 2e-3, 2).response_s)


@pytest.mark.parametrize("clients", [1, 4, 12])
def test_closed_product_form_is_exact(clients):
    demands_s = (1e-3, 0.6e-3, 1.5e-3)
    path = [Use(Station(f"station {row}"), Exponential(each)) for row, each in enumerate(demands_s)]
    model = Model([Closed("all", clients=clients, path=path, think=Exponential(5e-3))])
    found = only(*model.workloads)
    exact = mva(demands_s, clients, 5e-3)
    assert solve(model).exact
    assert found.throughput == pytest.approx(exact.throughput)
    assert found.latency_s == pytest.approx(exact.response_s)
    assert found.lower <= found.throughput <= found.upper.throughput * (1 + 1e-12)


@pytest.mark.parametrize("servers", [2, 4])
@pytest.mark.parametrize("clients", [2, 6, 20, 100])
def test_machine_repairman_with_several_servers_is_near(clients, servers):
    path = Use(Station("disks", servers), Exponential(MS))
    model = Model([Closed("all", clients=clients, path=path, think=Exponential(4 * MS))])
    exact = machine_repairman(clients, 4 * MS, MS, servers)
    assert only(*model.workloads).throughput == pytest.approx(exact.throughput, rel=0.02)


def test_two_classes_agree_with_one_class_in_two_halves():
    """Two alike classes are one class of all their clients."""
    halves = mva_classes([(1e-3, 2e-3), (1e-3, 2e-3)], (3, 4), (5e-3, 5e-3))
    whole = mva((1e-3, 2e-3), 7, 5e-3)
    assert sum(each.throughput for each in halves) == pytest.approx(whole.throughput)
    assert [sum(pair) for pair in zip(*(each.queue_length for each in halves), strict=True)] == pytest.approx(
        list(whole.queue_length)
    )


@given(st.lists(st.floats(1e-3, 1.0), min_size=1, max_size=5), st.integers(1, 20), st.floats(0.0, 5.0))
def test_balanced_job_bounds_hold(demands_s, clients, think_s):
    low, high = balanced_job_bounds(demands_s, clients, think_s)
    exact = mva(demands_s, clients, think_s).throughput
    assert low <= exact * (1 + 1e-9)
    assert exact <= high * (1 + 1e-9)


@pytest.mark.parametrize(("workloads", "clients"), [(1, 64), (8, 8), (64, 1)])
@pytest.mark.parametrize("time", [MS, Exponential(MS)], ids=str)
def test_a_pool_in_front_of_a_slow_station_keeps_the_others_out(workloads, clients, time):
    """Only as many clients as tokens are behind the pool, whoever shares it; the station there is always busy."""
    path = [Hold(Pool("threads", 4), Use(DISK, time))]
    users = [Closed(f"user {number}", clients=clients, path=path, group="all") for number in range(workloads)]
    solution = solve(Model(users))
    assert solution.groups["all"].throughput == pytest.approx(1 / MS, rel=1e-3)
    assert solution.places["disk"].queue == pytest.approx(3, rel=0.01)
    assert solution.places["threads"].queue == pytest.approx(60, rel=0.01)


@pytest.mark.parametrize("slow", ["writer", "drain"])
def test_a_buffer_moves_at_the_speed_of_the_slower_side(slow):
    buffer = Buffer("buffer", 4)
    times = {"writer": 1e-3, "drain": 1e-3} | {slow: 3e-3}
    writer = Closed("writer", clients=1, path=[Delay(times["writer"]), Put(buffer)])
    drain = Closed("drain", clients=1, path=[Take(buffer), Delay(times["drain"])])
    solution = solve(Model([writer, drain]))
    assert solution.groups["writer"].throughput == pytest.approx(1 / 3e-3)
    assert solution.groups["drain"].throughput == pytest.approx(1 / 3e-3)


@pytest.mark.parametrize("room", [8, 100])
def test_flows_divided_by_two_buffers_meet_in_a_third(room):
    """Both movers could bring back all that the clients take; how much each does, its own buffer says."""
    back, few, many = Buffer("back", room, initial=room), Buffer("few", room), Buffer("many", room)
    sorted_out = Choose((0.3, Put(few)), (0.7, Put(many)))
    clients = Closed("w", clients=4, path=[Take(back), Use(Station("s"), Exponential(1 * MS)), sorted_out])
    movers = [
        Closed(
            f"of {box.name}",
            clients=2,
            path=[Take(box), Use(Station(box.name + " mover"), Exponential(1 * MS)), Put(back)],
        )
        for box in (few, many)
    ]
    model = Model([clients, *movers])
    simulated = simulate(model, precision=0.02, answers=("throughput",)).throughput.value
    assert solve(model).groups["w"].throughput == pytest.approx(simulated, rel=0.05)


def test_a_write_back_cache_gives_the_speed_of_its_disks():
    cache = Buffer("cache", 100)
    path = [Delay(1e-4), Put(cache), Fork((Use(DISK, MS), Take(cache)), wait=False)]
    assert only(Closed("all", clients=2, path=path)).throughput == pytest.approx(1 / MS, rel=1e-3)


def test_fork_of_two_exponential_delays():
    path = [Fork(Delay(Exponential(MS)), Delay(Exponential(MS)))]
    assert only(Closed("all", clients=1, path=path)).latency_s == pytest.approx(1.5 * MS)


def test_equal_branches_queue_like_clients():
    slave = Repeat(50, Use(Station("disks", 2), MS), Delay(6.4 * MS))
    model = Model([Closed("all", clients=1, path=[Fork(*[(slave,)] * 16)])])
    assert only(*model.workloads).throughput == pytest.approx(
        simulate(model, precision=0.01).throughput.value, rel=0.04
    )


@pytest.mark.parametrize("policy", ["lru", "fifo"])
@pytest.mark.parametrize("source", [Uniform(400), Zipf(400, 0.9)], ids=str)
def test_hit_ratio_of_a_cache(policy, source):
    model = Model(
        [Closed("all", clients=1, path=[Delay(Exponential(1e-6)), Lookup(Cache("cache", 100, policy), source)])]
    )
    simulated = simulate(model, precision=0.005, max_steps=1_000_000).places["cache"].hit_ratio
    assert solve(model).places["cache"].hit_ratio == pytest.approx(simulated, abs=0.01)
    assert solve(model).result("all", seed=1).groups["all"].hit_ratio.value == pytest.approx(simulated, abs=0.01)


def test_group_commit():
    commit, inode = Gate("commit"), Lock("inode")
    write = Hold(inode.exclusive, Use(DISK, Exponential(434e-6)))
    model = Model(
        [
            Closed("session", clients=6, path=[Use(Station("cpu", 12), Exponential(118e-6)), Await(commit)]),
            Closed("log writer", clients=1, path=[Gather(commit), write, Wake(commit)]),
        ]
    )
    simulated = simulate(model).throughput.value
    assert solve(model).groups["session"].throughput == pytest.approx(simulated, rel=0.1)


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"nodes": 4, "cells": 7, "users": 8, "block": "8KiB"},
        {"nodes": 2, "cells": 1, "users": 3},
        {"nodes": 4, "cells": 14, "users": 2, "op": "read", "block": "1MiB"},
        {"nodes": 3, "cells": 5, "users": 4, "op": "read", "block": "1KiB", "direct_io": "no"},
    ],
    ids=str,
)
def test_a_folded_system_is_the_whole_system(asked):
    chosen = complete(DBFS.settings, asked)
    whole = solve(DBFS.scenario(chosen, DBFS.parameters).model).groups["dd"]
    _, folded = DBFS.folded(chosen)
    few = solved(folded).groups["dd"]
    assert few.throughput == pytest.approx(whole.throughput, rel=1e-4)
    assert few.latency_s == pytest.approx(whole.latency_s, rel=1e-4)
    assert few.upper.throughput == pytest.approx(whole.upper.throughput)


@pytest.mark.parametrize("op", ["write", "read"])
@pytest.mark.parametrize("block", ["1KiB", "32KiB"])
def test_more_users_than_threads(op, block):
    """Who waits for one of the 16 threads is not at the FUSE queue."""
    asked = {"users": 40, "block": block, "op": op}
    analysed, simulated = (
        predict(
            find("dbfs"), asked, RunOptions(engine=engine, precision=0.02), intervals=False
        ).result.throughput.value
        for engine in ("analytic", "auto")
    )
    assert analysed == pytest.approx(simulated, rel=0.04)


def _nothing(_environment):
    yield from ()


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ([Delay(1e-3), Custom("mine", _nothing)], "'mine'"),
        (
            [Delay(1e-3), IfAny(Buffer("box", 9), Delay(1e-3)), Put(Buffer("box", 9)), Take(Buffer("box", 9))],
            "IfAny",
        ),
        (
            [Delay(1e-3), Lookup(Cache("blocks", 3), Uniform(9)), Lookup(Cache("blocks", 3), Sequential(9))],
            "'blocks'",
        ),
        (
            [Delay(1e-3), Put(Buffer("box", 9), 2), Take(Buffer("box", 9)), Take(Buffer("box", 9))],
            "'box'",
        ),
        (
            [Delay(1e-3), Put(Buffer("box", 9, low=2, high=5)), Take(Buffer("box", 9, low=2, high=5))],
            "buffer 'box' has watermarks low 2 and high 5",
        ),
        ([Fork(Delay(1e-3), Delay(1e-3), needed=1)], "waits for 1 of 2 branches"),
        ([Delay(1e-3), Lookup(Cache("blocks", 3, policy="arc"), Uniform(9))], "cache 'blocks' has policy 'arc'"),
    ],
)
def test_refusals_name_the_step_or_place(path, named):
    with pytest.raises(ModelError, match=named):
        solve(Model([Closed("all", clients=1, path=path)]))


@pytest.mark.parametrize(
    ("workload", "named"),
    [
        (Closed("late", clients=1, path=Delay(1e-3), start_s=2.0), "workload 'late' .*start_s 2"),
        (Closed("early", clients=1, path=Delay(1e-3), stop_s=3.0), "workload 'early' .*stop_s 3"),
        (Open("traced", arrivals=RecordedGaps(Replayed([5]), 9), path=Delay(1e-3)), "'traced' .*RecordedGaps"),
    ],
)
def test_workloads_with_a_start_or_an_end_are_refused(workload, named):
    with pytest.raises(ModelError, match=named):
        solve(Model([Closed("all", clients=1, path=Delay(1e-3)), workload]))


@pytest.mark.parametrize("clients", [1, 3])
def test_a_job_takes_as_long_as_its_walks(clients):
    job = Closed("job", clients=clients, path=Use(DISK, Exponential(MS)), count=2000)
    solution = solve(Model([job]))
    assert solution.elapsed_s == pytest.approx(2000 * MS, rel=0.01)
    assert not solution.exact
    assert solution.result("job", seed=1).groups["job"].completed == pytest.approx(2000, rel=0.01)


def test_clients_for_whom_no_walk_is_left_do_not_count():
    assert solve(Model([Closed("job", clients=9, path=Delay(MS), count=2)])).elapsed_s == MS


def test_jobs_that_do_not_end_together_are_refused():
    jobs = [Closed(f"job {count}", clients=1, path=Delay(MS), count=count) for count in (7, 9)]
    with pytest.raises(ModelError, match=r"'job 7' would end after 0\.007 s and workload 'job 9' after 0\.009 s"):
        solve(Model(jobs))


def test_a_job_that_its_buffer_holds_is_refused():
    """Until the buffer is full the writer does not wait: a mean wait would be wrong."""
    cache = Buffer("cache", 100)
    path = [Delay(1e-4), Put(cache), Fork((Use(DISK, MS), Take(cache)), wait=False)]
    with pytest.raises(ModelError, match="buffer 'cache' has room for 100"):
        solve(Model([Closed("job", clients=1, path=path, count=150)]))
    assert solve(Model([Closed("job", clients=1, path=path, count=9000)])).elapsed_s == pytest.approx(
        9.0, rel=0.01
    )


def test_arrivals_that_end_are_refused():
    with pytest.raises(ModelError, match="'job' ends after 7 arrivals"):
        solve(Model([Open("job", arrivals=Poisson(1.0), path=Use(DISK, MS), count=7)]))


@pytest.mark.parametrize(
    ("system", "asked", "measure"),
    [
        ("file-copy", {}, "system_cpu"),
        ("file-copy", {"utility": "cp8M", "against": "cp"}, "elapsed_saved"),
        ("shared-file", {"writers": 2, "readers": 1, "mount": "dboptimize"}, "reads"),
        ("shared-file", {"writers": 2, "mount": "dboptimize"}, "scale_up"),
        ("san", {}, "elapsed"),
    ],
    ids=str,
)
def test_answers_of_systems_are_near_the_simulated_ones(system, asked, measure):
    simulated, analysed = (
        predict(find(system), asked, RunOptions(engine=engine, precision=0.02), intervals=False).answers[measure]
        for engine in ("auto", "analytic")
    )
    assert analysed.estimate.value == pytest.approx(simulated.estimate.value, rel=0.05)
    assert analysed.unit == simulated.unit


def test_overload_left_behind_is_refused():
    path = [Delay(1e-4), Fork(Use(DISK, MS), wait=False)]
    with pytest.raises(NoSteadyStateError, match="'disk'"):
        solve(Model([Closed("all", clients=1, path=path)]))


def test_equal_options_are_one():
    stations = [Station(f"disk {number}") for number in range(50)]
    path = [Choose(*((0.02, Use(each, Exponential(MS))) for each in stations))]
    solution = solve(Model([Closed("all", clients=1, path=path)]))
    assert solution.groups["all"].throughput == pytest.approx(1 / MS)
    assert solution.places["disk 7"].utilisation == pytest.approx(0.02)


def test_closed_clients_that_saturate_a_place_do_not_overload_an_open_load():
    """Four clients and Poisson arrivals of 5 % at one station: they get what is left, a product-form network."""
    use = Use(DISK, Exponential(MS))
    arrivals = Open("o", arrivals=Poisson(0.05 / MS), path=use)
    found = solve(Model([arrivals, Closed("c", clients=4, path=use)])).groups
    assert found["o"].throughput == pytest.approx(0.05 / MS)
    assert found["c"].throughput == pytest.approx(0.95 / MS)
    assert found["o"].latency_s == pytest.approx(5 * MS / 0.95)


def test_shared_holders_of_a_lock_are_never_too_many():
    hold = Hold(Lock("file").shared, Delay(Exponential(MS)))
    solution = solve(Model([Open("o", arrivals=Poisson(3.0 / MS), path=hold), Closed("c", clients=2, path=hold)]))
    assert solution.groups["o"].latency_s == pytest.approx(MS)
    assert solution.groups["c"].throughput == pytest.approx(2.0 / MS)
