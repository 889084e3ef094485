"""Probability of a number, by a deviation and by earlier misses."""

from __future__ import annotations

import math

import pytest

from sim.prediction.misses import misses_of, next_miss
from sim.system.derivation import REPEATS
from sim.system.installed import find
from stacksim.claims.claim import Number
from stacksim.claims.likelihood import Likely
from stacksim.claims.verdict import UNLIKELY

FITTED = ("dbfs", "nvme", "file-sync", "cubefs")


def at(logarithm):
    """A number so far from 1."""
    return Number(math.exp(logarithm), math.exp(logarithm), "", "")


def test_a_normal_tail_without_misses():
    likely = Likely(1.0, 0.1, 0.2)
    assert likely.probability(at(-0.196)) == pytest.approx(0.05, abs=1e-3)
    assert likely.probability(at(0.392)) == pytest.approx(0.05, abs=1e-3)


def test_probability_counts_figures_missed_as_far():
    """Two of 98 figures, beside the two that the expectation counts like, were missed by 0.4 or more."""
    likely = Likely(1.0, 0.05, 0.05, (0.5, 0.45, *(0.01,) * 96))
    assert likely.probability(at(0.4)) == pytest.approx(0.02, rel=1e-3)
    assert likely.probability(at(0.6)) < UNLIKELY
    assert likely.probability(at(0.05)) == pytest.approx(0.317, abs=1e-3), "a normal tail, where that is longer"
    assert likely.duration(2.0).probability(Number(*[2.0 * math.exp(0.4)] * 2, "", "")) == pytest.approx(
        0.02, 1e-3
    )


def test_few_figures_are_implausible_beside_the_others_of_their_answer():
    """Each held out of what its model is known to miss: one in 1,000 is expected, and normal tails say 13."""
    judged = []
    for system in map(find, FITTED):
        known = misses_of(system)
        for measure, misses in known.items():
            for number, miss in enumerate(misses):
                others = misses[:number] + misses[number + 1 :]
                expected = next_miss({**known, measure: others}, system.parameters.scatter, measure)
                deviation = math.hypot(expected, REPEATS)
                likely = Likely(1.0, deviation, deviation, tuple(map(abs, others)))
                judged.append(likely.probability(at(-miss)))
    assert len(judged) > 500
    assert sum(each < UNLIKELY for each in judged) <= len(judged) / 200
