"""An analysis as the record of a simulation, the end of jobs, and how far off an answer may be."""

from __future__ import annotations

import math

import pytest

from analytic_parts import DISK, LINK, MS, closed, node, visit
from sim import (
    Await,
    Buffer,
    Cache,
    Closed,
    Delay,
    Exponential,
    Fork,
    Gate,
    Hold,
    Lock,
    Lookup,
    Model,
    ModelError,
    Open,
    Poisson,
    Pool,
    Put,
    Sequential,
    Take,
    Uniform,
    Use,
)
from sim.analytic.accuracy import CONFIDENCE, STUDIED, Accuracy, _mechanisms, accuracy, around
from sim.analytic.analysis import Analysis, GroupAnalysis, PlaceAnalysis
from sim.analytic.buffers import BufferRole
from sim.analytic.caches import Hits
from sim.analytic.jobs import elapsed_s, endless
from sim.analytic.solve import solve
from sim.analytic.stations import Chain
from sim.analytic.terms import Fixed, Joined, LeftBehind, Met, Mixture, PerBatch, Repeated, Series, Served
from sim.model.symmetry import symmetry
from sim.result import Bound

# As a result


def analysis(**more):
    group = GroupAnalysis(100.0, 30 * MS, Bound("disk", 104.0), 0.0, 0.25)
    place = PlaceAnalysis("cache", 50.0, 0.5, 1.5, 9 * MS, 4 * MS, 0.25, 2.5)
    return Analysis({"all": group}, {"disk": place}, **({"bottleneck": "disk", "needed": 0.8} | more))


STATED = Accuracy("pool", 0.25, 0.5)


def test_a_result_has_what_was_computed():
    found = analysis(methods=(), exact=True).result("all", seed=7)
    group = found.groups["all"]
    assert (found.watched, found.engine, found.seed, found.steps, found.warmup_s) == ("all", "analytic", 7, 0, 0.0)
    assert (group.throughput.value, group.latency.mean.value, group.hit_ratio.value) == (100.0, 30 * MS, 0.25)
    assert (group.population, group.completed, group.in_flight, group.background) == (3.0, 0, 0, 0)
    assert math.isnan(group.throughput.low)
    assert math.isnan(group.latency.p99.value)
    assert math.isnan(found.measured_s)
    assert found.elapsed is None
    assert found.warnings == ()
    assert found.limits == (Bound("disk", 125.0),)
    place = found.places["disk"]
    assert (place.kind, place.visits, place.utilisation, place.queue) == ("cache", 50.0, 0.5, 1.5)
    assert (place.wait_s, place.hit_ratio, place.batch) == (4 * MS, 0.25, 2.5)


def test_an_approximate_result_has_intervals_up_to_the_bound():
    found = analysis(methods=(), exact=False, accuracy=STATED, elapsed_s=20.0).result("all", seed=1)
    group = found.groups["all"]
    assert (group.throughput.low, group.throughput.high) == pytest.approx((80.0, 104.0))
    assert (group.latency.mean.low, group.latency.mean.high) == pytest.approx((20 * MS, 45 * MS))
    assert (found.elapsed.value, found.elapsed.low, found.elapsed.high) == pytest.approx((20.0, 16.0, 25.0))
    assert (found.measured_s, group.completed) == (20.0, 2000)
    assert found.warnings == (STATED.warning,)


def test_a_bound_below_the_answer_itself_is_none():
    group = GroupAnalysis(100.0, 30 * MS, Bound("disk", 99.0), 0.0, None)
    found = Analysis({"all": group}, {}, None, 0.0, (), exact=False, accuracy=STATED).result("all", seed=1)
    assert found.groups["all"].throughput.high == 100.0
    assert found.groups["all"].hit_ratio is None
    assert found.limits == ()


def test_the_end_of_an_exact_job_has_no_interval():
    found = analysis(methods=(), exact=True, elapsed_s=20.0).result("all", seed=1)
    assert found.elapsed.value == 20.0
    assert math.isnan(found.elapsed.low)


# How far off


def test_an_interval_is_a_factor_either_way():
    assert CONFIDENCE == 0.9  # nine of ten models, as the study counts
    found = around(100.0, 0.25)
    assert (found.value, found.low, found.high, found.confidence) == (100.0, 80.0, 125.0, 0.9)
    assert around(100.0, 0.25, 110.0).high == 110.0


def test_a_warning_says_both_in_percent():
    assert "(pool) are within ±25% in throughput, ±50% in latency; simulate" in STATED.warning


LOCK, BOX = Lock("lock"), Buffer("box", 9)
USED = Use(DISK, MS)
POOL = Pool("pool", 2)
MECHANISMS = [
    (USED, set()),
    (Hold(LOCK.exclusive, USED), {"lock"}),
    (Hold(LOCK.shared, USED), {"read-write lock"}),
    (Hold(POOL, USED), {"pool"}),
    (Hold(POOL, Hold(LOCK.exclusive, USED)), {"pool", "lock", "hold inside a hold", "several mechanisms"}),
    (Fork(USED, Delay(MS)), {"fork"}),
    (Fork(USED, wait=False), set()),
    (Await(Gate("gate")), {"gate"}),
    (Put(BOX), {"buffer"}),
    (Take(BOX), {"buffer"}),
    (Lookup(Cache("cache", 5), Uniform(9), USED), {"cache"}),
    (Lookup(Cache("cache", 5), Uniform(9), Put(BOX)), {"cache", "buffer", "several mechanisms"}),
]


def chains(*workloads):
    return [Chain(each, 1) for each in workloads]


@pytest.mark.parametrize(("step", "names"), MECHANISMS)
def test_each_mechanism_is_told_from_the_others(step, names):
    assert set(_mechanisms([Closed("all", clients=3, path=step)])) == {"stations", *names}


def test_several_kinds_of_clients_count_where_nothing_else_does():
    """And arrivals from outside as they do; of several mechanisms the throughput that is worst."""
    one, two = (Closed(name, clients=3, path=USED) for name in ("one", "two"))
    outside = Open("open", arrivals=Poisson(5.0), path=USED)
    assert accuracy(chains(one, two), ()).what == "several kinds of clients"
    assert accuracy(chains(one, outside), ()).what == "arrivals from outside"
    assert accuracy(chains(one, outside), ()).throughput == STUDIED["stations"].throughput
    pooled = Closed("two", clients=3, path=Hold(Pool("pool", 2), USED))
    assert accuracy(chains(one, pooled), ()).what == "pool"


# Jobs


def jobs(*counts, clients=4):
    loads = [Closed(f"job {row}", clients=clients, path=Delay(MS), count=each) for row, each in enumerate(counts)]
    return symmetry(Model(loads))


def test_a_job_without_end_has_no_more_clients_than_walks():
    assert [each.clients for each, _ in endless(jobs(3, None, 9)).workloads] == [3, 4, 4]
    assert all(each.count is None for each, _ in endless(jobs(3, None, 9)).workloads)


def test_arrivals_that_end_are_refused():
    load = Open("all", arrivals=Poisson(5.0), path=USED, count=100)
    with pytest.raises(ModelError, match="workload 'all' ends after 100 arrivals; the analytic engine"):
        endless(symmetry(Model([load])))


def test_the_last_of_all_jobs_is_the_end():
    folded = jobs(1000, None, 1030)
    mine = [Chain(each, 1, throughput=500.0) for each, _ in folded.workloads]
    assert elapsed_s(folded, mine, []) == pytest.approx(2.06)
    assert elapsed_s(jobs(None), mine[1:2], []) is None


@pytest.mark.parametrize(("initial", "puts"), [(1, True), (24, False)])
@pytest.mark.parametrize(("walks", "refused"), [(61, True), (81, False)])
def test_a_buffer_may_hold_a_twentieth_of_what_moves(initial, puts, walks, refused):
    """Room of 24, or 24 in it: a twentieth of 80 walks of 3 units by each of two workloads."""
    folded = jobs(walks, clients=1)
    (workload, _), *_ = folded.workloads
    chain = Chain(workload, 2, throughput=500.0)
    place = Buffer("box", 25, initial)
    role = BufferRole(place, 25, two_sided=True)
    moves = visit(node(place), chain, work_s=3.0, wait_s=MS)
    role.add(moves, put=puts)
    if refused:
        with pytest.raises(
            ModelError, match=r"box' has room for 24, and workload 'job 0' and its like move 366 by"
        ):
            elapsed_s(folded, [chain], [role])
    else:
        assert elapsed_s(folded, [chain], [role]) == pytest.approx(walks / 500)
    moves.wait_s = 0.0
    assert elapsed_s(folded, [chain], [role]) == pytest.approx(walks / 500)


# Terms


def waited(wait_s):
    return visit(node(), closed(), wait_s=wait_s)


def test_terms_by_hand():
    """Waits are taken as exponential; branches left behind take no time."""
    fixed, served, met = Fixed(2.0, 3.0), Served(waited(4.0), 2.0, 3.0), Met(waited(5.0))
    assert fixed.moments() == (2.0, 3.0)
    assert served.moments() == (6.0, 19.0)
    assert met.moments() == (5.0, 25.0)
    assert Series([fixed, served, met, fixed]).moments() == (15.0, 50.0)
    assert Repeated(3, served).moments() == (18.0, 57.0)
    assert LeftBehind([served]).moments() == (0.0, 0.0)
    assert Mixture([(0.25, fixed), (0.75, met)]).moments() == pytest.approx((4.25, 0.25 * 7 + 0.75 * 50 - 4.25**2))
    assert Joined([(1, served)]).moments() == (6.0, 19.0)


def test_a_branch_left_behind_still_counts_what_it_asks():
    found = waited(4.0)
    batches = type("Batches", (), {"batch": 2.5})()
    term = PerBatch(found, 0.5, 2.0, 3.0, 0.4, batches)
    assert LeftBehind([term]).moments() == (0.0, 0.0)
    assert (found.work_s, found.square_s2, found.means_s2) == pytest.approx((1.5, 0.5 * 12, 0.5 * 9))
    assert term.moments() == (7.0, 19.0)


# Caches


def test_sources_are_asked_as_often_as_all_alike_workloads_look_up():
    """One of them ten times as often: the other's blocks are hardly ever there."""
    often, seldom = Uniform(100), Uniform(40)
    for copies, rates in ((1, (1000.0, 1.0)), (1000, (1.0, 1.0))):
        hits = Hits(Cache("blocks", 20))
        for source, rate, count in ((often, rates[0], copies), (seldom, rates[1], 1)):
            hits.ratio(source)
            hits.lookups[source] = [(closed(throughput=rate, copies=count), 1.0)]
        hits.update()
        assert (hits.ratios[often], hits.ratios[seldom]) == pytest.approx((0.2, 0.2), rel=0.01)


def test_a_fixed_order_beside_others_is_refused():
    path = [Lookup(Cache("blocks", 20), each, (), USED) for each in (Uniform(100), Sequential(50))]
    with pytest.raises(ModelError, match="cache 'blocks' is looked up in with a fixed order of addresses beside"):
        solve(Model([Closed("all", clients=2, path=[Use(LINK, Exponential(MS)), *path])]))
