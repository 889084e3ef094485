"""A sample of a long job stands for the whole: its times are multiplied, its rate is not, and it says so."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from sim import Closed, Delay, Model, Repeat
from sim.decision.compare import compare
from sim.engine.errors import InputError
from sim.engine.statistics.estimates import Estimate, point
from sim.output.views.parts import Line
from sim.output.views.sweep import VIEW
from sim.prediction import predict
from sim.prediction.swept import sweep
from sim.system import Measure, Parameters, Sample, Scenario, Settings, System, count
from sim.system.case import Case


@dataclass(frozen=True)
class Rounds:
    rounds: int = count(1000, "of a second each", high=10**9)


@dataclass(frozen=True)
class Nothing:
    """No parameters."""


def build(settings, _parameters):
    parts = max(1, settings.rounds // 1000)
    path = (Repeat(settings.rounds // parts, Delay(1.0)),)
    measures = {"rounds": Measure("1", lambda result: point(result.measured_s * parts))}
    model = Model([Closed("job", clients=1, path=path, count=1)])
    return Scenario(model, "job", 3600.0 / parts, "jobs/h", measures, sample=Sample(parts, 0.01))


SYSTEM = System("rounds", "so many rounds", Settings.of(Rounds), Parameters.of(Nothing), build)


def test_times_are_those_of_the_whole_job_and_wider():
    prediction = predict(SYSTEM, {"rounds": 50_000})
    for name in ("elapsed", "mean"):
        estimate = prediction.answers[name].estimate
        assert estimate.value == pytest.approx(50_000.0, rel=0.02)
        assert estimate.low <= 49_501.0
        assert estimate.high >= 50_499.0
    assert prediction.throughput.value == pytest.approx(3600.0 / 50_000.0)
    assert prediction.throughput.low < prediction.throughput.value < prediction.throughput.high
    assert prediction.value("rounds") == pytest.approx(50_000.0)
    record = prediction.record()
    assert (record["elapsed"]["value"], record["latency"]["mean"]) == pytest.approx((50_000.0, 50_000.0))
    assert prediction.limit.words(prediction.amount, prediction.unit).startswith("latency")


def test_a_whole_job_is_known_exactly_and_says_nothing():
    prediction = predict(SYSTEM, {"rounds": 1000})
    assert prediction.answers["elapsed"].estimate == Estimate(1000.0, 1000.0, 1000.0, 0.95)
    assert not prediction.result.warnings


def test_sampled_answer_says_so():
    said = "sampled: one of 50 equal parts of the job is simulated, and its times are multiplied"
    assert said in predict(SYSTEM, {"rounds": 50_000}).result.warnings
    swept = sweep(SYSTEM, {"rounds": [1000, 5000, 50_000]})
    lines = [part.before for part in VIEW.parts(swept) if isinstance(part, Line)]
    sampled, untested, lacking, assumed = lines
    assert (
        sampled == "sampled: of jobs too long to simulate, one of 5, 50 equal parts is simulated, times multiplied"
    )
    assert untested.startswith("extrapolated: no measurement of ")
    assert lacking.startswith("percentiles not modelled: times of delays are constants")
    assert assumed == "assumed: nothing"


def test_a_sample_is_compared_as_the_whole():
    compared = compare(Case.of(SYSTEM, {"rounds": 1000}), Case.of(SYSTEM, {"rounds": 50_000}))
    ratios = {each.name: each.b.value / each.a.value for each in compared.differences}
    for name in ("elapsed", "mean", "rounds"):
        assert ratios[name] == pytest.approx(50.0, rel=1e-3), name
    assert ratios["throughput"] == pytest.approx(1 / 50.0)
    sampled = next(each.b for each in compared.differences if each.name == "elapsed")
    assert (sampled.low, sampled.high) == pytest.approx((49_500.0, 50_500.0))


@pytest.mark.parametrize(("parts", "ends"), [(0, 0.1), (2, -0.1), (2, 1.5)])
def test_impossible_samples_are_refused(parts, ends):
    with pytest.raises(InputError, match="sample"):
        Sample(parts, ends)
