"""Instructions of one cell: small numbers stand in them, larger ones do not lose a bit; and what a node takes."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.scale import model
from sim import Buffer, Closed, Constant, Delay, Exponential, Hold, Model, Pool, Put, Repeat, Station, Take, Use
from sim.engine.errors import ModelError
from sim.engine.events.compiled import CompiledEngine, instructions, lowering
from sim.engine.events.compiled import layout as at
from sim.engine.events.compiled.assembler import Assembler, piece
from sim.engine.events.reference import ReferenceEngine

US = 1e-6
LARGE = 1 << 45
"""Far more than an operand holds."""

CELL_BYTES = 8


def test_packed_instructions_are_unpacked():
    firsts, seconds = [0, 5, (1 << instructions.FIRST_BITS) - 1], [(1 << instructions.SECOND_BITS) - 1, 7, 0]
    words = instructions.packed([1, 39, 63], firsts, seconds).tolist()
    assert list(map(instructions.code_of, words)) == [1, 39, 63]
    assert list(map(instructions.first_of, words)) == firsts
    assert list(map(instructions.second_of, words)) == seconds
    assert min(words) > 0


@pytest.mark.parametrize(
    ("firsts", "seconds"), [([1 << instructions.FIRST_BITS], [0]), ([0], [1 << instructions.SECOND_BITS])]
)
def test_an_operand_that_does_not_fit_is_refused(firsts, seconds):
    with pytest.raises(ModelError, match=r"reaches to cell \d+; allowed: below \d+; lump"):
        instructions.packed([1], firsts, seconds)


def agree(model, until_ns):
    engines = [engine(model, 1, record=True) for engine in (ReferenceEngine, CompiledEngine)]
    for engine in engines:
        engine.advance(until_ns)
    reference, compiled = engines
    assert compiled.completions == reference.completions
    assert np.array_equal(compiled.snapshot().places, reference.snapshot().places)
    assert len(compiled.completions) > 50


def test_amounts_and_tokens_may_be_larger_than_an_operand():
    buffer, pool = Buffer("bytes", 3 * LARGE), Pool("tokens", 2 * LARGE + 1)
    writing = Hold(pool, Delay(Exponential(US)), Put(buffer, LARGE + 1), tokens=LARGE)
    reading = [Take(buffer, LARGE - 1), Delay(Constant(US))]
    agree(Model([Closed("writer", clients=3, path=[writing]), Closed("reader", clients=1, path=reading)]), 200_000)


def test_times_may_be_larger_than_an_operand():
    """Half a second in nanoseconds; and far more repetitions than are ever taken."""
    station = Station("station")
    early = Closed("early", clients=1, path=[Use(station, Constant(US))], stop_s=0.5)
    late = Closed("late", clients=1, path=[Use(station, Exponential(1e-3))], start_s=0.6)
    endless = Closed("endless", clients=1, path=[Repeat(LARGE, Delay(Constant(1e-3)))])
    agree(Model([early, late, endless]), 700_000_000)


def grown(nodes):
    return lowering.lower(model(2 * nodes), 1).memory.size - lowering.lower(model(nodes), 1).memory.size


def test_a_node_with_its_cells_takes_less_than_4_kib():
    """Memory beyond a cache of the processor makes large models slow: it was 5.9 KB, without processes."""
    assert CELL_BYTES * grown(20) < 20 * 4096


def test_places_and_counters_begin_at_a_cache_line():
    program = lowering.lower(model(3), 1)
    assert {start % at.LINE for start in (*program.places, *program.counters)} == {0}


def test_station_without_a_queue_is_one_cache_line():
    station = (at.LEVEL, at.CAPACITY, at.BUSY, at.BUSY_AREA, at.QUEUE, at.SINCE, at.VISITS, at.HEAD)
    assert max(station) < at.LINE


def test_far_memory_lies_behind_all_addressed_memory():
    assembler = Assembler()
    far, near = assembler.add_far(piece(zeros=100)), assembler.add(piece(zeros=1))
    assembler.emit(0, near)
    assembler.lay_out(at.HEADER_SIZE)
    assert at.HEADER_SIZE < near.start < far.start
