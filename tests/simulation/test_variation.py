"""Variation of a request's time, of models of which that is known by hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim import (
    Buffer,
    Closed,
    Delay,
    Empirical,
    Exponential,
    Fork,
    Gamma,
    Hold,
    Lock,
    Model,
    Open,
    Periodic,
    PerItem,
    Poisson,
    Pool,
    Put,
    Station,
    Take,
    Use,
    simulate,
)
from sim.engine.simulation.variation import _share_out, _variation, own_times, variation_of
from sim.engine.statistics.estimates import point
from sim.prediction.prediction_record import percentiles_record

KNOWN = Exponential(1e-3, source="a table")
ASSUMED = Exponential(1e-3)
DISK, CPU = Station("disk"), Station("cpu", servers=64)


def of(*path, clients=1, others=(), arrivals=None, **more):
    load = Open("o", arrivals, path) if arrivals else Closed("o", clients, path, **more)
    model = Model([load, *others])
    return variation_of(model, simulate(model, precision=0.05, answers=("throughput", "mean")), "o")


def shares(found):
    return found.constant, found.assumed, found.known


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (1e-3, (1, 0, 0)),
        (ASSUMED, (0, 1, 0)),
        (KNOWN, (0, 0, 1)),
        (Gamma(1e-3, 0.5), (0, 1, 0)),
        (Empirical([1e-3, 3e-3]), (0, 0, 1)),
    ],
)
@pytest.mark.parametrize("step", [lambda time: Use(DISK, time), Delay], ids=["use", "delay"])
def test_variation_of_a_time_is_that_of_its_distribution(time, expected, step):
    assert shares(of(step(time))) == pytest.approx(expected, abs=0.02)


def test_only_the_fixed_part_of_a_time_per_item_varies():
    assert own_times(Delay(PerItem(KNOWN, 3e-3))) == {("constant", ""): 3e-3, ("known", ""): 1e-3}


def test_times_count_as_long_as_they_take():
    found = of(Use(DISK, 1e-3), Use(CPU, Exponential(3e-3, source="a table")))
    assert shares(found) == pytest.approx((0.25, 0, 0.75), abs=0.02)


def test_waiting_varies_as_the_service_at_a_station():
    """Sixty-four clients at one disk of a millisecond: 62 ms of waiting beside two of a core."""
    found = of(Use(DISK, 1e-3), Use(CPU, Exponential(2e-3, source="a table")), clients=64)
    assert found.constant > 0.95
    assert not found.modelled
    assert found.places == ("disk",)


def test_a_distribution_that_all_wait_for_makes_percentiles_known():
    found = of(Use(DISK, KNOWN), Use(CPU, 2e-3), clients=64)
    assert found.known > 0.95
    assert found.modelled
    assert found.words == ""


@pytest.mark.parametrize("held", [Lock("held").exclusive, Pool("held", 1)], ids=["lock", "pool"])
def test_waiting_for_a_lock_or_pool_varies_as_its_inner_steps(held):
    found = of(Hold(held, Delay(1e-3)), Use(CPU, Exponential(2e-3, source="a table")), clients=64)
    assert found.constant > 0.95


def test_waiting_for_room_varies_as_the_steps_that_free_it():
    """As at a limit of a cloud: tokens come back one after the other, each in the same time."""
    debt = Buffer("debt", 1)

    def limited(time):
        refill = Closed("refill", 1, (Use(DISK, time), Take(debt, 1)))
        return of(Put(debt, 1), Use(CPU, KNOWN), clients=64, others=[refill])

    assert limited(1e-3).constant > 0.9
    assert limited(KNOWN).known > 0.95


def test_behind_random_arrivals_waiting_is_known_and_service_is_not():
    """M/D/1 at 80 %: the wait is twice the service, at 20 % an eighth of it (Pollaczek and Khinchine)."""
    assert shares(of(Use(DISK, 1e-3), arrivals=Poisson(800.0))) == pytest.approx((1 / 3, 0, 2 / 3), abs=0.04)
    assert of(Use(DISK, 1e-3), arrivals=Poisson(200.0)).constant == pytest.approx(8 / 9, abs=0.03)
    assert of(Use(DISK, 1e-3), arrivals=Periodic(2e-3)).constant == 1.0


def test_waiting_after_random_think_times_varies_and_service_does_not():
    """Many who think for long are as random arrivals; few are hardly in each other's way."""
    think = Exponential(79e-3, source="a survey")
    many = of(Use(DISK, 1e-3), clients=64, think=think)
    arrivals = of(Use(DISK, 1e-3), arrivals=Poisson(790.0))
    assert many.modelled
    assert many.known == pytest.approx(arrivals.known, abs=0.1)
    assert of(Use(DISK, 1e-3), clients=64, think=Exponential(79e-3)).assumed == pytest.approx(many.known, abs=0.02)
    few = of(Use(DISK, 1e-3), clients=2, think=think)
    assert few.constant > 0.95
    assert not few.modelled


def test_saturated_place_leaves_think_times_little_weight():
    """Of 64 clients 54 wait for their 64 ms, less the 10 that they think for on average."""
    found = of(Use(DISK, 1e-3), clients=64, think=Exponential(10e-3, source="a survey"))
    assert found.known == pytest.approx(53 / 54 * 10 / 64, abs=0.01)
    assert not found.modelled


def test_think_times_that_are_constant_say_nothing():
    assert of(Use(DISK, 1e-3), clients=64, think=79e-3).constant == 1.0


def test_background_steps_and_steps_before_a_request_do_not_count():
    aside = of(Fork((Use(DISK, 1e-4),), wait=False), Use(CPU, KNOWN))
    before = of(Delay(1.0), Use(CPU, KNOWN), begins=1)
    assert (aside.known, before.known) == (1.0, 1.0)


def test_assumed_variation_is_reported_as_assumed():
    found = of(Use(Station("disk 1"), ASSUMED), Use(Station("disk 2"), ASSUMED))
    assert found.modelled
    assert found.words == "assumed: no source says how times of disk * vary"
    assert percentiles_record(found)["status"] == "assumed"


def test_words_name_the_constants():
    found = of(Use(DISK, 2e-3), Delay(1e-3))
    assert found.words == (
        "not modelled: times of disk, delays are constants; give them a variation, or a measured distribution"
    )
    assert percentiles_record(found) == {
        "status": "not modelled",
        "reason": found.words,
        "times": {"constant": pytest.approx(1.0), "assumed": 0.0, "distribution": 0.0},
        "places": ["disk", "delays"],
    }


def test_shares_are_of_all_time_and_those_with_most_of_it_are_named():
    times = {("constant", "a"): 1.0, ("constant", "b"): 3.0, ("assumed", "c"): 4.0, ("known", ""): 8.0}
    found = _variation(times)
    assert (shares(found), found.places) == ((0.25, 0.25, 0.5), ("c",))
    assert (found.modelled, found.sourced) == (True, True)
    found = _variation({**times, ("constant", ""): 5.0, ("constant", "d"): 2.0, ("constant", "c"): 2.0})
    assert (shares(found), found.places) == ((0.52, 0.16, 0.32), ("delays", "b", "d"))
    assert (found.modelled, found.sourced) == (False, False)
    assert _variation({("constant", "a"): 1.0, ("known", ""): 1.0}).modelled
    assert shares(_variation({("constant", "a"): 0.0})) == (0.0, 0.0, 1.0)


def test_an_amount_is_shared_out_as_kinds_are():
    total = {("known", "a"): 1.0}
    _share_out(total, 6.0, {("known", "a"): 1.0, ("constant", "b"): 2.0, ("assumed", "c"): 0.0})
    assert total == {("known", "a"): 3.0, ("constant", "b"): 4.0}
    _share_out(total, 6.0, {})
    assert sum(total.values()) == 7.0


def test_time_at_several_buffers_is_divided_by_their_waiters():
    """Eight requests, of which one waits for a constant refill and three for one that is known."""
    a, b = Buffer("a", 1), Buffer("b", 1)
    refills = [Closed("a", 1, [Use(DISK, 1e-3), Take(a)]), Closed("b", 1, [Use(CPU, KNOWN), Take(b)])]
    model = Model([Closed("o", 8, [Put(a), Put(b)]), *refills])
    seen = {name: SimpleNamespace(queue=queue, utilisation=0.5) for name, queue in (("a", 1.0), ("b", 3.0))}
    group = SimpleNamespace(population=8.0, throughput=point(1.0))
    found = variation_of(model, SimpleNamespace(places=seen, groups={"o": group}), "o")
    assert shares(found) == pytest.approx((0.25, 0.0, 0.75))


def test_time_at_a_station_is_service_and_waiting():
    """Two of four servers are in use for constants, one waits for them, and a second of a known delay passes."""
    path = [Use(Station("s", servers=4), 1e-3), Delay(Exponential(1.0, source="a table"))]
    model = Model([Closed("o", 8, path)])
    seen = {"s": SimpleNamespace(queue=1.0, utilisation=0.5)}
    group = SimpleNamespace(population=8.0, throughput=point(5.0))
    found = variation_of(model, SimpleNamespace(places=seen, groups={"o": group}), "o")
    assert shares(found) == pytest.approx((3 / 8, 0.0, 5 / 8))
