"""A design looked at closely: which engine says what, how surely goals are kept, and what a lost part does."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from one_server import SERVER
from sim import Closed, Delay, Model
from sim.decision import examination, screening
from sim.decision.ends import _opening
from sim.decision.examination import Examination, _Curves, _kept, _under, beside
from sim.decision.goals import Goal
from sim.decision.headroom import Headroom
from sim.decision.loads import Load
from sim.decision.screening import SHORT, _least, _outside, briefly, told
from sim.decision.trials import Asked, Trial
from sim.engine.errors import InputError, NoSteadyStateError
from sim.engine.simulation.options import RunOptions
from sim.engine.statistics.estimates import Estimate, point
from sim.prediction.uncertainty import PredictionInterval
from sim.system import Scenario, find
from sim.system.case import Case
from sim.system.scenario import Answer, Measure

MEAN = Goal("mean<=20ms", "mean", at_least=False, limit=0.02, unit="s")
P99 = Goal("p99<=20ms", "p99", at_least=False, limit=0.02, unit="s")


@pytest.mark.parametrize("work", [0, 100])
@pytest.mark.parametrize("steps", [1000, 2_000_000, 2_000_001])
@pytest.mark.parametrize("how", ["exact", "approximate", ""])
def test_edges_are_computed_if_exact_and_else_simulated_in_two_million_steps(work, steps, how, monkeypatch):
    monkeypatch.setattr(examination, "accuracy", lambda _scenario: "".join(how))
    scenario = Case.of(SERVER, {"rate": 0.0, "work": work}).scenario
    curves = _Curves.of(scenario, RunOptions(max_steps=steps))
    assert curves.simulated.options.max_steps == (steps if work else min(steps, 2_000_000))
    assert (curves.exact is curves.rough) is (curves.exact is not None) is (how == "exact" and not work)
    assert curves.rough.engine == ("analytic" if how else "simulation")
    if not how:
        assert curves.rough.options == replace(curves.simulated.options, answers=("throughput", "mean"))
    asked = []
    monkeypatch.setattr(examination, "headroom", lambda curve, _goal, _value: asked.append(curve))
    for goal in (MEAN, P99):
        curves.headroom(goal, 0.01)
    assert asked == [curves.exact or curves.simulated, curves.simulated]


@pytest.mark.parametrize(
    ("band", "known", "drawn", "kept"),
    [
        (None, True, False, 1.0),
        (None, True, True, math.nan),
        (True, True, True, 0.5),
        (False, True, True, math.nan),
        (False, False, True, 0.5),
    ],
)
def test_how_surely_a_goal_is_kept_is_reported_where_all_draws_have_answers(band, known, drawn, kept, monkeypatch):
    """In milliseconds, while the goal is in seconds: 20 ms is in the middle of its band."""
    answers = {"mean": Answer(replace(point(20.0), known=known), "ms")}
    monkeypatch.setattr(examination, "predicted_answers", lambda _prediction: answers)
    monkeypatch.setattr(examination, "draws_of", lambda _parameters: ([1] * drawn, []))
    interval = PredictionInterval(15.0, 25.0, 0.9, 0.0, 0.0, known=bool(band))
    prediction = SimpleNamespace(
        intervals={} if band is None else {"mean": interval},
        answers=answers,
        case=SimpleNamespace(system=SimpleNamespace(parameters=())),
    )
    found = _kept(MEAN, prediction, None)
    assert (found.estimate.value, found.headroom) == (pytest.approx(0.02), None)
    assert found.probability == pytest.approx(kept, nan_ok=True)
    assert (
        found.band is None if band is None else (found.band.low, found.band.high) == pytest.approx((0.015, 0.025))
    )


@pytest.mark.parametrize(
    ("value", "why", "kept", "told", "likely"),
    [
        (0.02, "", True, "", 0.5),
        (0.018, "", True, "", 0.7813),  # ln(20 / 18) is 0.777 deviations of ln(12.5 / 10) / 1.645
        (0.03, "not modelled", False, "", 0.0014),
        (math.nan, "not modelled", None, "mean is not modelled", math.nan),
        (math.nan, "", None, "mean is not known", math.nan),
        (NoSteadyStateError("no steady state"), "", False, "no steady state", math.nan),
        (InputError("no such part"), "", None, "no such part", math.nan),
    ],
)
def test_goal_without_a_part_is_kept_missed_or_unknown(value, why, kept, told, likely, monkeypatch):
    band = PredictionInterval(0.008, 0.0125, 0.9, 0.0, 0.0)

    def predicted(case, options):
        assert (case.settings["speed"], options.answers) == (1, ("throughput", "mean"))
        if isinstance(value, Exception):
            raise value
        return SimpleNamespace(answers={"mean": Answer(point(value), "s", why=why)})

    monkeypatch.setattr(examination, "predict_case", predicted)
    monkeypatch.setattr(examination, "predicted_answers", lambda prediction: prediction.answers)
    (failure,) = SERVER.failures
    before = examination.Kept(MEAN, point(0.01), 0.9, None, band)
    (found,) = _under(failure, Case.of(SERVER, {"speed": 2}), Asked(Load(), (MEAN,)), RunOptions(), (before,))
    assert found.probability == pytest.approx(likely, abs=1e-4, nan_ok=True)
    assert (found.part, found.goal, found.kept, found.why) == ("half of the server", MEAN, kept, told)
    assert found.value == pytest.approx(math.nan if isinstance(value, Exception) else value, nan_ok=True)


@pytest.mark.parametrize(
    ("percents", "least"), [((20.0, -5.0), -5.0), ((None, 20.0), 20.0), ((0.0, 7.0), 0.0), ((None,), None)]
)
def test_the_headroom_of_a_design_is_that_of_its_first_broken_goal(percents, least):
    kept = [examination.Kept(MEAN, point(0.01), 1.0, Headroom(each, None, "")) for each in percents]
    unscaled = examination.Kept(P99, point(0.01), 1.0, None)
    assert Examination(None, None, (unscaled, *kept), None, None, (), ()).headroom == least


def test_beside_the_watched_group_are_those_with_answers_of_their_own():
    groups = ("all reads", "all writes", "scrub")
    loads = [Closed(f"load {name}", 1, Delay(1.0), group=name) for name in groups]
    measures = {f"all_{name}_throughput": Measure("1/s", lambda _: point(1.0)) for name in ("reads", "writes")}
    assert beside(Scenario(Model(loads), "all reads", 1.0, "1/s", measures=measures)) == ("all writes",)


# Looks.


@pytest.mark.parametrize(
    ("measure", "finite", "least"), [("mean", False, 0.04), ("mean", True, 0.05), ("usable", False, 0.008)]
)
def test_an_exact_answer_may_differ_from_a_run_by_its_precision_and_of_a_job_by_more(
    measure, finite, least, monkeypatch
):
    monkeypatch.setattr(screening, "NEAR", 0.05)
    goal = replace(MEAN, measure=measure)
    assert _least(goal, RunOptions(precision=0.008), finite=finite) == pytest.approx(least)


@pytest.mark.parametrize(
    ("work", "steps", "precision", "expected"),
    [(0, 10**8, 0.01, (100_000, 0.2)), (0, 99, 0.3, (99, 0.3)), (5, 10**8, 0.2, (10**8, 0.2))],
)
def test_a_look_is_a_short_run_unless_it_is_of_a_job(work, steps, precision, expected, monkeypatch):
    """A mean of 30 ms, open by 8 ms below, may be 14 ms by chance; by a fifth of a second less, it may not."""
    asked, low = [], 0.022
    case = Case.of(SERVER, {"rate": 0.0, "work": work})
    monkeypatch.setattr(screening, "solved_case", lambda *given: given)
    monkeypatch.setattr(
        screening,
        "answers_to",
        lambda _case, _scenario, options: (
            asked.append(options) or {"mean": Answer(Estimate(0.03, low, 0.04, 0.95), "s")}
        ),
    )
    options, goals = RunOptions(max_steps=steps, precision=precision), Asked(Load(), (MEAN,))
    (estimate,) = briefly(case, goals, options).estimates[0]
    assert (estimate.low, estimate.value, estimate.high) == pytest.approx((0.014, 0.03, 0.05))
    assert (asked[0].max_steps, asked[0].precision) == expected
    assert briefly(case, goals, options).status == "open"
    low = 0.026
    assert (briefly(case, goals, options).status, briefly(case, goals, options).engine) == ("missed", SHORT)


def test_a_look_that_ends_while_a_cache_still_fills_says_nothing():
    look = briefly(Case.of(find("array"), {}), Asked(Load(), (MEAN,)), RunOptions())
    assert (look.status, told(look)) == ("open", False)


def test_a_goal_is_missed_where_the_better_end_is_known_and_misses_it():
    for ends, status in (((0.021, 9.0), "missed"), ((0.02, 9.0), "open"), ((math.nan, math.nan), "open")):
        estimate = Estimate(1.0, *ends, 0.95)
        found = _outside({MEAN: estimate}, {"mean": Answer(estimate, "s")}, "engine")
        assert (found.status, found.engine, found.estimates) == (status, "engine", ((estimate,),))


@pytest.mark.parametrize(
    ("status", "highs", "expected"),
    [("missed", (), True), ("open", (), False), ("open", (1.0,), True), ("open", (1.0, math.nan), False)],
)
def test_short_run_is_informative_if_it_is_for_every_goal(status, highs, expected):
    assert (
        told(Trial("".join(status), estimates=(tuple(Estimate(1.0, 1.0, each, 0.95) for each in highs),)))
        is expected
    )


@pytest.mark.parametrize(("value", "expected"), [(10.0, (0.2, 0.5)), (0.0, (0.0, 0.0))])
def test_uncertainty_of_parameters_is_a_share_of_the_value(value, expected):
    found = _opening(value, PredictionInterval(8.0, 15.0, 0.9, 0.0, 0.0, known=False))
    assert ((found.below, found.above), found.known) == (pytest.approx(expected), False)
