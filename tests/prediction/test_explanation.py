"""Explanations: limits in order, elasticities of a system whose closed form is known, and recordings that end."""

from __future__ import annotations

from dataclasses import replace

import pytest

import toy
from sim import Closed, Delay, Exponential, Fork, InputError, Model, Station, Use, simulate
from sim.engine.events.reference import ReferenceEngine
from sim.engine.events.trace import Trace
from sim.engine.simulation.fixed_length import run_for
from sim.engine.simulation.latency_breakdown import break_down
from sim.engine.simulation.recording import recorded
from sim.output.pictures.gantt import typical
from sim.prediction import RunOptions, predict, sensitivity
from sim.prediction.explanation import explain
from sim.prediction.sensitivity import SEEDS
from sim.system import Scenario

MS = 1e-3


@pytest.fixture(scope="module")
def crowded():
    """Sixty clients at a server that is always in use."""
    system = toy.TOY
    return explain(predict(system, {"clients": 60, "items": 4}, RunOptions(precision=0.02)))


@pytest.fixture(scope="module")
def alone():
    system = toy.TOY
    return explain(predict(system, {"clients": 1, "items": 4}, RunOptions(precision=0.02)))


def elasticities(found):
    return {each.parameter: each.elasticity.value for each in found.sensitivities}


def test_a_server_always_in_use_is_the_limit_and_its_time_all_that_matters(crowded):
    assert crowded.saturated
    assert crowded.limits[0].place == "server"
    assert crowded.limits[0].throughput == pytest.approx(1 / 5e-3, rel=0.01)
    found = elasticities(crowded)
    assert found["each_s"] == pytest.approx(-0.8, abs=0.05)  # four fifths of the service time
    assert found["fixed_s"] == pytest.approx(-0.2, abs=0.03)
    assert {each.parameter for each in crowded.sensitivities if each.inert} >= {"think_s", "unseen_s", "cores"}


def test_a_client_alone_waits_for_its_own_work(alone):
    assert not alone.saturated
    found = elasticities(alone)
    assert found["think_s"] == pytest.approx(-10 / 15, abs=0.05)
    assert found["each_s"] == pytest.approx(-4 / 15, abs=0.03)


def test_the_breakdown_is_that_of_the_predicted_requests(crowded):
    (breakdown,) = crowded.breakdowns.values()
    mean_s = crowded.prediction.result.groups[crowded.prediction.result.watched].latency.mean.value
    assert breakdown.latency_ns / breakdown.requests / 1e9 == pytest.approx(mean_s, rel=0.02)
    assert sum(share.total_ns for share in breakdown.shares) == breakdown.latency_ns


def with_cores(settings, parameters):
    service_s = parameters.fixed_s + settings.items * parameters.each_s
    path = Use(Station("server", int(parameters.cores)), Exponential(service_s))
    load = Closed("load", clients=settings.clients, path=path, think=Exponential(parameters.think_s))
    return Scenario(Model([load]), watch="load", amount=1.0, unit="1/s")


@pytest.mark.parametrize(("clients", "of_cores"), [(1, 1), (8, SEEDS)])
def test_parameters_without_effect_are_not_run_again(monkeypatch, clients, of_cores):
    """Three of five parameters change something; one is not in the model, and one client needs no second core."""
    runs = []

    def counted(model, *arguments, **options):
        runs.append(model)
        return run_for(model, *arguments, **options)

    monkeypatch.setattr(sensitivity, "run_for", counted)
    prediction = predict(replace(toy.TOY, build=with_cores), {"clients": clients}, RunOptions(precision=0.05))
    found = sensitivity.sensitivities(prediction.case, prediction.result)
    moves = {each.parameter: each.elasticity.value for each in found}
    assert len(runs) == SEEDS + 3 * SEEDS + of_cores
    assert moves["unseen_s"] == 0.0
    assert (moves["cores"] == 0.0) is (clients == 1)
    assert moves["fixed_s"] < -0.01


def test_the_record_is_plain_values(crowded):
    record = crowded.record()
    assert list(record) == ["ledgers", "limits", "saturated", "elasticities"]
    assert record["limits"][0]["place"] == "server"


def job(requests, steps):
    path = [Fork([Use(Station("disk"), 1 * MS)] * 1, [Delay(0.5 * MS)])] * steps
    model = Model([Closed("job", clients=1, path=path, count=requests)])
    return Scenario(model, "job", 1.0, "jobs/s"), simulate(model)


def test_beginning_of_one_long_walk_is_recorded():
    scenario, _ = job(1, 50)
    trace = Trace(max_intervals=20)
    ReferenceEngine(scenario.model, 1, trace=trace).advance(10**12)
    assert trace.full
    (request,) = trace.requests
    assert request.end_ns is None
    breakdown = break_down([request])
    assert sum(share.total_ns for share in breakdown.shares) == breakdown.latency_ns > 0
    with pytest.raises(InputError, match="give --output instead"):
        typical([request])


def test_a_job_is_recorded_to_its_end():
    scenario, found = job(7, 3)
    requests = recorded(scenario.model, found)["job"]
    assert [request.end_ns - request.begin_ns for request in requests] == [3_000_000] * 7
