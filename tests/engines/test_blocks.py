"""Variates are drawn in blocks: a short one first, of which a short run does not leave the most unused."""

from __future__ import annotations

import pytest

from sim import Closed, Delay, Exponential, Model
from sim.engine.events.compiled import CompiledEngine, jit
from sim.engine.events.reference import ReferenceEngine

MODEL = Model([Closed("client", clients=1, path=[Delay(Exponential(1e-3))])])


@pytest.fixture
def drawn(monkeypatch):
    counts = []
    draw = Exponential.draw

    def counted(self, generator, count):
        counts.append(count)
        return draw(self, generator, count)

    monkeypatch.setattr(Exponential, "draw", counted)
    return counts


@pytest.mark.skipif(not jit.AVAILABLE, reason="plain Python has small blocks alone")
def test_a_short_run_draws_one_short_block_and_a_long_one_goes_on_in_long_ones(drawn):
    engine = CompiledEngine(MODEL, 1)
    engine.advance(10**9 // 2)
    assert drawn == [1024]
    engine.advance(30 * 10**9)
    assert drawn == [1024, 16384, 16384]


def test_random_numbers_do_not_depend_on_the_block_size():
    engines = CompiledEngine(MODEL, 1, record=True), ReferenceEngine(MODEL, 1, record=True)
    for engine in engines:
        engine.advance(20 * 10**9)
    compiled, reference = (engine.completions for engine in engines)
    assert len(compiled) > 17_408
    assert compiled == reference
