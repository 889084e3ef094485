"""Warnings at the end of a run, on runs written by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from recorded import Recorded, run_of, snapshots_of
from sim import Closed, Delay, Hold, Lock, Model, NoSteadyStateError
from sim.engine.simulation.verdict import MENDING, how_well_known, verdict
from sim.engine.statistics.estimates import Estimate

INTERVALS = 64
WAVE = np.tile([1, -1], 32)
MODEL = Model([Closed("a", clients=1, path=Delay(1e-6)), Closed("b", clients=1, path=Delay(1e-6))])


def ended(
    known=(), changing=None, least=0.0, would_take=None, widened=None, counters=None, latencies=None, **changes
):
    """A run of 100 ± 5 completions an interval, of which a judge says what is given."""
    judge = SimpleNamespace(
        run=run_of(MODEL, **changes),
        known=lambda name: name in known,
        completed=6400.0,
        least=least,
        would_take=lambda name: (would_take or {}).get(name, math.inf),
        widened=widened or (lambda _name, estimate: estimate),
        doubt=lambda name: f"{name} is doubted",
    )
    counts = {"completed": 100 + 5 * WAVE, "latency_ns": 100_000, "steps": 10}
    counters = {"a": counts, "b": counts} | (counters or {})
    latencies = {"a": latencies or {1000: 90, 2000: 10}, "b": {1000: 100}}
    snapshots = snapshots_of(MODEL, INTERVALS, workloads=counters, latencies_ns=latencies)
    return verdict(Recorded(MODEL, INTERVALS), snapshots, list(range(INTERVALS + 1)), judge, changing)


def test_drift_makes_every_answer_unknown():
    result = ended(changing="the moon")
    assert result.warnings == (f"not known well enough: the moon, after 1,280 steps; {MENDING}",)
    assert not any(each.known for group in result.groups.values() for each in group.answers.values())


def test_watched_answers_are_as_the_judge_says_and_others_as_their_intervals():
    result = ended(known=("throughput", "mean", "p50", "p95"), would_take={"p99": 8123.0})
    known = {name: each.known for name, each in result.groups["a"].answers.items()}
    assert known == {"throughput": True, "mean": True, "p50": True, "p95": True, "p99": False}
    assert result.groups["b"].throughput.known is False  # ±1.25 %
    assert result.groups["b"].latency.p50.known is True
    (warning,) = result.warnings
    precision = result.groups["a"].latency.p99.precision
    assert precision < 0.1
    assert warning == (
        f"p99 latency is not known well enough: ±{precision:.2%} after 6,400 completions, but p99 is doubted; "
        "allow more steps, or a wider interval (a larger precision)"
    )


def test_wide_interval_shows_both_bounds():
    """Half the requests are a thousand times as slow as the others."""
    for low, said in ((0.0, "±100.00%"), (-1e-6, "from -1e-06 to 3 s")):
        far = Estimate(1.0, low, 2.0 + (low < 0), 0.95)
        assert how_well_known("p50", far) == said
    assert how_well_known("throughput", Estimate(1.0, 0.5, 3.0, 0.95)) == "from 0.5 to 3 a second"
    assert how_well_known("mean", Estimate(1.0, 0.5, math.inf, 0.95)) == "no upper limit"


def test_unwatched_answer_is_known_by_its_interval_without_a_warning():
    result = ended(answers=("mean",), known=("mean",))
    assert result.warnings == ()
    assert not result.throughput.known
    assert ended(answers=("mean",), known=("mean",), precision=0.02).throughput.known


def test_a_mean_is_not_known_before_the_longest_services_were_met():
    assert ended(answers=("throughput",), known=("throughput",)).groups["a"].latency.mean.known
    assert ended(answers=("throughput",), known=("throughput",), least=6400.0).groups["a"].latency.mean.known
    rare = ended(answers=("throughput",), known=("throughput",), least=6401.0)
    assert not rare.groups["a"].latency.mean.known


def test_needed_completions_are_stated_if_more_than_done():
    for take, said in ((6400.0, False), (6401.0, True), (math.inf, False)):
        (warning,) = ended(answers=("throughput",), would_take={"throughput": take}).warnings
        assert warning.startswith("throughput is not known well enough: ±1.2")
        assert ("it would take about 6000 completions; " in warning) is said
        assert warning.endswith(
            " was asked for; "
            + "it would take about 6000 completions; " * said
            + "allow more steps, or a wider interval (a larger precision)"
        )


def test_an_answer_without_upper_limit():
    (warning,) = ended(
        answers=("p99",), widened=lambda _, estimate: Estimate(estimate.value, 0.0, math.inf, 0.95)
    ).warnings
    assert "p99 latency is not known well enough: no upper limit after 6,400" in warning


def test_intervals_are_as_the_judge_widens_them():
    result = ended(widened=lambda name, each: Estimate(7.0, 6.0, 8.0, 0.95) if name == "mean" else each)
    assert result.groups["a"].latency.mean.value == 7.0
    assert result.groups["b"].latency.mean.value == pytest.approx(1e-6)


def test_workload_that_never_completed_is_named():
    result = ended(known=("throughput",), answers=("throughput",), counters={"b": {"started": 1}})
    assert result.warnings == ("workload 'b' completed nothing in the whole run",)


def test_a_watched_group_that_completes_nothing_any_more_is_refused():
    """It stands still from the eleventh interval on; the engine knows who waits."""
    lock = Lock("latch")
    model = Model(
        [
            Closed("a", clients=1, path=[Delay(1e-6), Hold(lock.shared, Delay(1e-6))]),
            Closed("b", clients=1, path=Hold(lock.exclusive, Delay(1e3))),
        ]
    )
    counters = {"a": {"completed": [1] * 10 + [0] * 54}, "b": {"completed": 1}}
    snapshots = snapshots_of(model, INTERVALS, workloads=counters)
    judge = SimpleNamespace(
        run=run_of(model), known=lambda _: True, completed=1.0, least=0.0, widened=lambda _, estimate: estimate
    )
    engine = run_of(model).start()
    engine.advance(64_000)
    for first in (10, 11):
        with pytest.raises(NoSteadyStateError, match=r"'a' completed nothing from 1e-05 to 6.4e-05 sim.*'latch'"):
            verdict(engine, snapshots, [first, 64], judge, None)
    assert verdict(Recorded(model, 64), snapshots, [0, *range(2, 65, 2)], judge, None).groups["a"].completed == 10
