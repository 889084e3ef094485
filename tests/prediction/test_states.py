"""Two states of one model: found where they are, by series of rates of which it is known, and in redo's convoy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from sim import Await, Buffer, Closed, Delay, Fork, Gate, Gather, Model, Put, Station, Take, Use, Wake
from sim.engine.events.compiled import CompiledEngine
from sim.output.views.prediction import parts
from sim.output.views.sweep import parts_of
from sim.prediction import RunOptions, predict
from sim.prediction.prediction import predict_case
from sim.prediction.profile import Profile, profiled
from sim.prediction.states import _Rates, _states
from sim.prediction.store import Store
from sim.prediction.table import Point, table
from sim.prediction.work import outcomes_of
from sim.system import Parameters, Scenario, Settings, System, count
from sim.system.case import Case

CONVOY = {"filesystem": "xfs", "writers": 8, "sessions": 8}
WINDOW_S = 0.02


def rates(generator, slow, *, low=2000.0, high=6000.0, noise=0.1):
    """Rates of windows, of which those that are ``slow`` vary around one level, and the others around another."""
    levels = np.where(slow, low, high)
    return _Rates(levels * np.exp(noise * generator.standard_normal(len(slow))), WINDOW_S)


def staying(generator, windows, leave_slow, leave_fast):
    """Slow windows of a chain that leaves either state with these probabilities."""
    slow, states = True, []
    for chance in generator.random(windows):
        slow = chance >= leave_slow if slow else chance < leave_fast
        states.append(slow)
    return np.array(states)


@pytest.mark.parametrize("seed", range(5))
def test_two_levels_that_last_are_two_states(seed):
    generator = np.random.default_rng(seed)
    slow = staying(generator, 2000, 0.05, 0.1)
    states = _states([rates(generator, slow)], 2.0)
    assert (states.low, states.high) == pytest.approx((4000.0, 12000.0), rel=0.03)
    assert states.low_share == pytest.approx(slow.mean(), abs=0.01)
    assert states.stay_s == pytest.approx(10 * WINDOW_S, rel=0.35)
    assert states.mean == pytest.approx(2.0 * np.where(slow, 2000.0, 6000.0).mean(), rel=0.03)


@pytest.mark.parametrize("seed", range(5))
def test_rates_that_change_at_every_window_are_one_state(seed):
    generator = np.random.default_rng(seed)
    assert _states([rates(generator, generator.random(2000) < 0.7)], 1.0) is None


@pytest.mark.parametrize("noise", [0.02, 0.1, 0.3, 0.6])
def test_correlated_noise_is_one_state(noise):
    generator = np.random.default_rng(1)
    wave = np.convolve(generator.standard_normal(2100), np.ones(50) / np.sqrt(50), mode="valid")
    assert _states([_Rates(3000.0 * np.exp(noise * wave), WINDOW_S)], 1.0) is None


def test_levels_a_tenth_apart_are_one_state():
    generator = np.random.default_rng(2)
    slow = staying(generator, 2000, 0.05, 0.1)
    assert _states([rates(generator, slow, high=2200.0, noise=0.001)], 1.0) is None


def test_the_convoy_of_redo_is_one_of_two_states_and_a_short_run_knows_nothing():
    prediction = predict("redo", CONVOY, RunOptions(answers=("throughput",)))
    states = prediction.states
    engine = CompiledEngine(Case.of("redo", CONVOY).scenario.model, 99)
    counted = np.diff(engine.intervals(20_000_000, 2000).workloads[:, 0, 1]) / 0.02
    assert states.low == pytest.approx(np.median(counted), rel=0.03)
    assert np.quantile(counted, 0.98) > 0.8 * states.high > 2.0 * states.low
    assert states.mean == pytest.approx(counted.mean(), rel=0.1)
    assert prediction.throughput.value < 0.95 * counted.mean(), "the run has seen one state alone"
    assert not prediction.throughput.known
    assert "in the long run about" in " ".join(prediction.result.warnings)
    assert prediction.record()["states"]["low"] == states.low
    (line,) = [part for part in parts(prediction) if str(part).find("two states") >= 0][:1]
    assert "of the time in the slower one" in str(line)


@pytest.mark.parametrize("settings", [{}, {"filesystem": "xfs"}, {"sessions": 48}])
def test_redo_as_it_was_measured_is_in_one_state(settings):
    assert predict("redo", settings, RunOptions(answers=("throughput",))).states is None


def test_four_jobs_of_file_sync_are_in_one_state():
    settings = {"jobs": 4, "filesystem": "xfs"}
    assert predict("file-sync", settings, RunOptions(precision=0.02, answers=("throughput",))).states is None


def test_model_without_gathering_clients_is_not_searched_for_states(monkeypatch):
    monkeypatch.setattr("sim.prediction.states._windows", None)
    assert predict("dbfs", {"users": 8}, RunOptions(precision=0.05, answers=("throughput",))).states is None


def test_a_sweep_prints_both_rates_and_a_store_keeps_them(tmp_path):
    options, cases = RunOptions(answers=("throughput",)), [Case.of("redo", CONVOY), Case.of("redo", {})]
    runs = []
    for _ in range(2):
        with Store(tmp_path / "store.sqlite") as store:
            outcomes = dict(outcomes_of(cases, options, store=store))
        points = [Point(case, outcomes[number]) for number, case in enumerate(cases)]
        assert [point.prediction.states is None for point in points] == [False, True]
        runs.append(points)
    assert runs[1][0].outcome.stored
    convoy, again = (points[0].prediction for points in runs)
    assert again.states == convoy.states
    both = convoy.states.both()
    rows, *legend = parts_of(runs[1], ["sessions"])
    assert [both in str(row) for row in rows.rows] == [True, False]
    assert any("two states (1 of 2)" in str(line) for line in legend)
    assert f"two states: {both}" in table(runs[1], ["sessions"])["caveats"][0]


def test_profiled_prediction_finds_the_same_states():
    case, options = Case.of("redo", CONVOY), RunOptions(answers=("throughput",))
    assert profiled(case, options, Profile()).states == predict_case(case, options, intervals=True).states


@dataclass(frozen=True)
class Clients:
    clients: int = count(4, "clients")


def filling(settings, _parameters):
    """Writes that wait for a log and fill a buffer, which is emptied at half their rate: a burst, and no state."""
    buffer, gate, turn = Buffer("dirty", 8000), Gate("gathered"), Station("log")
    path = (Put(buffer), Use(Station("cpu"), 0.1e-3), Use(turn, 0.1e-3))
    workloads = [
        Closed("writers", clients=settings.clients, path=path),
        Closed("drain", clients=1, path=(Take(buffer), Delay(0.2e-3))),
        Closed("keeper", clients=1, path=(Delay(1.0), Fork(Await(gate), wait=False), Gather(gate), Wake(gate))),
    ]
    return Scenario(Model(workloads), watch="writers", amount=1.0, unit="1/s")


def test_a_burst_is_no_state():
    system = System("filling", "a burst", Settings.of(Clients), Parameters(()), filling)
    for seed in range(1, 5):
        prediction = predict(system, {}, RunOptions(answers=("throughput",), seed=seed))
        assert prediction.result.bursts[0].throughput.value > 1.5 * prediction.throughput.value
        assert prediction.states is None
