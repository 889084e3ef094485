"""The laws that every result must keep, at the borders of what chance allows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sim import (
    Buffer,
    Cache,
    Closed,
    Delay,
    Exponential,
    Fork,
    Lookup,
    Model,
    Put,
    Station,
    Take,
    Uniform,
    Use,
    simulate,
)
from sim.engine.errors import LawError
from sim.engine.simulation.operational_laws import checked
from sim.engine.statistics.estimates import Estimate

PATH = Use(Station("disk"), 1e-3)  # allows 1,000 a second, and 1,001 by rounding
ENDLESS, JOB = (Model([Closed("all", clients=4, path=PATH, count=count)]) for count in (None, 100))


def around(value, half):
    return Estimate(value, value - half, value + half, 0.95)


def broken(model, rate, population, mean, in_flight=2, completed=10_000, *, known=True):
    """True if ``checked`` refuses a result measured for 10 s."""
    result = simulate(model, precision=0.5, answers=("throughput",))
    group = result.groups["all"]
    latency = replace(group.latency, mean=mean)
    group = replace(group, throughput=rate.marked(known=known), population=population, latency=latency)
    group = replace(group, in_flight=in_flight, completed=completed)
    try:
        checked(model, replace(result, groups={"all": group}, measured_s=10.0))
    except LawError:
        return True
    return False


@pytest.mark.parametrize(("rate", "expected"), [(1003.39, False), (1003.41, True)])
def test_rate_may_exceed_its_bound_by_three_half_widths_and_requests_in_flight(rate, expected):
    """Three times 0.5; and 2 x 3 requests on their way on average, two at the end, and one, in 10 s."""
    assert broken(ENDLESS, around(rate, 0.5), 3.0, around(3.0 / rate, 0.0)) is expected
    assert not broken(ENDLESS, around(rate, 0.5), 3.0, around(3.0 / rate, 0.0), known=False)


@pytest.mark.parametrize(("rate", "expected"), [(1030.9, False), (1031.1, True)])
def test_little_s_law_of_a_job_allows_sixty_half_widths(rate, expected):
    assert broken(JOB, around(rate, 0.5), 3.0, around(1.0, 0.0)) is expected


def test_job_ends_before_its_background_branches():
    path = [Delay(1e-3), Fork(PATH, wait=False)]
    for count, expected in ((None, True), (100, False)):
        model = Model([Closed("all", clients=1, path=path, count=count)])
        assert broken(model, around(5000.0, 0.0), 1.0, around(2e-4, 0.0)) is expected


@pytest.mark.parametrize(
    ("rate", "mean_s", "population", "expected"),
    [
        # 10 by the law: 3 x (1 % + 2 %) of it is noise, a thousandth rounding, some 12 % are cut off
        (500.0, 0.02, 12.33, False),
        (500.0, 0.02, 12.36, True),
        (500.0, 0.02, 8.09, False),
        (500.0, 0.02, 8.07, True),
        # 0.05 by the law; two hundredths and a little of one request are cut off
        (50.0, 0.001, 0.0752, False),
        (50.0, 0.001, 0.0754, True),
    ],
)
def test_as_many_are_on_their_way_as_rate_and_latency_say(rate, mean_s, population, expected):
    mean = around(mean_s, 0.02 * mean_s)
    assert broken(ENDLESS, around(rate, 0.01 * rate), population, mean, in_flight=1) is expected
    assert not broken(ENDLESS, around(rate, 0.01 * rate), population, mean, in_flight=1, completed=0)


def test_client_waiting_for_ever_breaks_no_law():
    """A cache that soon holds all: then nothing is written any more, and the writer waits for ever."""
    full, work = Cache("cache", 1000), Buffer("work", 10)
    reads = Lookup(full, Uniform(28), hit=[Delay(1e-5)], miss=[Put(work), Delay(1e-5)])
    writer = Closed("writer", clients=1, path=[Take(work), Delay(1e-5)])
    result = simulate(
        Model([Closed("all", clients=4, path=[Delay(Exponential(1e-5)), reads]), writer]),
        precision=0.02,
        watch="all",
    )
    assert result.groups["writer"].population == pytest.approx(1.0)
    assert (result.groups["writer"].completed, result.groups["writer"].throughput.known) == (28, False)
