"""Headroom and knee, where closed forms say what they are; and the load that they scale."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from one_server import SERVER
from sim import Buffer, Choose, Closed, Constant, Delay, Model, Open, Periodic, Poisson, Put, Station, Take, Use
from sim.decision.goals import Goal
from sim.decision.headroom import headroom
from sim.decision.knee import _within, knee
from sim.decision.load_curve import LoadCurve, accuracy
from sim.decision.scaled_load import Amount, amount_of, with_load
from sim.engine.errors import InputError
from sim.engine.model.addresses import Replayed
from sim.engine.model.workloads import RecordedGaps, ReplayedTimes
from sim.engine.simulation.options import RunOptions
from sim.engine.statistics.estimates import point
from sim.system import Scenario
from sim.system.case import Case
from sim.system.scenario import Answer

COMPUTED = RunOptions(engine="analytic")


def curve(options=COMPUTED, **settings):
    return LoadCurve.of(Case.of(SERVER, settings).scenario, options)


def goal(text, **settings):
    return Goal.of(text, Case.of(SERVER, settings).scenario.units)


@pytest.mark.parametrize(
    ("limit", "percent"),
    [
        ("40ms", 50.0),
        ("100ms", 80.0),
        ("15ms", -(1 - 1 / 3 / 0.5) * 100),
        ("11ms", -(1 - (100 - 1 / 0.011) / 50) * 100),
    ],
)
def test_headroom_is_the_load_at_which_the_latency_of_one_server_reaches_its_limit(limit, percent):
    """From 1 / (100 − rate) = limit, with a rate of 50."""
    room = headroom(curve(), goal(f"mean<={limit}"), 0.02)
    assert room.percent == pytest.approx(percent, abs=1.1)
    assert room.engine == "analytic"


def test_headroom_ends_where_no_steady_state_is_left():
    room = headroom(curve(), goal("mean<=1000s"), 0.02)
    assert room.percent == pytest.approx(100.0, abs=1.1)


def test_goal_that_no_load_breaks_has_no_headroom():
    assert headroom(curve(rate=1.0), goal("mean<=1s"), 0.01).percent is None
    assert headroom(curve(), goal("mean<=1ms"), 0.02).percent is None


def test_throughput_goal_of_clients_is_its_own_load():
    room = headroom(curve(rate=0.0), goal("throughput>=80"), 100.0)
    assert room.percent == pytest.approx(25.0)
    assert headroom(curve(rate=0.0), goal("throughput>=200"), 100.0).percent == pytest.approx(-50.0)


def test_the_edge_of_clients_is_the_last_whole_number_that_keeps_the_goal():
    """The mean latency of n clients at one server is n times its service."""
    room = headroom(curve(rate=0.0, clients=8), goal("mean<=115ms"), 0.08)
    assert (room.load, room.percent) == (11, pytest.approx(37.5))


def test_a_simulation_finds_the_same_edge():
    options = RunOptions(answers=("throughput", "mean"))
    room = headroom(curve(options), goal("mean<=40ms"), 0.02)
    assert room.percent == pytest.approx(50.0, abs=3.0)
    assert room.engine == "simulation"


def test_the_knee_of_one_server_is_at_half_its_rate():
    """Throughput over latency is rate (100 − rate), which is largest at 50."""
    bend = knee(curve(rate=20.0))
    assert bend.load == pytest.approx(50.0, rel=0.006)
    assert bend.within == pytest.approx(2 ** (1 / 128) - 1, rel=0.01)
    assert bend.times == pytest.approx(bend.load / 20.0)
    assert (bend.unit, bend.engine) == ("arrivals/s", "analytic")
    assert bend.latency == pytest.approx(1 / (100 - bend.load), rel=0.01)


def test_the_knee_of_clients_at_one_server_is_at_one():
    bend = knee(curve(rate=0.0))
    assert (bend.load, bend.within) == (1.0, 0.0)


def test_a_simulation_finds_the_knee_to_an_eighth_of_a_doubling():
    bend = knee(curve(RunOptions(answers=("throughput", "mean"), precision=0.05), rate=20.0))
    assert bend.within == pytest.approx(2**0.125 - 1)
    assert bend.load == pytest.approx(50.0, rel=0.3)
    assert bend.engine == "simulation"


def test_the_knee_of_whole_numbers_lies_between_those_next_to_it():
    """Clients think for 90 ms and are served for 10, without variance: ten of them never wait."""
    load = Closed("a", clients=4, path=Use(Station("server"), Constant(0.01)), think=Constant(0.09))
    bend = knee(LoadCurve.of(Scenario(Model([load]), "a", 1.0, "1/s"), COMPUTED))
    powers = {n: _power_of(n) for n in range(1, 41)}
    assert bend.within == 0.0
    assert bend.load == max(powers, key=powers.__getitem__)


def _power_of(clients):
    load = Closed("a", clients=clients, path=Use(Station("server"), Constant(0.01)), think=Constant(0.09))
    point = LoadCurve.of(Scenario(Model([load]), "a", 1.0, "1/s"), COMPUTED).at(float(clients))
    return point.value("throughput") / point.value("mean")


def test_a_simulated_knee_of_whole_numbers_may_be_next_to_it():
    """The neighbours of three clients were run, and runs have noise."""
    load = Closed("a", clients=2, path=Use(Station("server"), Constant(0.01)), think=Constant(0.02))
    options = RunOptions(answers=("throughput", "mean"), precision=0.05, max_steps=100_000)
    bend = knee(LoadCurve.of(Scenario(Model([load]), "a", 1.0, "1/s"), options))
    assert bend.engine == "simulation"
    assert bend.within * bend.load == pytest.approx(1.0)


def test_clients_that_never_queue_and_jobs_have_no_knee():
    alone = Scenario(Model([Closed("a", clients=2, path=Delay(0.01))]), "a", 1.0, "1/s")
    assert knee(LoadCurve.of(alone, COMPUTED)) is None
    assert knee(curve(rate=0.0, work=100)) is None


def test_solution_is_exact_approximate_or_missing():
    assert accuracy(Case.of(SERVER, {"rate": 0.0}).scenario) == "exact"
    assert accuracy(Case.of(SERVER, {}).scenario) in ("exact", "approximate")
    log = Buffer("log", 9)
    filling = [Put(log), Delay(1.0), Choose((0.5, Take(log)), (0.5, ()))]
    assert accuracy(Scenario(Model([Closed("a", 1, filling)]), "a", 1.0, "1/s")) == ""


def scenario(*workloads):
    return Scenario(Model(workloads), "group", 1.0, "1/s")


def use(name="server", servers=50):
    return Use(Station(name, servers), Constant(0.01))


def test_clients_are_spread_evenly_and_daemons_stay():
    base = scenario(
        Closed("a", 1, use("sa"), group="group"),
        Closed("b", 3, use("sb"), group="group"),
        Closed("daemon", 2, use("sd")),
    )
    assert (amount_of(base).value, amount_of(base).unit) == (4, "clients")
    more = with_load(base, 10)
    assert [(each.name, each.clients) for each in more.model.workloads] == [("a", 3), ("b", 7), ("daemon", 2)]
    assert [each.name for each in with_load(base, 1).model.workloads] == ["b", "daemon"]


@pytest.mark.parametrize(
    ("load", "clients"),
    [(1, [0, 0, 1]), (2, [0, 1, 1]), (7, [1, 2, 4]), (8, [1, 2, 5]), (10, [1, 3, 6]), (14, [2, 4, 8])],
)
def test_clients_are_shared_out_by_the_largest_rest(load, clients):
    """In proportion to 1, 2 and 4; those of groups before and behind in the alphabet stay as they are."""
    groups = (*[("GROUP".lower(), each) for each in (1, 2, 4)], ("a", 3), ("z", 5))
    base = scenario(
        *(Closed(f"c{row}", each, use(f"s{row}"), group=group) for row, (group, each) in enumerate(groups))
    )
    found = {each.name: each.clients for each in with_load(base, load).model.workloads}
    assert [found.get(f"c{row}", 0) for row in range(5)] == [*clients, 3, 5]


def test_a_scaled_load_changes_only_the_number_of_clients():
    load = Closed("a", 2, [Delay(0.1), use()], begins=1, think=0.5, group="group", start_s=1.0, stop_s=9.0)
    (more,) = with_load(scenario(load), 6).model.workloads
    assert more == Closed("a", 6, [Delay(0.1), use()], begins=1, think=0.5, group="group", start_s=1.0, stop_s=9.0)


def test_a_job_grows_by_its_requests():
    base = scenario(Closed("a", clients=3, path=use(), count=100, group="group"))
    assert amount_of(base).unit == "requests"
    (more,) = with_load(base, 250).model.workloads
    assert (more.clients, more.count) == (3, 250)


@pytest.mark.parametrize(
    ("arrivals", "rate"),
    [(Poisson(40.0), 40.0), (Periodic(0.025), 40.0), (ReplayedTimes([0.025, 0.05, 0.1]), 30.0)],
)
def test_a_scaled_open_load_has_a_higher_rate(arrivals, rate):
    base = scenario(Open("a", arrivals, use(), group="group"))
    assert amount_of(base).value == pytest.approx(rate)
    more = with_load(base, 2.0 * rate)
    assert amount_of(more).value == pytest.approx(2.0 * rate)
    assert amount_of(more).unit == "arrivals/s"
    assert more.model.workloads[0].count == base.model.workloads[0].count


def test_loads_that_cannot_be_scaled_are_refused():
    recorded = Open("a", RecordedGaps(Replayed([1, 2]), 2), use(), group="group")
    mixed = (
        Open("b", Poisson(1.0), use("sb"), group="group"),
        Closed("c", clients=1, path=use("sc"), group="group"),
    )
    with pytest.raises(InputError, match="arrives as recorded"):
        amount_of(scenario(recorded))
    with pytest.raises(InputError, match="counted in arrivals/s and clients"):
        amount_of(scenario(*mixed))


def test_a_point_without_a_steady_state_has_no_answers_and_an_impossible_one_is_none():
    assert curve().at(150.0).answers == {}
    assert math.isnan(curve().at(150.0).value("mean"))
    assert curve().at(1e12).answers is None


def test_engine_is_compared_by_name():
    """A name that was read is equal to the one in the code, and not the same object."""
    read = RunOptions(engine=b"analytic".decode())
    assert knee(curve(read, rate=20.0)) == knee(curve(rate=20.0))


def stepped(limit, now=100.0, unit="arrivals/s", lost=()):
    """A curve whose mean latency is 1 s up to the load ``limit`` and 3 s beyond, and those that were looked at."""
    looked_at = []

    def at(load):
        looked_at.append(load)
        answers = {"mean": Answer(point(3.0 if load > limit else 1.0), "s")}
        return SimpleNamespace(answers=None if load in lost else answers)

    found = LoadCurve(None, COMPUTED, Amount(now, unit))
    found.at = at
    return found, looked_at


TWO_SECONDS = Goal("mean<=2s", "mean", at_least=False, limit=2.0, unit="s")


def test_the_load_is_looked_at_outwards_up_to_ten_times_and_down_to_a_twentieth():
    up, looked_up = stepped(1e9)
    down, looked_down = stepped(0.0)
    assert headroom(up, TWO_SECONDS, 1.0).load is headroom(down, TWO_SECONDS, 3.0).load is None
    assert looked_up == pytest.approx([110, 120, 135, 150, 175, 200, 250, 300, 400, 600, 1000])
    assert looked_down == pytest.approx([90, 80, 70, 60, 50, 40, 30, 20, 10, 5])
    beyond, _ = stepped(1e9, lost=(150.0,))
    assert headroom(beyond, TWO_SECONDS, 1.0).percent is None


@pytest.mark.parametrize("limit", [*range(1, 12), 33, 40, 79, 80])
def test_the_edge_of_whole_numbers_is_exact(limit):
    found, _ = stepped(limit, 8.0, "clients")
    room = headroom(found, TWO_SECONDS, 3.0 if limit < 8 else 1.0)
    expected = None if limit == 80 else limit
    assert room.load == expected
    assert room.percent == (None if expected is None else pytest.approx(100.0 * (limit / 8 - 1)))


@pytest.mark.parametrize("limit", [7.7, 23.4, 99.2, 100.7, 149.9, 150.0, 333.3, 999.0])
def test_the_edge_is_found_to_a_hundredth_of_the_load_on_the_side_of_the_goal(limit):
    found, _ = stepped(limit)
    assert limit - 1.0 <= headroom(found, TWO_SECONDS, 3.0 if limit < 100 else 1.0).load <= limit


@pytest.mark.parametrize(
    ("loads", "best", "sure", "within"),
    [
        ([1.0, 8.0, 9.0, 99.0], 8.0, False, 7 / 8),
        ([1.0, 2.0, 8.0, 99.0], 2.0, False, 3.0),
        ([4.0, 5.0, 99.0], 4.0, False, 0.25),
        ([1.0, 3.0, 4.0], 4.0, False, 0.25),
        ([3.0, 4.0, 5.0], 4.0, True, 0.0),
        ([3.0, 4.0, 6.0], 4.0, True, 0.5),
    ],
)
def test_a_knee_is_uncertain_by_the_distance_to_its_neighbours(loads, best, sure, within):
    assert _within(loads, best, sure=sure) == pytest.approx(within)


def test_a_knee_is_sought_from_a_thirty_second_of_the_load_to_ten_times_the_load():
    found = curve(rate=20.0)
    knee(found)
    loads = sorted(found._points)  # noqa: SLF001  (what was looked at)
    assert (loads[0], loads[-1]) == pytest.approx((20 / 32, 20 / 32 * 2 ** (17 / 2)))
    assert loads[1] / loads[0] == loads[-1] / loads[-2] == pytest.approx(2**0.5)
