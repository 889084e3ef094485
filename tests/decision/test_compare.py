"""Two designs side by side: what is the same is exactly the same, and intervals hold what closed forms say."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import toy
from sim import Closed, Constant, Exponential, InputError, Model, NoSteadyStateError, Open, Poisson, Station, Use
from sim.decision.compare import _refuse_unlike, _simulated, compare
from sim.decision.comparison_record import record
from sim.decision.joint_draws import JointDraws
from sim.decision.pairs import lengths, run, side
from sim.decision.places import Places, PlaceTime
from sim.engine.simulation.fixed_length import RunLength
from sim.engine.simulation.replicates import Pool, Replicate
from sim.engine.statistics.estimates import Estimate, point
from sim.engine.statistics.histogram import BINS, bin_of
from sim.prediction import RunOptions, predict
from sim.prediction.prediction import predict_case
from sim.system import Parameters, Scenario, Settings, System, choice, count, parameter
from sim.system.case import Case
from sim.system.what_if import with_set

QUICK = RunOptions(precision=0.2)
UNITS = ("1/s", b"1/s".decode())


@dataclass(frozen=True)
class QueueSettings:
    rate: int = count(500, "arrivals a second", high=100_000)
    service_us: int = count(1000, "microseconds of service", high=100_000)
    unit: str = choice("1/s", "of throughput", ("1/s", "MB/s"))
    requests: int = count(0, "of a job; 0: without end", low=0)
    clients: int = count(0, "instead of arrivals", low=0)


@dataclass(frozen=True)
class NoParameters:
    pass


def queue(settings: QueueSettings, _parameters: NoParameters) -> Scenario:
    path = [Use(Station("server"), Exponential(settings.service_us * 1e-6))]
    if settings.clients:
        path.append(Use(Station("other"), Exponential(1e-3)))
        load = Closed("load", clients=settings.clients, path=path)
    else:
        load = Open("load", Poisson(float(settings.rate)), path, count=settings.requests or None)
    return Scenario(Model([load]), watch="load", amount=1.0, unit=settings.unit)


QUEUE = System("queue", "one server", Settings.of(QueueSettings), Parameters.of(NoParameters), queue)


@cache
def _compared(a, b):
    return compare(Case.of(QUEUE, dict(a)), Case.of(QUEUE, dict(b)), QUICK)


def compared(a, b, options=QUICK, system=QUEUE):
    if (options, system) == (QUICK, QUEUE):
        comparison = _compared(tuple(a.items()), tuple(b.items()))
        return comparison, {each.name: each for each in comparison.differences}
    comparison = compare(Case.of(system, a), Case.of(system, b), options)
    return comparison, {each.name: each for each in comparison.differences}


def test_equal_designs_do_not_differ():
    comparison, differences = compared({"clients": 3}, {"clients": 3})
    assert comparison.same
    assert comparison.maker is None
    for each in differences.values():
        assert (each.difference.value, each.difference.low, each.difference.high) == (0.0, 0.0, 0.0)
        assert (each.ratio.low, each.ratio.high, each.better) == (1.0, 1.0, None)


def test_settings_that_differ_by_default_are_reported():
    """One whose default serves 1 ms, the other 1.2 ms; what a user chooses on a side is his."""
    slower = replace(QUEUE, settings=Settings.of(SlowerSettings))
    told = [
        [each for each in compare(Case.of(QUEUE, a), Case.of(slower, b), QUICK).warnings if "default" in each]
        for a, b in (({}, {}), ({"service_us": 500}, {}), ({}, {"service_us": 1500}))
    ]
    assert told[0] == [
        "service_us is 1000 in A and 1200 in B, by default; service_us=… outside the quotes sets it for both"
    ]
    assert told[1:] == [[], []]


@dataclass(frozen=True)
class SlowerSettings(QueueSettings):
    service_us: int = count(1200, "microseconds of service", high=100_000)


def test_common_random_numbers_cancel():
    """Service 1 % longer, everything else as it was: the runs of a pair meet the same crowds."""
    a, b = (predict_case(Case.of(QUEUE, {"service_us": each}), QUICK) for each in (1000, 1010))
    of_a, of_b = lengths(a, b)
    assert of_a == of_b
    means = np.array(
        [
            [Pool([run(each, of_a, number, lambda _share: None)]).value("mean") for each in (a, b)]
            for number in range(8)
        ]
    )
    assert np.std(means[:, 1] - means[:, 0]) < 0.2 * np.std(means[:, 0])


def test_shorter_service_is_better():
    _, differences = compared({}, {"service_us": 800})
    mean = differences["mean"]
    assert mean.difference.high < 0.0
    assert mean.better < 0.01
    assert mean.ratio.low <= (1 / 750) / (1 / 500) <= mean.ratio.high
    assert differences["throughput"].difference.low <= 0.0 <= differences["throughput"].difference.high


def closed(service_us, clients=6):
    """Throughput of two exponential stations in a ring, one of a millisecond (Gordon and Newell 1967)."""
    powers = [(service_us / 1000.0) ** number for number in range(clients + 1)]
    return 1000.0 * sum(powers[:-1]) / sum(powers)


def queueing(rate, service_us):
    """Mean and percentiles of M/M/1: the time of a request is exponential."""
    rest = 1e6 / service_us - rate
    return {"throughput": rate, "mean": 1 / rest, **{f"p{n}": -math.log(1 - n / 100) / rest for n in (50, 95, 99)}}


def test_differences_of_closed_clients_equal_the_closed_form():
    _, differences = compared({"clients": 6}, {"clients": 6, "service_us": 1300}, RunOptions(precision=0.02))
    wanted = closed(1300) - closed(1000)
    between = differences["throughput"].difference
    assert between.value == pytest.approx(wanted, rel=0.05)
    assert differences["throughput"].better > 0.999
    assert differences["mean"].better > 0.999


@pytest.mark.slow
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"rate": 500}, {"rate": 600}),
        ({"rate": 800}, {"rate": 800, "service_us": 900}),
        ({"clients": 6}, {"clients": 6, "service_us": 1300}),
    ],
)
def test_intervals_have_their_stated_coverage(a, b):
    """At 95 %, in 200 runs: 89 to 99 % of the intervals of differences and of ratios hold the known value."""

    def truth(rate=500, service_us=1000, clients=0):
        return {"throughput": closed(service_us)} if clients else queueing(rate, service_us)

    held: dict[str, list[bool]] = {}
    for seed in range(200):
        _, differences = compared(a, b, RunOptions(seed=7919 * (1 + seed), precision=0.05))
        for name, in_a in truth(**a).items():
            in_b, each = truth(**b)[name], differences[name]
            held.setdefault(name, []).append(each.difference.low <= in_b - in_a <= each.difference.high)
            held.setdefault(f"{name} ratio", []).append(each.ratio.low <= in_b / in_a <= each.ratio.high)
    shares = {name: float(np.mean(each)) for name, each in held.items()}
    print(a, b, shares)  # noqa: T201  (the study's result)
    assert all(0.89 <= share <= 0.99 for share in shares.values()), shares


# What cannot be compared.


@pytest.mark.parametrize(
    ("b", "says"),
    [
        ({"unit": "MB/s"}, "A answers in 1/s, and B in MB/s; compare designs whose throughput has the same unit"),
        (
            {"requests": 10},
            "B is a job that ends, and A a load without end; compare two jobs, or two endless loads",
        ),
    ],
)
def test_incomparable_systems_are_refused(b, says):
    with pytest.raises(InputError, match=says):
        compared({}, b)


def test_units_are_compared_by_value():
    """They are equal to those in the code, and not the same objects."""
    model = SimpleNamespace(finite=False)
    sides = [SimpleNamespace(scenario=SimpleNamespace(model=model, units={"throughput": each})) for each in UNITS]
    _refuse_unlike(*sides)
    with pytest.raises(InputError, match="engine is 'analytic', and compare simulates"):
        compared({}, {}, RunOptions(engine=b"analytic".decode()))


def test_a_side_without_a_steady_state_is_named():
    with pytest.raises(NoSteadyStateError, match=r"^B: "):
        compared({}, {"rate": 1200})


def test_jobs_are_compared_by_their_elapsed_time():
    _, differences = compared({"requests": 200}, {"requests": 200, "service_us": 500})
    assert differences["elapsed"].seen or abs(differences["elapsed"].difference.value) < 0.1
    assert differences["mean"].difference.high < 0.0


# Pseudovalues.


def ran(*times_ns):
    histogram = np.zeros(BINS, dtype=np.int64)
    for time_ns in times_ns:
        histogram[bin_of(time_ns)] += 1
    return Replicate(None, len(times_ns), 1e9, float(sum(times_ns)), histogram)


def test_pseudovalues_of_throughput_are_those_of_the_runs():
    assert Pool([ran(1), ran(1, 2, 3)]).pseudovalues("throughput") == pytest.approx([1.0, 3.0])


def test_pseudovalues_of_a_percentile_know_all_runs():
    """p50 of single runs would be 10 and 100; of all together the slow run is a quarter."""
    runs = [ran(*[10] * 90, *[1000] * 10)] * 3 + [ran(*[10] * 10, *[1000] * 90)]
    assert np.mean(Pool(runs).pseudovalues("p50")) == pytest.approx(10e-9, rel=0.1)


def test_equal_runs_have_equal_pseudovalues():
    values = Pool([ran(7, 9, 11)] * 5).pseudovalues("mean")
    assert len(set(values)) == 1


def test_answers_are_in_units_of_the_system_and_its_measures_are_kept():
    """A request stands for two units of throughput, a time for three parts, of which a tenth may be off."""
    scenario = SimpleNamespace(
        sample=SimpleNamespace(parts=3.0, error=0.1),
        amount=2.0,
        measures={"mean": None},
        model_answers=lambda _record: {
            name: SimpleNamespace(estimate=point(7.0)) for name in ("throughput", "mean", "elapsed")
        },
    )
    runs = [ran(1000, 1000, 5000), ran(1000, 5000, 5000)]
    found = side(SimpleNamespace(case=SimpleNamespace(scenario=scenario)), runs)
    pool = Pool(runs)
    assert found.values["throughput"] == pytest.approx([6.0, 6.0])
    assert found.values["p99"] == pytest.approx(3.0 * pool.pseudovalues("p99"))
    assert (found.values["mean"].tolist(), found.values["elapsed"].tolist()) == ([7.0, 7.0], [7.0, 7.0])
    off = 0.1 * np.mean(found.values["p99"])
    assert found.coarseness["p99"] == pytest.approx(3.0 * pool.coarseness("p99") + off)
    assert pool.coarseness("p99") > 0.0
    expected = {"throughput": 0.6, "mean": 0.0, "elapsed": 0.7}
    assert {name: found.coarseness[name] for name in expected} == pytest.approx(expected)


def test_a_draw_counts_as_two_runs_of_a_pair(monkeypatch):
    """Twenty-four runs, and three draws, of which the first moves nothing."""
    shares = []
    monkeypatch.setattr("sim.decision.compare.side_by_side", lambda tasks, look: look(1.0) or list(tasks))
    monkeypatch.setattr("sim.decision.compare.pairs.side", lambda _side, runs: len(runs))
    sides, drawings = _simulated("a", "b", (None, None), ["one", "other"], shares.append)
    assert (sides, len(drawings)) == ((12, 12), 3)
    assert shares == pytest.approx([0.8, 1.0])


# What is open about parameters.


def open_toy(deviation=0.2, **changed):
    rows = tuple(tuple(deviation**2 * (row == column) for column in range(4)) for row in range(4))
    parameters = replace(toy.PARAMETERS, covariance=rows)
    return with_set(replace(toy.TOY, parameters=parameters), changed)


def saturated(a, b):
    """Thirty and forty clients keep the server always in use: the ratio is one, whatever its service time is."""
    comparison = compare(Case.of(a, {"clients": 30}), Case.of(b, {"clients": 40}), QUICK)
    return next(each for each in comparison.differences if each.name == "throughput")


def test_parameters_of_one_fit_cancel():
    band = saturated(open_toy(), open_toy()).band
    assert band.ratio == pytest.approx((1.0, 1.0), abs=0.01)


def test_parameters_of_two_fits_do_not_cancel():
    """Each service time is open by 0.2 / √2, so their ratio by 0.2: nine of ten within a factor of 1.39."""
    band = saturated(open_toy(), open_toy(0.2000001)).band
    assert band.ratio[1] == pytest.approx(math.exp(1.645 * 0.2), rel=0.15)
    assert band.ratio[0] == pytest.approx(math.exp(-1.645 * 0.2), rel=0.15)


def test_uncertainty_of_parameters_is_reported_separately():
    """Ten per cent are certain for the simulation, and not for service times that are open by a fifth each."""
    a, b = open_toy(), open_toy(0.2000001, fixed_s=1.2e-3)
    each = saturated(a, b)
    assert each.better > 0.999
    assert 0.55 < each.likely_better < 0.9


def test_certain_parameters_leave_no_band():
    assert saturated(toy.TOY, toy.TOY).band is None


def test_parameters_not_set_are_drawn_jointly():
    """A sets one parameter of the fit, and B another: the other two still move together."""
    a, b = open_toy(fixed_s=1e-3).parameters, open_toy(think_s=1e-2).parameters
    draws = JointDraws.of(a, b)
    assert {name for _, name in draws.causes("both")} == {"each_s", "unseen_s"}
    assert draws.causes("a") == (("fit", "think_s"),)
    assert draws.causes("b") == (("fit", "fixed_s"),)
    for draw in draws:
        if draw.kind == "both":
            assert all(draw.a[name] == draw.b[name] != a[name] for name in ("each_s", "unseen_s"))
        assert (not draw.a) == (draw.kind == "b")
        assert (not draw.b) == (draw.kind == "a")


def test_correlated_parameters_of_one_fit_are_shared_by_both_sides():
    """The root of a covariance depends on the order: what is shared comes first, whatever else one side has."""
    covariance = np.full((4, 4), 0.01) + 0.03 * np.eye(4)
    fitted = replace(toy.PARAMETERS, covariance=tuple(map(tuple, covariance)))
    other = with_set(replace(toy.TOY, parameters=fitted), {"fixed_s": 1e-3}).parameters
    for draw in JointDraws.of(fitted, other):
        if draw.kind == "both":
            assert all(draw.a[name] == pytest.approx(draw.b[name]) for name in ("each_s", "think_s", "unseen_s"))
            assert draw.a["fixed_s"] != fitted["fixed_s"]


def ranged(source):
    @dataclass(frozen=True)
    class Ranged:
        disk_s: float = parameter(4e-3, "s", 1e-3, 1e-2, "assumed", source, likely=(3e-3, 6e-3))

    return Parameters.of(Ranged)


def test_a_range_is_shared_if_both_state_the_same():
    assert JointDraws.of(ranged("a guess"), ranged("a guess")).shared == {("range", "disk_s")}
    assert JointDraws.of(ranged("a guess"), ranged("another disk")).shared == frozenset()


# Which place.


def test_an_added_place_explains_the_difference():
    comparison, _ = compared({}, {"second": 1}, system=toy.TOY)
    maker = comparison.maker
    assert (maker.place, maker.a, comparison.places.per) == ("second", 0.0, "request")
    assert maker.b == pytest.approx(1e-3)
    assert (maker.between.low, maker.between.high) == pytest.approx((1e-3, 1e-3))


def test_the_time_of_a_place_has_the_interval_that_pairs_say():
    """Of M/M/1 with 500 arrivals a second: 1 / (1/service - 500), so that it takes 2 ms and 4/3 ms."""
    between = compared({}, {"service_us": 800})[0].maker.between
    assert between.confidence == 0.95
    assert between.low < -2e-3 / 3 < between.high
    assert between.low < between.value < between.high < 0.0


def test_times_add_up_to_the_latency_of_each():
    comparison, differences = compared({"clients": 6}, {"clients": 3})
    assert comparison.maker.place in ("server", "other")
    assert sum(each.a for each in comparison.places.times) == pytest.approx(differences["mean"].a.value, rel=0.15)
    assert sum(each.b for each in comparison.places.times) == pytest.approx(differences["mean"].b.value, rel=0.15)


def test_a_place_that_gains_less_than_another_loses_does_not_explain_it():
    times = {"x": (2.0, 1.0), "y": (0.0, 0.7), "z": (0.0, 0.6)}
    rows = tuple(
        PlaceTime(name, (0.0, 0.0), (a, b), Estimate(b - a, b - a, b - a, 0.95)) for name, (a, b) in times.items()
    )
    assert Places("request", rows).maker.place == "y"


def sized(kib, disks=1):
    """A system whose requests have a size, on disks that are told apart by a number."""

    def build(_settings, _parameters):
        path = [Use(Station(f"disk {number}"), Constant(1e-3)) for number in range(1, disks + 1)]
        return Scenario(Model([Closed("load", clients=1, path=path)]), watch="load", amount=kib, unit="KiB/s")

    return System("sized", "s", Settings.of(NoParameters), Parameters.of(NoParameters), build)


def test_requests_of_different_size_are_compared_by_byte():
    comparison = compare(Case.of(sized(8.0), {}), Case.of(sized(32.0), {}), QUICK)
    assert comparison.places.per == "KiB"
    assert (comparison.maker.a, comparison.maker.b) == pytest.approx((1e-3 / 8, 1e-3 / 32))


def test_identical_places_are_one_row():
    comparison = compare(Case.of(sized(8.0), {}), Case.of(sized(8.0, disks=3), {}), QUICK)
    assert [each.place for each in comparison.places.times] == ["disk *"]
    assert comparison.maker.difference == pytest.approx(2e-3)


# The record.


def test_record_is_json_without_unknown_values():
    comparison, differences = compared({}, {"service_us": 800})
    kept = json.loads(json.dumps(record(comparison), allow_nan=False))
    assert list(kept) == ["a", "b", "seed", "pairs", "same", "answers", "places", "parameters", "warnings"]
    mean = differences["mean"]
    assert kept["answers"]["mean"] == {
        **{
            name: {
                end: getattr(getattr(mean, name), end) for end in ("value", "low", "high", "confidence", "known")
            }
            for name in ("a", "b", "difference", "ratio")
        },
        "unit": "s",
        "same": False,
        "better": "less",
        "a_better": mean.better,
        "a_better_with_parameters": None,
        "band": None,
    }
    assert [kept["answers"][name]["better"] for name in ("throughput", "p99")] == ["more", "less"]
    assert (kept["pairs"], kept["seed"], kept["same"]) == (12, 1, False)
    assert kept["places"]["makes_the_difference"] == "server"
    (place,) = kept["places"]["places"]
    assert list(place) == ["place", "a", "b", "difference", "low", "high", "confidence"]
    assert place["low"] < place["difference"] < place["high"]
    maker = comparison.maker
    for row, name in enumerate("ab"):
        assert place[name] == {"waiting": maker.waiting[row], "service": maker.service[row]}
    assert kept["b"]["settings"]["service_us"] == 800


def test_both_sides_equal_their_predictions():
    """The pairs estimate what `predict` says, and better."""
    comparison, differences = compared({"clients": 6}, {"clients": 3})
    prediction = predict(QUEUE, {"clients": 3}, QUICK)
    assert prediction.throughput.low <= differences["throughput"].b.value <= prediction.throughput.high
    assert comparison.b.settings["clients"] == 3


def lasting(warmup_us, measured_us, steps):
    """A prediction whose run took so long."""
    result = SimpleNamespace(elapsed=None, warmup_s=warmup_us / 1e6, measured_s=measured_us / 1e6, steps=steps)
    return SimpleNamespace(result=result)


def test_pairs_take_the_same_time_unless_one_takes_more_than_four_times_its_own():
    short, long, longer = lasting(10, 90, 10), lasting(40, 360, 10), lasting(41, 360, 10)
    assert lengths(short, long) == (RunLength(40_000, 360_000),) * 2
    assert lengths(short, longer) == (RunLength(10_000, 90_000), RunLength(41_000, 360_000))


def test_runs_of_too_many_steps_are_cut_and_their_warm_up_is_a_tenth_at_least():
    """Twenty million steps are four times as many as a run may take."""
    assert lengths(lasting(0, 400, 20_000_000), lasting(0, 400, 10)) == (RunLength(10_000, 100_000),) * 2
    assert lengths(lasting(0, 400, 10), lasting(0, 400, 10)) == (RunLength(40_000, 400_000),) * 2
