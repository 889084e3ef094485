"""Where exact mean-value analysis is taken, and that it is what the closed form says."""

from __future__ import annotations

import pytest

from analytic_parts import DISK, LINK, MS, arriving, closed, node, only, visit
from sim import Choose, Closed, Delay, Exponential, Fork, Lock, Model, Open, Poisson, Repeat, Station, Use
from sim.engine.analytic import exact
from sim.engine.analytic.closed_forms import mva_classes
from sim.engine.analytic.exact import solve_exactly
from sim.engine.analytic.solve import solve
from sim.engine.analytic.terms import Fixed
from textbook import mva

SERVED = Use(DISK, Exponential(MS))


def is_exact(*workloads):
    return solve(Model(workloads)).exact


def test_one_chain_equals_mean_value_analysis():
    """A millisecond and a half at the disk, 4 ms at the link, and besides 2 + 2 · 1 + 0.25 · 4 ms."""
    path = [
        SERVED,
        Repeat(2, Delay(MS)),
        Choose((0.25, [Delay(4 * MS), Repeat(2, SERVED)]), (0.75, Delay(0.0))),
        Use(LINK, Exponential(4 * MS)),
    ]
    load = Closed("all", clients=5, path=path, think=Exponential(2 * MS))
    found, expected = solve(Model([load])), mva((1.5 * MS, 4 * MS), 5, 5 * MS)
    assert found.exact
    assert found.groups["all"].throughput == pytest.approx(expected.throughput, rel=1e-12)
    assert found.groups["all"].latency_s == pytest.approx(5 / expected.throughput - 2 * MS)
    for name, row, demand, visits in (("disk", 0, 1.5 * MS, 1.5), ("link", 1, 4 * MS, 1.0)):
        assert found.places[name].wait_s == pytest.approx((expected.residence_s[row] - demand) / visits)
        assert found.places[name].visits == pytest.approx(visits * expected.throughput)


def test_two_chains_are_classes():
    one = Closed("one", clients=3, path=[SERVED, Use(LINK, Exponential(2 * MS))])
    two = Closed("two", clients=2, path=Repeat(3, SERVED), think=4 * MS)
    solution = solve(Model([one, two]))
    expected = mva_classes([(MS, 2 * MS), (3 * MS, 0.0)], [3, 2], [0.0, 4 * MS])
    assert solution.exact
    rates = [each.throughput for each in solution.groups.values()]
    assert rates == pytest.approx([each.throughput for each in expected])
    assert solution.groups["two"].latency_s == pytest.approx(2 / rates[1] - 4 * MS)
    assert solution.groups["one"].lower == solution.groups["two"].lower == 0.0


@pytest.mark.parametrize(
    "fork", [Fork(Delay(MS), Delay(2 * MS)), Repeat(2, Fork(Delay(MS))), Choose((0.5, Fork(Delay(MS))), (0.5, ()))]
)
def test_a_model_with_a_fork_is_not_exact(fork):
    assert is_exact(Closed("all", clients=2, path=SERVED))
    assert not is_exact(Closed("all", clients=2, path=[SERVED, fork]))


def test_models_without_product_form_or_of_mixed_classes_are_not_exact():
    path = [SERVED, Delay(MS)]
    assert is_exact(Closed("all", clients=2, path=path), Open("open", arrivals=Poisson(1.0), path=path))
    unlike = Open("open", arrivals=Poisson(1.0), path=Use(DISK, Exponential(2 * MS)))
    assert not is_exact(Closed("all", clients=2, path=path), unlike)
    assert not is_exact(Closed("all", clients=2, path=Delay(MS)))
    alike = Choose((0.5, SERVED), (0.5, Use(LINK, Exponential(MS))))
    assert not is_exact(Closed("all", clients=2, path=alike))


def test_identical_workloads_are_one_class():
    alike = [Closed(f"{number}", clients=2, path=SERVED, think=MS, group="all") for number in range(3)]
    found, one = (solve(Model(load)) for load in (alike, [Closed("all", clients=6, path=SERVED, think=MS)]))
    assert found.exact
    assert found.groups["all"].throughput == pytest.approx(one.groups["all"].throughput)
    assert found.groups["all"].latency_s == pytest.approx(one.groups["all"].latency_s)
    assert found.places["disk"].wait_s == pytest.approx(one.places["disk"].wait_s)


def chain_of(clients):
    chain = closed(clients)
    chain.term = Fixed(MS, 0.0)
    return chain


def asked(chain, *, count):
    """So many stations, each asked by ``chain`` for an exponential millisecond."""
    places = [node(Station(f"{row}")) for row in range(count)]
    for each in places:
        visit(each, chain, work_s=MS, square_s2=2e-6)
    return places


@pytest.mark.parametrize(("most", "taken"), [(40, True), (39, False)])
def test_states_are_populations_times_stations(monkeypatch, most, taken):
    """Three and four clients are 4 · 5 populations; two stations."""
    monkeypatch.setattr(exact, "MAX_STATES", most)
    one, two = chain_of(3), chain_of(4)
    places = asked(one, count=2)
    for each in places:
        visit(each, two, work_s=MS, square_s2=2e-6)
    assert solve_exactly([one, two], places) == taken


def test_twenty_thousand_states_are_the_most(monkeypatch):
    monkeypatch.setattr(exact, "mva_classes", lambda _, counts, *__: [mva([MS], 1)] * len(counts))
    for clients, taken in ((19_999, True), (20_000, False)):
        chain = chain_of(clients)
        assert solve_exactly([chain], asked(chain, count=1)) == taken


def test_identical_places_are_not_solved_exactly():
    chain, where = chain_of(2), node(copies=2)
    visit(where, chain, work_s=MS, square_s2=2e-6)
    assert not solve_exactly([chain], [where])


@pytest.mark.parametrize(
    ("place", "servers", "visits", "taken"),
    [
        (DISK, 1, [(1.0, MS, 2e-6)], True),
        (DISK, 1, [(1.0, MS, 2e-6), (3.0, 3 * MS, 6e-6)], True),
        (DISK, 1, [(1.0, MS, 2e-6), (3.0, 3 * MS * (1 + 1e-12), 6e-6)], True),
        (DISK, 1, [(1.0, MS, 2e-6), (1.0, MS * (1 + 1e-6), 2e-6 * (1 + 2e-6))], False),
        (DISK, 1, [(1.0, MS, 2e-6), (1.0, 2 * MS, 8e-6)], False),
        (DISK, 1, [(1.0, MS, 1.9e-6)], False),
        (DISK, 1, [(1.0, MS, 2e-6), (3.0, 3 * MS, 5e-6)], False),
        (DISK, 1, [(1.0, MS, 2e-6), (1.0, 0.0, 0.0)], False),
        (DISK, 2, [(1.0, MS, 2e-6)], True),
        (Lock("lock"), 1, [(1.0, MS, 2e-6)], False),
    ],
)
def test_exponential_times_with_one_mean_at_a_station(place, servers, visits, taken):
    chain, where = chain_of(2), node(place, servers=servers)
    for count, work_s, square_s2 in visits:
        visit(where, chain, visits=count, work_s=work_s, square_s2=square_s2)
    assert solve_exactly([chain], [where]) == taken


def test_open_chains_are_not_solved_exactly():
    chain, where = arriving(5.0), node()
    chain.term = Fixed(MS, 0.0)
    visit(where, chain, work_s=MS, square_s2=2e-6)
    assert not solve_exactly([chain], [where])


def test_the_wait_is_that_of_one_of_several_visits():
    """Three visits of a millisecond between two clients: each waits a third of the time that is waited."""
    one = only(Closed("all", clients=2, path=Repeat(3, SERVED), think=3 * MS))
    expected = mva([3 * MS], 2, 3 * MS)
    assert one.latency_s == pytest.approx(expected.residence_s[0])


def test_several_servers_are_exact_for_a_few_closed_clients():
    """Three clients who only ask two servers keep both busy."""
    path = Use(Station("disks", 2), Exponential(MS))
    found = solve(Model([Closed("all", clients=3, path=path)]))
    assert found.exact
    assert found.groups["all"].throughput == pytest.approx(2 / MS)
    assert found.places["disks"].wait_s == pytest.approx(MS / 2)
    assert is_exact(Closed("all", clients=exact.MAX_CLIENTS, path=path, think=MS))
    assert not is_exact(Closed("all", clients=exact.MAX_CLIENTS + 1, path=path, think=MS))
    assert not is_exact(Closed("all", clients=3, path=path), Open("open", arrivals=Poisson(1.0), path=path))
