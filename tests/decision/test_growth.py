"""Growth: the month in which a goal breaks is the one that closed forms say, and what is open moves it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from datetime import date

import pytest

import toy
from sim import Closed, Delay, InputError, Model, NoSteadyStateError, Open, Poisson, Station, Use
from sim.cli.growth import growing_load
from sim.decision.ends import Ends, Opening, ends, widened
from sim.decision.goals import Goal
from sim.decision.growing_load import GrowingLoad
from sim.decision.growth import Month, grow
from sim.decision.growth_record import record
from sim.engine.statistics.estimates import Estimate
from sim.prediction import RunOptions, predict
from sim.prediction.prediction_record import limit_record
from sim.system import Parameters, Scenario, Settings, System, choice, count, size
from sim.system.quantities import duration, rate
from sim.system.scenario import Answer

COARSE = RunOptions(precision=0.2)
DECEMBER = date(2026, 12, 1)


def load_of(system, word, by=0.1, months=12):
    return GrowingLoad.of(system.settings, word, by, months, DECEMBER)


def grown(system, goals, word, by=0.1, months=12, **settings):
    return grow(system, settings, goals, load_of(system, word, by, months), COARSE)


# The load.


@dataclass(frozen=True)
class Kinds:
    users: int = count(1, "whole", high=100)
    block: int = size(4096, "bytes")
    arrivals: float = rate(10.0, "a second")
    think: float = duration(1.0, "seconds")
    op: str = choice("read", "not a number", ("read", "write"))


KINDS = Settings.of(Kinds)


def test_whole_loads_are_rounded_and_others_are_not():
    users, arrivals = (GrowingLoad.of(KINDS, word, 0.05, 12, DECEMBER) for word in ("users=8", "arrivals=8"))
    assert [users.at(month) for month in range(5)] == [8, 8, 9, 9, 10]
    assert arrivals.at(2) == pytest.approx(8 * 1.05**2)
    assert (users.counted, arrivals.counted) == (True, False)
    block = GrowingLoad.of(KINDS, "block=4KiB", 0.05, 12, DECEMBER)
    assert (users.text(9), block.text(8192), arrivals.text(12.5)) == ("9", "8KiB", "12.5")


def test_half_a_client_is_rounded_up():
    load = GrowingLoad.of(KINDS, "users=2", 0.25, 2, DECEMBER)
    assert [load.at(month) for month in range(2)] == [2, 3]


def test_months_follow_the_calendar():
    load = GrowingLoad.of(KINDS, "users=8", 0.05, 12, DECEMBER)
    assert [load.date(month) for month in (0, 1, 12, 13)] == ["2026-12", "2027-01", "2027-12", "2028-01"]


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("user=8", "no setting 'user'; did you mean 'users'? allowed: arrivals, block, users"),
        ("op=read", "load 'op' does not grow; allowed: users, block, arrivals"),
        ("think=1s", "load 'think' does not grow"),
        ("users", "'users' is not a setting; write setting=value, such as rate=3000"),
        ("users=0", "users is '0'; allowed: a whole number from 1 to 100"),
        ("arrivals=unlimited", "load arrivals is 'unlimited'; allowed: a number above 0"),
    ],
)
def test_load_that_cannot_grow_is_refused(word, says):
    with pytest.raises(InputError) as refused:
        GrowingLoad.of(KINDS, word, 0.05, 12, DECEMBER)
    assert says in str(refused.value)


# When goals break.


def test_the_month_is_the_one_that_the_closed_form_says():
    """A toy request takes 12 ms; the server does 500 a second, so that from six clients on they queue."""
    growth = grown(toy.TOY, ["mean<=4ms", "throughput>=100"], "clients=4")
    latency, throughput = growth.breakings
    clients = [round(4 * 1.1**month) for month in range(12)]
    mean_s = [max(2e-3, each * 2e-3 - 10e-3) for each in clients]
    assert latency.month == next(month for month, each in enumerate(mean_s) if each > 4e-3)
    assert (latency.status, latency.again) == ("breaks", None)
    assert growth.months[latency.month].load == 8
    assert (throughput.month, throughput.earliest, throughput.status) == (None, None, "kept")
    assert [month.load for month in growth.months] == clients


def test_a_goal_may_be_broken_already():
    growth = grown(toy.TOY, ["throughput>=1000"], "clients=4")
    assert growth.breakings[0].status == "broken already"
    assert (growth.breakings[0].month, growth.breakings[0].earliest, growth.breakings[0].latest) == (0, 0, 0)


def test_nothing_is_simulated_once_all_goals_are_broken():
    growth = grown(toy.TOY, ["throughput>=1000"], "clients=4", months=300, by=0.001)
    assert len(growth.months) < 20


def test_how_many_loads_are_simulated_is_reported_as_it_goes():
    """Twelve months of few clients have six loads, of which each is simulated once."""
    said = []
    load = load_of(toy.TOY, "clients=4")
    grow(toy.TOY, {}, ["throughput>=100"], load, COARSE, lambda *numbers: said.append(numbers))
    count = len({load.at(month) for month in range(12)})
    assert said == [(number, count) for number in range(1, count + 1)]


def test_last_load_is_the_largest_allowed():
    growth = grown(toy.TOY, ["throughput>=100"], "clients=40", by=0.2)
    assert growth.end == "clients is '69'; allowed: a whole number from 1 to 64"
    assert [month.load for month in growth.months] == [40, 48, 58]


def open_toy(deviation):
    rows = tuple(tuple(deviation**2 * (row == column) for column in range(4)) for row in range(4))
    return replace(toy.TOY, parameters=replace(toy.PARAMETERS, covariance=rows))


def test_open_parameters_open_the_month():
    """By what models miss, and by more where each millisecond of service is open by a fifth."""
    certain, uncertain = (
        grown(system, ["mean<=10ms"], "clients=6", by=0.05, months=20).breakings[0]
        for system in (toy.TOY, open_toy(0.2))
    )
    assert certain.month == uncertain.month
    assert uncertain.earliest < certain.earliest < certain.month < certain.latest < uncertain.latest


def test_words_say_how_sure_a_month_is():
    growth = grown(open_toy(0.2), ["mean<=10ms"], "clients=6", by=0.05, months=20)
    goal = growth.breakings[0].goal
    words = [month.verdict(goal) for month in growth.months]
    assert list(dict.fromkeys(words)) == ["kept", "probably kept", "probably broken", "broken"]
    assert words.index("probably kept") == growth.breakings[0].earliest
    assert words.index("probably broken") == growth.breakings[0].month
    assert words.index("broken") == growth.breakings[0].latest


def odd(settings, _parameters):
    """Slow for an odd number of clients, so that goals break and are kept again; ten clients are too many."""
    if settings.clients == 10:
        raise InputError("ten is too many")
    path = [Delay(1e-3 if settings.clients % 2 else 2e-3), Use(Station("server"), 1e-6)]
    return Scenario(Model([Closed("load", clients=settings.clients, path=path)]), "load", 1.0, "1/s")


@dataclass(frozen=True)
class Clients:
    clients: int = count(1, "clients", high=1000)


@dataclass(frozen=True)
class Nothing:
    pass


ODD = System("odd", "odd", Settings.of(Clients), Parameters.of(Nothing), odd)


def test_a_goal_that_is_kept_again_is_reported():
    breaking = grown(ODD, ["mean<=1.5ms"], "clients=5", by=0.2, months=4).breakings[0]
    assert (breaking.month, breaking.again) == (1, 2)


def test_an_unanswerable_month_ends_the_growth():
    growth = grown(ODD, ["mean<=10ms"], "clients=7", by=0.2)
    assert [month.load for month in growth.months] == [7, 8]
    assert "ten is too many" in growth.end


def test_the_first_month_has_to_be_answered():
    with pytest.raises(InputError, match="ten is too many"):
        grown(ODD, ["mean<=10ms"], "clients=10")


def test_overload_misses_the_goal_and_an_endless_job_is_undecided():
    """Arrivals beyond what the server does are overload; a job that is given up says nothing about its goal."""

    def build(settings, _parameters):
        load = Open("load", Poisson(settings.clients * 100.0), Use(Station("server"), 3e-3), count=settings_count)
        return Scenario(Model([load]), "load", 1.0, "1/s")

    system = replace(ODD, build=build)
    settings_count = None
    endless = grow(system, {}, ["mean<=1s"], load_of(system, "clients=2", by=1.0, months=2), COARSE)
    assert [month.prediction is None for month in endless.months[:2]] == [False, True]
    assert endless.breakings[0].month == 1
    overloaded = record(endless)["table"][1]
    assert (overloaded["steady"], overloaded["limit"]) == (False, None)
    answer = overloaded["answers"][0]
    assert [answer[name] for name in ("value", "low", "high", "verdict")] == [None, None, None, "broken"]
    settings_count = 1_000_000
    with pytest.raises(NoSteadyStateError, match="the job has not ended"):
        grow(system, {}, ["mean<=1s"], load_of(system, "clients=2"), replace(COARSE, max_steps=1000))


def test_overload_breaks_every_goal():
    for text, worst in (("p99<=2ms", math.inf), ("throughput>=1", -math.inf)):
        goal = Goal.of(text, {"p99": "s", "throughput": "1/s"})
        assert ends(goal, None).value == worst
        assert not goal.keeps(ends(goal, None).better(goal))


def test_the_ends_are_those_of_the_prediction_interval():
    system = open_toy(0.2)
    prediction = predict(system, {"clients": 30}, COARSE)
    goal = Goal.of("throughput>=1", {"throughput": "1/s"})
    of_month = grow(system, {}, ["throughput>=1"], load_of(system, "clients=30", months=1), COARSE).months[0]
    band = prediction.intervals["throughput"]
    assert (of_month.ends[goal].low, of_month.ends[goal].high) == pytest.approx((band.low, band.high), rel=0.02)


def test_the_record_is_json():
    growth = grown(toy.TOY, ["mean<=4ms"], "clients=4")
    kept = json.loads(json.dumps(record(growth), allow_nan=False))
    assert list(kept) == [
        "system",
        "settings",
        "parameters",
        "load",
        "from",
        "months",
        "goals",
        "table",
        "end",
        "warnings",
        "seconds",
    ]
    assert kept["load"] == {"setting": "clients", "today": 4, "by": 0.1, "rounded": True}
    breaking, date_of = growth.breakings[0], growth.load.date
    assert kept["goals"] == [
        {
            "goal": "mean<=4ms",
            "measure": "mean",
            "limit": 0.004,
            "unit": "s",
            "status": "breaks",
            "month": breaking.month,
            "date": date_of(breaking.month),
            "load": 8,
            "confidence": 0.9,
            "earliest": date_of(breaking.earliest),
            "latest": date_of(breaking.latest),
            "kept_again": None,
        }
    ]
    assert (kept["months"], kept["from"], kept["end"], kept["warnings"]) == (12, "2026-12", None, growth.warnings)
    first, goal = growth.months[0], breaking.goal
    (answer,) = kept["table"][0].pop("answers")
    assert kept["table"][0] == {
        "month": 0,
        "date": "2026-12",
        "load": 4,
        "steady": True,
        **growth.months[0].prediction.caveats.record(),
        "limit": limit_record(first.prediction.limit),
    }
    assert answer == {
        **{name: getattr(first.ends[goal], name) for name in ("value", "low", "high", "known")},
        "goal": "mean<=4ms",
        "with_parameters": first.ends[goal].opened,
        "by": None,
        "verdict": "kept",
    }


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_errors_of_parameters_and_simulation_add_as_squares(sign):
    around = Ends(sign * 10.0, sign * 10.0 - 3.0, sign * 10.0 + 6.0)
    found = widened(around, Opening(0.4, 0.8, known=False))
    assert (found.low, found.high) == pytest.approx((sign * 10.0 - 5.0, sign * 10.0 + 10.0))
    assert (found.value, found.known, found.opened) == (sign * 10.0, False, True)
    assert widened(around, None) is around


def test_an_interval_is_taken_at_ninety_per_cent():
    answers = {"mean": Answer(Estimate(10.0, 10.0 - 1.959964, 10.0 + 2 * 1.959964, 0.95), "s")}
    found = ends(Goal("mean<=12s", "mean", at_least=False, limit=12.0, unit="s"), answers)
    assert (found.low, found.value, found.high) == pytest.approx((10.0 - 1.6449, 10.0, 10.0 + 2 * 1.6449))


def test_fifty_years_are_looked_at_at_most():
    assert growing_load(toy.TOY, "clients=4", "0.0001", "600", None).months == 600
    with pytest.raises(InputError, match="months is '601'; allowed: a whole number from 1 to 600"):
        growing_load(toy.TOY, "clients=4", "0.0001", "601", None)


@pytest.mark.parametrize(
    ("value", "low", "high", "verdict"),
    [
        (9.0, 8.0, 9.5, "kept"),
        (9.0, 8.0, 11.0, "probably kept"),
        (11.0, 9.5, 12.0, "probably broken"),
        (11.0, 10.5, 12.0, "broken"),
    ],
)
def test_a_month_is_judged_by_the_value_and_by_its_ends(value, low, high, verdict):
    goal = Goal("mean<=10s", "mean", at_least=False, limit=10.0, unit="s")
    assert Month(0, 1, None, {goal: Ends(value, low, high)}).verdict(goal) == verdict
