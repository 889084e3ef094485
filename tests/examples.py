"""Number of random examples: small in the gate, ten times as large with ``make fuzz``.

Hypothesis draws as many examples as its profile says, ``gate`` or ``many`` (``--hypothesis-profile many``). What
is drawn without it has two sizes, of which ``make slow`` runs the larger one.
"""

from __future__ import annotations

import pytest
from hypothesis import settings

from sim.prediction import RunOptions

OF_THE_GATE = 100
"""The examples of a test that does not say how many."""


def register():
    """Name the two profiles, and take that of the gate; no example fails because a machine was slow."""
    settings.register_profile("gate", deadline=None, max_examples=OF_THE_GATE)
    settings.register_profile("many", deadline=None, max_examples=10 * OF_THE_GATE)
    settings.load_profile("gate")


def examples(in_the_gate):
    """As many examples, or ten times as many where many are asked for."""
    return in_the_gate * settings().max_examples // OF_THE_GATE


def sizes(name, in_the_gate, many):
    """Run a test with both values of ``name``, the larger one with ``make slow``."""
    return pytest.mark.parametrize(name, [in_the_gate, pytest.param(many, marks=pytest.mark.slow)])


PRECISIONS = (0.03, pytest.param(RunOptions().precision, marks=pytest.mark.slow))
"""Precision of figures that no document of the gate shows; with ``make slow`` that of a report."""
