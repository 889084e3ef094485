"""Crowds that grow, and crowds that keep their size, on runs written by hand."""

from __future__ import annotations

import numpy as np
import pytest

from recorded import snapshots_of
from sim import Buffer, Closed, Delay, Fork, Model, NoSteadyStateError, Open, Poisson, Put, Station, Take, Use
from sim.engine.simulation.crowds import DEVIATIONS, FEW, MANY, ROUGHLY, SEEN, Crowds

LATER = Use(Station("disk"), 1e-6)
ARRIVALS = Model([Open("o", arrivals=Poisson(1e3), path=Delay(1e-3))])
BEHIND = Model([Closed("c", clients=1, path=[Delay(1e-3), Fork(LATER, wait=False)])])


def crowd_of(model):
    (found,) = Crowds(model).all
    return found


def no_place(_group):
    return None


def arrived(grown, completed=100):
    """Of every interval how many came more than went."""
    counters = {"o": {"started": np.asarray(grown) + completed, "completed": completed, "steps": 10}}
    return snapshots_of(ARRIVALS, len(grown), workloads=counters)


def test_the_rules_are_those_of_the_document():
    assert (ROUGHLY, FEW, MANY, SEEN, DEVIATIONS) == (0.5, 1.0, 100, 2000, 5.0)


def test_workloads_that_may_pile_up():
    buffer, other = Buffer("b", 9), Buffer("other", 9)
    guarded = [Delay(1e-3), Put(buffer), Fork([LATER, Take(buffer)], wait=False)]
    unguarded = [Delay(1e-3), Put(buffer), Fork([LATER, Take(other)], Take(buffer), wait=False)]
    waited = [Delay(1e-3), Fork(LATER, Delay(1e-3))]
    filler = Closed("filler", clients=1, path=[Delay(1e-3), Put(other)])
    inside = [Delay(1e-3), Fork([Put(buffer), Fork([LATER, Take(buffer)], wait=False)], wait=False)]
    for path, others, names in (
        (guarded, (), []),
        (waited, (), []),
        (unguarded, (filler,), ["background branches of 'c'"]),
        (inside, (), ["background branches of 'c'"]),
    ):
        found = Crowds(Model([Closed("c", clients=1, path=path), *others])).all
        assert [each.name for each in found] == names
    assert [each.name for each in Crowds(ARRIVALS).all] == ["clients of 'o'"]
    assert [each.behind for each in Crowds(ARRIVALS).all + Crowds(BEHIND).all] == [False, True]


def test_sizes_are_those_on_their_way():
    assert crowd_of(ARRIVALS).sizes(arrived([3, 2, -1])).tolist() == [0, 3, 5, 4]
    snapshots = snapshots_of(BEHIND, 3, workloads={"c": {"background": [3, 2, -1], "started": 9}})
    assert crowd_of(BEHIND).sizes(snapshots).tolist() == [0, 3, 5, 4]
    assert crowd_of(BEHIND).on_their_way(snapshots) == "background branches of 'c' (4 on their way)"


def test_a_crowd_is_settled_if_its_mean_is_known_and_batches_are_uncorrelated():
    """A mean of 100 of 64 batches: ±50 is a spread of 50 · 8 / t(63)."""
    edges = list(range(65))
    for areas, known in (
        (100.0 + 195.0 * np.tile([1, -1], 32), True),
        (100.0 + 205.0 * np.tile([1, -1], 32), False),
        (np.zeros(64), True),
        (100.0 + np.arange(64.0), False),
    ):
        snapshots = snapshots_of(ARRIVALS, 64, workloads={"o": {"population_ns": 1000 * areas}})
        assert crowd_of(ARRIVALS).settled(snapshots, edges) is known
        assert (Crowds(ARRIVALS).changing(snapshots, edges) is None) is known
    warning = Crowds(ARRIVALS).changing(snapshots, edges)
    assert warning == "clients of 'o' (0 on their way) may still pile up"


def test_a_crowd_that_is_nearly_always_empty_is_settled():
    """Once in 64 batches there is somebody: 5 on average make fewer than one over all, 50 may make more."""
    edges = list(range(65))
    for size, known in ((5.0, True), (50.0, False)):
        areas = np.zeros(64)
        areas[20] = size
        snapshots = snapshots_of(ARRIVALS, 64, workloads={"o": {"population_ns": 1000 * areas}})
        assert crowd_of(ARRIVALS).settled(snapshots, edges) is known


def test_branches_behind_are_counted_at_the_ends_of_intervals():
    """Two intervals a batch: 100 ± 50 on average, though single ones are up to 900; the warm-up does not count."""
    ends = np.tile([900, -700, 100, -100], 16) + 100
    edges = list(range(2, 67, 2))
    for size, known in ((ends, True), (np.arange(64) + 1, False)):
        snapshots = snapshots_of(BEHIND, 66, workloads={"c": {"background": np.diff([0, 5000, 9000, *size])}})
        assert crowd_of(BEHIND).settled(snapshots, edges) is known
    steep = np.repeat([1000, 10], 32)
    snapshots = snapshots_of(BEHIND, 66, workloads={"c": {"background": np.diff([0, 0, 0, *steep])}})
    assert not crowd_of(BEHIND).settled(snapshots, edges)


@pytest.mark.parametrize(
    ("grown", "completed", "shown"),
    [
        ([1] * 101, 100, True),
        ([1] * 100, 100, False),  # a hundred may stand there by chance
        ([1] * 101, 20, True),
        ([1] * 101, 19, False),  # 1919 completions: all may stand behind one long service
        ([1] * 101, np.array([20] * 101 + [0] + [20] * 100), True),  # 2,000 completions in the latter half
        ([1] * 101, np.array([20] * 101 + [0] + [20] * 99 + [19]), False),
        ([40, -38] * 50 + [40], 100, False),
    ],
)
def test_a_crowd_grows_if_the_latter_half_of_the_run_shows_more_than_chance(grown, completed, shown):
    before = [500, -500] * 50 + [0]
    assert crowd_of(ARRIVALS).grows(arrived([*before[: len(grown)], *grown], completed)) is shown


def test_five_deviations_of_the_growth_are_shown_and_fewer_not():
    """100 intervals of 20 ± s alternately: the standard error of their mean is s / √99."""
    for spread, shown in ((39, True), (41, False)):
        wave = 20 + spread * np.tile([1, -1], 50)
        assert crowd_of(ARRIVALS).grows(arrived([*[0] * 100, *wave])) is shown


def test_a_load_is_refused_if_the_crowd_grew_at_half_the_run_already():
    followed = Crowds(ARRIVALS)
    followed.refuse(arrived([2] * 200), no_place)
    followed.refuse(arrived([2] * 399), no_place)
    with pytest.raises(NoSteadyStateError, match=r"clients of 'o' pile up \(800 on .* after 0.0004 simulated"):
        followed.refuse(arrived([2] * 400), no_place)


@pytest.mark.parametrize(
    ("place", "why"), [("lock 'log'", ": lock 'log' limits them, and about .* a second"), (None, "")]
)
def test_refusal_names_the_limiting_place_if_known(place, why):
    followed = Crowds(ARRIVALS)
    followed.refuse(arrived([2] * 200), no_place)
    with pytest.raises(NoSteadyStateError, match=rf"simulated seconds\){why}.*; lower the load"):
        followed.refuse(arrived([2] * 400), {"o": place}.get)


def test_a_crowd_that_shrank_in_between_begins_anew():
    followed = Crowds(ARRIVALS)
    followed.refuse(arrived([2] * 200), no_place)
    followed.refuse(arrived([2] * 200 + [-2] * 200), no_place)
    followed.refuse(arrived([2] * 800), no_place)
    with pytest.raises(NoSteadyStateError, match="pile up"):
        followed.refuse(arrived([2] * 1600), no_place)
