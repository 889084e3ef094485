"""An analysis as the record of a simulation, and the end of jobs."""

from __future__ import annotations

import math

import pytest

from analytic_parts import DISK, LINK, MS, closed, node, visit
from sim import (
    Buffer,
    Cache,
    Closed,
    Delay,
    Exponential,
    Lookup,
    Model,
    ModelError,
    Open,
    Poisson,
    Sequential,
    Uniform,
    Use,
)
from sim.engine.analytic.accuracy import Accuracy, Ends, Features
from sim.engine.analytic.analysis import Analysis, GroupAnalysis, PlaceAnalysis
from sim.engine.analytic.buffers import BufferRole
from sim.engine.analytic.caches import Hits
from sim.engine.analytic.jobs import elapsed_s, endless
from sim.engine.analytic.solve import solve
from sim.engine.analytic.stations import Chain
from sim.engine.analytic.terms import Fixed, Joined, LeftBehind, Met, Mixture, PerBatch, Repeated, Series, Served
from sim.engine.model.symmetry import symmetry
from sim.engine.result import Bound

# As a result


def analysis(accuracy=None, **more):
    group = GroupAnalysis(100.0, 30 * MS, Bound("disk", 104.0), 0.0, 0.25, accuracy)
    place = PlaceAnalysis("cache", 50.0, 0.5, 1.5, 9 * MS, 4 * MS, 0.25, 2.5)
    return Analysis({"all": group}, {"disk": place}, **({"limits": {"all": (Bound("disk", 125.0),)}} | more))


STATED = Accuracy(("pool",), Features(0.5, 0.5, 1.0, 8), Ends(0.8, 1.25), Ends(0.9, 1.5))


def test_a_result_has_the_computed_answers():
    found = analysis(methods=(), exact=True).result("all", seed=7)
    group = found.groups["all"]
    assert (found.watched, found.engine, found.seed, found.steps, found.warmup_s) == ("all", "analytic", 7, 0, 0.0)
    assert (group.throughput.value, group.latency.mean.value, group.hit_ratio.value) == (100.0, 30 * MS, 0.25)
    assert (group.population, group.completed, group.in_flight, group.background) == (3.0, 0, 0, 0)
    assert (group.throughput.low, group.throughput.high, str(group.throughput)) == (100.0, 100.0, "100")
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
    assert (group.throughput.low, group.throughput.high) == pytest.approx((80.0, 104.0), rel=2e-4)
    assert (group.latency.mean.low, group.latency.mean.high) == pytest.approx((27 * MS, 45 * MS))
    assert (found.elapsed.value, found.elapsed.low, found.elapsed.high) == pytest.approx((20.0, 16.0, 25.0))
    assert (found.measured_s, group.completed) == (20.0, 2000)
    assert found.warnings == (STATED.warning,)


def test_a_bound_below_the_answer_is_ignored():
    group = GroupAnalysis(100.0, 30 * MS, Bound("disk", 99.0), 0.0, None, STATED)
    found = Analysis({"all": group}, {}, {"all": ()}, (), exact=False).result("all", seed=1)
    assert found.groups["all"].throughput.high == pytest.approx(100.01)
    assert found.groups["all"].hit_ratio is None
    assert found.limits == ()


def test_the_end_of_an_exact_job_is_its_own_interval():
    found = analysis(methods=(), exact=True, elapsed_s=20.0).result("all", seed=1)
    assert (found.elapsed.value, found.elapsed.low, found.elapsed.high) == (20.0, 20.0, 20.0)


USED = Use(DISK, MS)

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
def test_buffer_may_hold_a_twentieth_of_the_units_moved(initial, puts, walks, refused):
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


def test_background_branch_counts_its_demand():
    found = waited(4.0)
    batches = type("Batches", (), {"batch": 2.5})()
    term = PerBatch(found, 0.5, 2.0, 3.0, 0.4, batches)
    assert LeftBehind([term]).moments() == (0.0, 0.0)
    assert (found.work_s, found.square_s2, found.means_s2) == pytest.approx((1.5, 0.5 * 12, 0.5 * 9))
    assert term.moments() == (7.0, 19.0)


# Caches


def test_look_ups_of_equal_workloads_are_added_up_by_source():
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
