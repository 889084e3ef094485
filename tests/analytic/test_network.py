"""The fixed point of small networks: what is learnt of a client fewer, when it is not, and what is refused."""

from __future__ import annotations

import math

import pytest

from analytic_parts import DISK, LINK, MS, at, network, only
from sim import (
    Buffer,
    Closed,
    Delay,
    Exponential,
    Fork,
    Gamma,
    Hold,
    Lock,
    Lognormal,
    Model,
    ModelError,
    NoSteadyStateError,
    Open,
    Periodic,
    Poisson,
    Pool,
    Put,
    Station,
    Take,
    Use,
)
from sim.engine.analytic import initial_guess
from sim.engine.analytic import network as of_networks
from sim.engine.analytic.buffers import Limits
from sim.engine.analytic.network import _elasticity
from sim.engine.analytic.queues import Queue
from sim.engine.analytic.solve import solve

SERVED = Use(DISK, Gamma(MS, 0.5))


def settled(*workloads):
    made = network(*workloads)
    made.solve()
    return made


# A client fewer


def test_elasticity_is_the_exponent_of_the_share_of_clients():
    """A hundredth of the clients fewer, and (99/100)^1.5 of the queue left."""
    assert _elasticity(2.0, 2.0 * 0.99**1.5) == pytest.approx(1.5)
    assert _elasticity(2.0, 2.0 / 0.99) == pytest.approx(-1.0)
    assert (_elasticity(0.0, 2.0), _elasticity(2.0, 0.0)) == (1.0, 1.0)
    assert _elasticity(0.5, 0.5 * 0.99) == pytest.approx(1.0)


def learns(*workloads):
    return bool(at(settled(*workloads), "disk")[0].elasticity)


def users(count):
    return [
        Closed(f"user {row}", clients=2, path=Use(DISK, Gamma(MS, 0.5)), think=(20 + row) * MS)
        for row in range(count)
    ]


def test_elasticities_are_estimated_for_at_most_eight_chains():
    assert learns(*users(8))
    assert not learns(*users(9))


def test_elasticities_are_not_estimated_for_chains_always_held_back():
    """By a station without pause, or by the other side of a buffer; and nothing of who hardly waits."""
    assert learns(Closed("all", clients=2, path=SERVED, think=5 * MS))
    assert not learns(Closed("all", clients=40, path=SERVED, think=5 * MS))
    assert not learns(Closed("all", clients=2, path=SERVED, think=5000 * MS))
    assert not learns(Closed("all", clients=1, path=SERVED, think=5 * MS))
    box = Buffer("box", 10**6)
    put = Closed("put", clients=2, path=[SERVED, Put(box)], think=5 * MS)
    slow, quick = (Closed("take", clients=1, path=[Take(box), Delay(each * MS)]) for each in (9, 1))
    assert not learns(put, slow)
    assert learns(put, quick)


@pytest.mark.parametrize(("waited", "tied"), [(0.9e-3, True), (1.1e-3, False)])
def test_a_wait_below_a_thousandth_of_a_walk_is_negligible(waited, tied):
    made = network(Closed("all", clients=2, path=[Use(DISK, MS), Use(DISK, MS)], think=MS))
    (chain,), (found,) = made.chains, at(made, "disk")
    chain.throughput, chain.response_s = 100.0, 10 * MS
    found.wait_s = waited * 10 * MS / 2
    assert made._held_back(chain) == tied  # noqa: SLF001  (of numbers by hand)


def test_elasticity_comes_from_a_hundredth_fewer_clients_and_leaves_the_solution_alone():
    """As the third power: of those who come, of those who are found, and of 1 - 1 / N who are others."""
    made = settled(Closed("all", clients=2, path=SERVED, think=5 * MS))
    (chain,), (found,) = made.chains, at(made, "disk")
    assert (chain.population_share, chain.clients) == (1.0, 2.0)
    queue, busy = found.elasticity[chain]
    assert queue == pytest.approx(3.0, abs=0.5)
    assert 0.9 < busy < 1.0
    assert chain.throughput == pytest.approx(2 / (5 * MS + chain.response_s))
    assert chain.response_s == pytest.approx(MS + found.wait_s)


def test_backlog_at_a_station_is_its_queue_and_its_busy_share():
    made = network(Closed("all", clients=2, path=[SERVED, SERVED], think=5 * MS))
    (chain,), (found,) = made.chains, at(made, "disk")
    chain.throughput, found.wait_s = 100.0, 3 * MS
    assert made._backlogs() == [pytest.approx((100 * 2 * MS * 3 * MS, 0.2))]  # noqa: SLF001


def test_a_change_counts_as_a_share_of_its_walk():
    """Two visits of a walk of 10 ms with its think; those nobody waits for do not count."""
    path = [SERVED, SERVED, Fork(Use(LINK, MS), wait=False)]
    made = network(Closed("all", clients=2, path=path, think=4 * MS))
    made.chains[0].response_s = 6 * MS
    assert made._weights() == pytest.approx([200.0, 0.0])  # noqa: SLF001


def test_a_walk_alone_varies_as_its_parts_do():
    """A think of 4 ms squared, and a service of half the coefficient of variation."""
    made = network(Closed("all", clients=2, path=SERVED, think=Exponential(4 * MS)))
    at(made, "disk")[0].wait_s = 0.0
    made._evaluate_unqueued()  # noqa: SLF001
    assert made.chains[0].unqueued == pytest.approx((5 * MS, 16e-6 + 0.25e-6))
    still = network(Closed("all", clients=2, path=SERVED))
    still._evaluate_unqueued()  # noqa: SLF001
    assert still.chains[0].unqueued == pytest.approx((MS, 0.25e-6))


def test_rates_of_open_arrivals_are_given():
    made = network(Open("all", arrivals=Poisson(70.0), path=SERVED))
    assert made.chains[0].throughput == 70.0


# Where the search begins


def guessed(*workloads):
    made = network(*workloads)
    made._evaluate_unqueued()  # noqa: SLF001
    queues = [Queue(node) for node in made.nodes]
    for each in queues:
        each.update_arrival_weights()
    closed = [chain for chain in made.chains if not math.isinf(chain.clients)]
    initial_guess.guess_waits(closed, queues, Limits(made.chains, made.buffer_roles.values(), made.nodes))
    return made


def test_initial_guess_without_a_bottleneck_has_no_waits():
    made = guessed(Closed("all", clients=2, path=[SERVED, Delay(3 * MS)], think=4 * MS))
    assert made.chains[0].throughput == pytest.approx(250.0)
    assert at(made, "disk")[0].wait_s == 0.0


def test_initial_guess_has_the_wait_at_the_bottleneck():
    """Ten clients of a disk of two visits of a millisecond: 500 walks a second, of 20 ms each with the think."""
    made = guessed(Closed("all", clients=10, path=[SERVED, SERVED, Use(LINK, 0.5 * MS)], think=8 * MS))
    assert made.chains[0].throughput == pytest.approx(500.0)
    assert at(made, "disk")[0].wait_s == pytest.approx((20 - 8 - 2.5) / 2 * MS)
    assert at(made, "link")[0].wait_s == 0.0


@pytest.mark.parametrize("times", [1, 2])
def test_initial_guess_has_the_wait_before_the_hold_of_a_full_bottleneck(times):
    """Two of ten come to the disk: either waits a millisecond there each time, and the others for a token."""
    made = guessed(Closed("all", clients=10, path=Hold(Pool("pool", 2), *[SERVED] * times)))
    (disk,), (pool,) = at(made, "disk"), at(made, "pool")
    assert disk.wait_s == pytest.approx(MS)
    assert pool.wait_s == pytest.approx((10 - 1 - 1) * times * MS)


# The walk without waits at buffers


def test_chains_walk_as_if_no_buffer_kept_them():
    """Walks of 2 ms and 3 ms at the buffer, of two visits each: as many as in 2 + 4 ms."""
    box = Buffer("box", 10)
    path = [Delay(2 * MS), Put(box), Put(box)]
    made = network(
        Closed("put", clients=3, path=path, think=4 * MS), Closed("take", clients=1, path=[Take(box), Delay(MS)])
    )
    for each in at(made, "box"):
        each.wait_s = 3 * MS
    made._evaluate_terms()  # noqa: SLF001
    assert made.chains[0].response_s == pytest.approx(8 * MS)
    made._unblocked_throughputs()  # noqa: SLF001
    assert [each.throughput for each in made.chains] == pytest.approx([500.0, 1000.0])


# What is refused


def behind(step, *others):
    """A network in which a thousand branches a second are left behind."""
    made = network(Closed("all", clients=1, path=[Delay(MS), Fork(step, wait=False)]), *others)
    made.chains[0].throughput = 1000.0
    return made


@pytest.mark.parametrize(("service_s", "servers", "asked"), [(MS, 1, "1"), (1.5 * MS, 1, "1.5"), (2 * MS, 2, "2")])
def test_flows_that_ask_for_all_of_a_station_are_refused(service_s, servers, asked):
    message = f"no steady state: {asked} servers' or tokens' time a second is asked of station 'disk', which has "
    disk = Station("disk", servers)
    with pytest.raises(NoSteadyStateError, match=f"{message}{servers}; lower the load, or add capacity"):
        behind(Use(disk, service_s)).refuse_overload()
    behind(Use(disk, service_s * 0.9999 / float(asked) * servers)).refuse_overload()


def test_flows_are_added_up_but_for_clients_who_wait():
    made = behind(Use(DISK, 0.6 * MS), Open("open", arrivals=Poisson(500.0), path=Use(DISK, MS)))
    with pytest.raises(NoSteadyStateError, match=r"1\.1 servers'"):
        made.refuse_overload()
    made = behind(Use(DISK, 0.6 * MS), Closed("closed", clients=1, path=Use(DISK, MS)))
    made.chains[1].throughput = 1000.0
    made.refuse_overload()


def test_shared_holders_ask_for_nothing():
    lock = Lock("lock")
    load = Open("all", arrivals=Poisson(5000.0), path=Hold(lock.shared, Delay(MS)))
    assert only(load).latency_s == pytest.approx(MS)
    made = behind(Hold(lock.exclusive, Delay(MS)))
    made._evaluate_terms()  # noqa: SLF001  (times what is held)
    with pytest.raises(NoSteadyStateError, match="of lock 'lock', which has 1;"):
        made.refuse_overload()


def test_a_closed_load_beside_arrivals_is_not_refused():
    solution = solve(
        Model(
            [
                Open("open", arrivals=Poisson(500.0), path=Use(DISK, MS)),
                Closed("closed", clients=20, path=Use(DISK, MS)),
            ]
        )
    )
    assert solution.groups["closed"].throughput == pytest.approx(500.0, rel=1e-3)


def test_background_branches_are_refused_unless_clients_wait_for_room():
    pages = Buffer("pages", 8)
    later = [Use(DISK, MS), Take(pages)]
    guarded = Closed("all", clients=1, path=[Delay(0.1 * MS), Put(pages), Fork(later, wait=False)])
    assert only(guarded).throughput == pytest.approx(1000.0, rel=0.02)
    with pytest.raises(NoSteadyStateError, match="station 'disk'"):
        only(Closed("all", clients=1, path=[Delay(0.1 * MS), Fork(Use(DISK, MS), wait=False)]))
    beside = Closed("other", clients=1, path=[Delay(0.1 * MS), Fork(Use(DISK, MS), wait=False)])
    with pytest.raises(NoSteadyStateError, match="station 'disk'"):
        only(guarded, beside)


def test_missing_balance_is_refused_naming_the_busiest_station(monkeypatch):
    monkeypatch.setattr(of_networks, "fixed_point", lambda *_: None)
    load = Closed("all", clients=3, path=[Use(LINK, MS), Use(DISK, Lognormal(3 * MS, 2.0))])
    with pytest.raises(ModelError, match="finds no balance of station 'disk'; simulate instead"):
        solve(Model([load]))


# Arrivals along a path


def comings(*path, arrivals=None):
    made = network(Open("all", arrivals=arrivals or Periodic(2 * MS), path=path))
    return {node.place.name: [each.arrival_variation for each in node.visits] for node in made.nodes}


def test_even_arrivals_are_followed_through_constant_delays_and_stations():
    """At half load constant services leave 0.75 · 0 + 0.25 · 0.2, exponential ones 1/4 of 1 more."""
    served = Use(DISK, MS), Delay(3 * MS), Use(LINK, Exponential(MS)), Use(Station("cpu"), MS)
    first = 1 - 0.75 + 0.25 * (0.2 - 1)
    second = 1 + 0.75 * (first - 1)
    assert comings(*served) == {"disk": [0.0], "link": [pytest.approx(first)], "cpu": [pytest.approx(second)]}
    assert comings(*served, arrivals=Poisson(500.0))["disk"] == [1.0]


def test_several_servers_mix_the_more():
    pair = Station("pair", 2)
    found = comings(Use(pair, Lognormal(2 * MS, 3.0)), Use(LINK, MS))
    assert found["link"] == [pytest.approx(1 - 0.75 + 0.25 * 8 / math.sqrt(2))]


def test_service_of_no_time_leaves_arrivals_unchanged():
    assert comings(Use(DISK, 0.0), Use(LINK, MS))["link"] == [pytest.approx(0.0)]


@pytest.mark.parametrize(
    "between",
    [Delay(Exponential(MS)), Fork(Delay(MS)), Hold(Pool("pool", 2), Delay(MS))],
    ids=["delay", "fork", "hold"],
)
def test_mixing_step_makes_arrivals_poisson(between):
    assert comings(between, Use(DISK, MS))["disk"] == [1.0]


def test_before_a_hold_it_still_counts():
    assert comings(Hold(Pool("pool", 2), Delay(MS)))["pool"] == [0.0]


def test_arrivals_of_two_visits_or_of_equal_workloads_are_poisson():
    assert comings(Use(DISK, MS), Use(LINK, MS), Use(DISK, 0.5 * MS)) == {"disk": [1.0], "link": [1.0]}
    timers = [Open(f"{row}", arrivals=Periodic(9 * MS), path=Use(DISK, MS), group="all") for row in range(2)]
    assert [each.arrival_variation for each in at(network(*timers), "disk")] == [1.0]
