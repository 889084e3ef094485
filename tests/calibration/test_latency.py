"""A fit to latencies alone: an open queue, whose throughput is what arrives, whatever its server takes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

import toy
from sim import Closed, Exponential, InputError, Model, Open, Poisson, Station, Use
from sim.calibration.confidence import profile
from sim.calibration.design import advise
from sim.calibration.evaluate import Task, pilot
from sim.calibration.problem import Problem
from sim.calibration.solve import solve
from sim.data.dataset import Dataset
from sim.data.importers import read
from sim.engine.simulation import controls
from sim.engine.simulation.fixed_length import run_for
from sim.engine.simulation.options import RunOptions
from sim.prediction.report import report
from sim.system import Parameters, Scenario, Settings, System, number

SERVICE_S = 0.7e-3
"""The truth; the prior is centred on 1 ms."""

RATES = (100.0, 250.0, 500.0)


@dataclass(frozen=True)
class QueueSettings:
    rate: float = number(100.0, "arrivals a second", low=1.0, high=900.0)


@dataclass(frozen=True)
class QueueParameters:
    service_s: float = toy.prior(1e-3)


def build(settings, parameters):
    path = [Use(Station("server"), Exponential(parameters.service_s))]
    return Scenario(Model([Open("load", arrivals=Poisson(settings.rate), path=path)]), "load", 1.0, "1/s")


QUEUE = System("queue", "M/M/1", Settings.of(QueueSettings), Parameters.of(QueueParameters), build)


def latency_s(measure, rate, service_s=SERVICE_S):
    """Of M/M/1: the time in the system is exponential, of rate 1 / service - arrivals."""
    exponents = {"mean": 1.0, "p50": math.log(2), "p95": math.log(20), "p99": math.log(100)}
    return exponents[measure] / (1.0 / service_s - rate)


def measured(folder, *measures):
    """A table of one's own, in milliseconds."""
    path = folder / "own.csv"
    lines = [
        f"{rate:g},{measure},{latency_s(measure, rate) * 1e3:.4g},ms" for rate in RATES for measure in measures
    ]
    path.write_text("\n".join(["rate,measure,value,unit", *lines, ""]), "utf-8")
    return read(path, QUEUE, {}).measurements


@pytest.fixture
def figures(tmp_path):
    return measured(tmp_path, "mean", "p95")


def test_latencies_are_read_in_their_unit_and_kept_in_seconds(tmp_path):
    mean, *_, p99 = measured(tmp_path, "mean", "p99")
    assert (mean.measure, mean.column, mean.unit) == ("mean", "mean latency", "s")
    assert mean.value == pytest.approx(latency_s("mean", RATES[0]), rel=1e-3)
    assert p99.cell == "own/rate=500/p99 latency"
    assert p99.value == pytest.approx(latency_s("p99", RATES[-1]), rel=1e-3)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("latency,3,ms", r"measure is 'latency'; .*throughput \(mean, p50, p95, p99: of latency\)"),
        ("p99,3,MB/s", "unit is 'MB/s'; allowed for p99 latency: s, or one that can be converted to it"),
        ("p99,3,ms\np99,4,ms", "measures p99 latency under the same settings as"),
    ],
)
def test_a_latency_that_cannot_be_read_is_refused_in_its_words(tmp_path, line, message):
    (tmp_path / "own.csv").write_text(f"measure,value,unit\n{line}\n", "utf-8")
    with pytest.raises(InputError, match=message):
        read(tmp_path / "own.csv", QUEUE, {})


def test_the_service_time_comes_back_from_latencies_alone(figures):
    problem = Problem(QUEUE, figures)
    solution = solve(problem, range(len(figures)), problem.centre)
    assert math.exp(solution.point[0]) == pytest.approx(SERVICE_S, rel=0.03)
    low, high = np.exp(profile(problem, solution, 0))
    assert low <= SERVICE_S <= high
    assert high / low < 1.3  # of 16, the width of the prior
    assert solution.predicted == pytest.approx([each.value for each in figures], rel=0.1)


def test_the_advice_is_to_measure_latency_where_throughput_says_nothing(figures):
    problem = Problem(QUEUE, figures)
    wide = np.array([[0.1]])
    first, *_ = advise(problem, problem.centre, wide, 0.05)
    assert first.measure == "mean"
    assert first.after < 0.5 * first.before


@pytest.mark.parametrize("measure", ["mean", "p99"])
def test_a_model_runs_until_the_latency_that_is_compared_is_known(measure):
    """A p99 takes longer than the mean, and either longer than throughput."""
    task = Task(QUEUE, (("rate", 400.0),), {"service_s": SERVICE_S}, ("throughput",))
    length, usual = pilot(replace(task, measures=("throughput", measure)), 0.02), pilot(task, 0.02)
    assert length.measured_ns > usual.measured_ns
    answer = getattr(run_for(task.scenario().model, "load", length, seed=2).groups["load"].latency, measure)
    assert answer.precision < 0.03
    assert answer.value == pytest.approx(latency_s(measure, 400.0), rel=0.03)


def test_control_variates_do_not_make_fixed_lengths_shorter(monkeypatch):
    """Runs of fixed length have none, and are to be as precise as was asked for."""
    task = Task(QUEUE, (("rate", 400.0),), {"service_s": SERVICE_S}, ("throughput", "mean"))
    without = pilot(task, 0.02)
    monkeypatch.setattr(controls, "FROM_STEPS", 0)
    assert pilot(task, 0.02).measured_ns == pytest.approx(without.measured_ns, rel=0.5)


def test_a_server_that_is_always_busy_is_not_run_for_ever(monkeypatch):
    """Service times explain all of its throughput; how wide the interval is without them is run, not divided."""
    path = [Use(Station("server"), Exponential(1e-5))]
    load = Closed("load", clients=32, path=path, think=Exponential(4e-5))
    scenario = Scenario(Model([load]), watch="load", amount=1.0, unit="1/s")
    monkeypatch.setattr(Task, "scenario", lambda _self: scenario)
    length = pilot(Task(QUEUE, (), {}, ("throughput",)), 0.0075)
    assert 0.2e9 < length.measured_ns < 5e9  # ±0.75 % of an exponential server: 70,000 services of 10 µs


def test_a_report_compares_latencies(figures, monkeypatch):
    monkeypatch.setattr("sim.prediction.report.find", lambda _name: QUEUE)
    dataset = Dataset(name="own", title="Own", system="queue", measurements=figures)
    cells = report([dataset], RunOptions(seed=3)).cells
    assert [cell.column for cell in cells] == [figure.column for figure in figures]
    for cell in cells:
        rate = float(cell.row.removeprefix("rate="))
        assert cell.low <= latency_s(cell.measure, rate, 1e-3) <= cell.high * 1.05
        assert cell.error == pytest.approx(cell.predicted / cell.published - 1.0)


def test_the_analytic_engine_says_that_it_knows_no_percentile(figures, monkeypatch):
    monkeypatch.setattr("sim.prediction.report.find", lambda _name: QUEUE)
    dataset = Dataset(name="own", title="Own", system="queue", measurements=figures)
    made = report([dataset], RunOptions("analytic"))
    assert {cell.measure for cell in made.cells} == {"mean"}
    assert [each.reason for each in made.unpredicted] == ["analytic engine: it does not know the p95 latency"] * 3
