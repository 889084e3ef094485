"""Pairs of runs: two cases with common random numbers, which differ from pair to pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.simulation.fixed_length import RunLength
from sim.engine.simulation.options import Progress
from sim.engine.simulation.replicates import Pool, Replicate, replicate
from sim.engine.statistics.answers import ANSWERS
from sim.engine.statistics.estimates import Series
from sim.prediction.prediction import Prediction

PAIRS = 12
"""Number of pairs. Each run is as long as a precise one, so that their mean is more precise than asked for."""

RECORDED = 6
"""Pairs whose requests are recorded one by one, which takes several times as long as a run."""

TIMES = 4.0
"""Both runs of a pair have equal simulated times, unless one would take this many times its own."""

MOST_STEPS = 5_000_000
"""Largest steps of one run of a pair: about half a second."""

WARMUP = 0.1
"""Least warm-up, as a share of the time measured: an initial bias would be common to all runs."""


Lengths = tuple[RunLength | None, RunLength | None]
"""Lengths of the runs of A and of B in each pair; None for a job, which ends by itself."""


@dataclass(frozen=True)
class Side:
    """Answers of all runs of one case.

    Attributes:
        values: of each answer, in its unit: an array of shape (PAIRS,), in the order of runs.
        coarseness: largest error of an answer: a percentile because it is read off a histogram, any time
            because a sample stands for a long job.
    """

    values: Mapping[str, Series]
    coarseness: Mapping[str, float]


def lengths(a: Prediction, b: Prediction) -> Lengths:
    """Lengths of both runs of a pair: equal simulated times if that is affordable."""
    one, other = RunLength.of(a.result), RunLength.of(b.result)
    if one is None or other is None:
        return None, None
    longer = RunLength(max(one.warmup_ns, other.warmup_ns), max(one.measured_ns, other.measured_ns))
    if _total_ns(longer) > TIMES * min(_total_ns(one), _total_ns(other)):
        return _affordable(one, one, a), _affordable(other, other, b)
    common = min(_affordable(longer, one, a), _affordable(longer, other, b), key=_total_ns)
    return common, common


def _affordable(length: RunLength, own: RunLength, prediction: Prediction) -> RunLength:
    """``length``, shortened to the affordable steps, given that ``prediction`` took ``own``."""
    steps = prediction.result.steps * _total_ns(length) / _total_ns(own)
    measured_ns = max(1, round(length.measured_ns * min(1.0, MOST_STEPS / max(1.0, steps))))
    return RunLength(max(length.warmup_ns, round(WARMUP * measured_ns)), measured_ns)


def _total_ns(length: RunLength) -> int:
    return length.warmup_ns + length.measured_ns


def warmup_s(length: RunLength | None) -> float:
    """Seconds of warm-up; 0 for a job."""
    return length.warmup_ns / NANOSECONDS_PER_SECOND if length else 0.0


def run(prediction: Prediction, length: RunLength | None, number: int, look: Progress) -> Replicate:
    """Run ``number`` of the case of ``prediction``; its random numbers depend on ``number``, not on the case."""
    look(0.0)
    scenario = prediction.case.scenario
    return replicate(scenario.model, scenario.watch, length, prediction.result.seed, number)


def side(prediction: Prediction, runs: Sequence[Replicate]) -> Side:
    """Answers of ``runs`` in the units of the system."""
    scenario, pool = prediction.case.scenario, Pool(runs)
    sample = scenario.sample
    by_run = [scenario.model_answers(each.record) for each in runs]
    values = {name: np.array([answers[name].estimate.value for answers in by_run]) for name in by_run[0]}
    coarseness = dict.fromkeys(values, 0.0)
    for name in ANSWERS:
        if name not in scenario.measures:
            values[name] = pool.pseudovalues(name) * (scenario.amount if name == "throughput" else sample.parts)
            coarseness[name] = pool.coarseness(name) * sample.parts
    for name in coarseness.keys() - scenario.measures.keys():
        coarseness[name] += sample.error * float(np.mean(values[name]))
    return Side(values, coarseness)
