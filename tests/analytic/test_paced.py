"""Work at a pace beside closed clients: exact cases, limits, and figures simulated to 1 %."""

from __future__ import annotations

import math

import pytest

from analytic_parts import at, network
from models.parts.rebuild import BLOCK_BYTES, Rebuild
from sim import Buffer, Closed, Delay, Exponential, Fork, Model, Put, Station, Use
from sim.engine.analytic.mechanisms import PACED, PACED_AT_RANDOM
from sim.engine.analytic.paced import find_paced, has_equal_intervals, own_share, paced_share
from sim.engine.analytic.solve import solve

US = 1e-6
LINK, SPARE, DISK = Station("link"), Station("spare"), Station("disk")
BLOCK_S = 60 * US


def rebuild(share, time=BLOCK_S):
    """A rebuild that keeps the link busy for this share of the time, with blocks of 60 microseconds."""
    read, write = Use(LINK, time), Use(SPARE, BLOCK_S / 2)
    return Rebuild("rebuild", share / BLOCK_S * BLOCK_BYTES).workloads((read,), (write,))


def load(clients, time=20 * US, disks=1):
    """Clients that cross the link, and then read from a disk, or from several at once."""
    places = [DISK, *(Station(f"disk {number}") for number in range(2, disks + 1))]
    reads = [(Use(place, 100 * US / disks),) for place in places]
    return Closed("load", clients, (Use(LINK, time), Fork(*reads) if disks > 1 else reads[0][0]))


def rate(answer):
    return answer.groups["load"].throughput


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_paced_work_does_not_wait_for_itself_while_nothing_varies(share):
    assert solve(Model(rebuild(share))).groups["rebuild"].latency_s == pytest.approx(1.5 * BLOCK_S, rel=0.02)


@pytest.mark.parametrize("share", [0.5, 0.8, 0.9])
def test_paced_work_alone_waits_as_periodic_arrivals_do(share):
    """D/M/1, of which equation 9 is an approximation: s solves s = exp(-(1 - s) / share)."""
    found = 0.5
    for _ in range(1000):
        found = math.exp(-(1.0 - found) / share)
    waited_s = BLOCK_S * found / (1.0 - found)
    link = solve(Model(rebuild(share, Exponential(BLOCK_S)))).places["link"]
    assert link.wait_s == pytest.approx(waited_s, rel=0.05)


@pytest.mark.parametrize(
    ("clients", "share", "time", "disks", "simulated"),
    [
        (1, 0.9, 20 * US, 1, 4999.0),
        (2, 0.7, 20 * US, 1, 9997.0),
        (1, 0.9, Exponential(20 * US), 1, 4948.0),
        (2, 0.9, Exponential(20 * US), 1, 4997.0),
        (64, 0.9, 20 * US, 1, 10000.0),
        (2, 0.7, Exponential(20 * US), 4, 14970.0),
        (4, 0.4, Exponential(20 * US), 4, 29290.0),
    ],
)
def test_clients_beside_it_are_as_fast_as_in_simulation(clients, share, time, disks, simulated):
    assert rate(solve(Model([load(clients, time, disks), *rebuild(share)]))) == pytest.approx(simulated, rel=0.02)


def test_own_share_of_lateness(made):
    """Equation 38, with a service of 2/5 and a gap of one in units of the lateness, and its limits."""
    visit, gap_s = made
    assert own_share(visit, gap_s) == pytest.approx(math.expm1(0.4) / math.expm1(1.0))
    assert own_share(visit, 1e4 * gap_s) == pytest.approx(0.4, rel=1e-3)
    assert own_share(visit, gap_s / 100.0) == pytest.approx(math.exp(-60.0), rel=1e-9)
    assert own_share(visit, 0.0) == own_share(visit, gap_s / 1e3) == 0.0


@pytest.fixture
def made():
    """The rebuild's visit to the link, which it keeps busy for 0.4 of the time, and the gap between two."""
    solved = network(load(1), *rebuild(0.4))
    visit = next(each for each in at(solved, "link") if each.chain.workload.name == "rebuild")
    gap_s = BLOCK_S / 0.4
    visit.chain.throughput = 1.0 / gap_s
    return visit, gap_s


def test_work_is_paced_as_long_as_a_client_waits_for_each_token():
    """Equation 37: of 32 clients, so many wait for tokens on average."""
    solved = network(load(1), *rebuild(0.4))
    (tokens,) = find_paced(solved.buffer_roles.values()).values()
    tokens.chain.throughput = 1000.0
    for waiting, share in ((0.0, 0.0), (1.0, 1.0 - (31 / 32) ** 32), (32.0, 1.0), (40.0, 1.0)):
        tokens.wait_s = waiting / 1000.0
        assert paced_share([tokens]) == pytest.approx(share)


@pytest.mark.parametrize(
    ("pace", "equal"),
    [
        (Closed("pace", 1, (Delay(1e-3), Put(Buffer("tokens", 1)))), True),
        (Closed("pace", 1, Put(Buffer("tokens", 1)), think=1e-3), True),
        (Closed("pace", 2, (Delay(1e-3), Put(Buffer("tokens", 1)))), False),
        (Closed("pace", 1, (Delay(Exponential(1e-3)), Put(Buffer("tokens", 1)))), False),
        (Closed("pace", 1, Put(Buffer("tokens", 1)), think=Exponential(1e-3)), False),
        (Closed("pace", 1, (Use(DISK, 1e-3), Put(Buffer("tokens", 1)))), False),
    ],
)
def test_a_pace_puts_tokens_at_equal_intervals(pace, equal):
    assert has_equal_intervals(pace) is equal


def test_stated_accuracy_tells_equal_from_random_intervals():
    pace, work = rebuild(0.4)
    by_chance = Closed("pace", 1, (Delay(Exponential(1e-3)), pace.path[1]))
    stated = [
        next(iter(solve(Model([load(1), each, work])).groups.values())).accuracy.names
        for each in (pace, by_chance)
    ]
    assert stated == [(PACED,), (PACED_AT_RANDOM,)]
