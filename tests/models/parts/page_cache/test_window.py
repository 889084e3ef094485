"""A window of bytes: what is on its way at once, and that callers and movers meet only in it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from models.io import IO
from models.parts.page_cache.window import Window
from sim import Buffer, Closed, Delay, Model, Station, Step, Use, simulate
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.reference import ReferenceEngine

PIECE = 1000
MOVE_S = 1e-3


@dataclass(frozen=True)
class Moved:
    """Layer below: one step, whatever is moved."""

    step: Step

    def path(self, _io):
        return (self.step,)


def model(op, count, use_s, size_bytes=PIECE):
    window = Window.of("file", op, count, PIECE, Moved(Delay(MOVE_S)))
    path = window.path(IO(op, size_bytes), lambda _: (Delay(use_s),))
    behind = window.behind("kernel", group="kernel")
    return Model([Closed("caller", clients=1, path=path), behind])


def per_second(*args, **named):
    return simulate(model(*args, **named)).groups["caller"].throughput.value


@pytest.mark.parametrize("op", ["read", "write"])
@pytest.mark.parametrize("count", [2, 4, 16])
def test_window_moves_as_many_pieces_in_the_time_of_one(op, count):
    assert per_second(op, count, 1e-5) == pytest.approx(count / (MOVE_S + 1e-5), rel=0.02)


@pytest.mark.parametrize("op", ["read", "write"])
def test_a_slow_caller_never_waits(op):
    assert per_second(op, 4, 2 * MOVE_S) == pytest.approx(1 / (2 * MOVE_S), rel=0.01)


def test_a_window_has_two_pieces_at_least():
    assert Window.of("file", "read", 1, PIECE, Moved(Delay(MOVE_S))).depth == 2


@pytest.mark.parametrize("op", ["read", "write"])
@pytest.mark.parametrize(
    ("size_bytes", "pieces"), [(1, 8), (250, 8), (3 * PIECE, 8), (PIECE - 1, 7), (3 * PIECE + 7, 7)]
)
def test_throughput_does_not_depend_on_the_call_size(op, size_bytes, pieces):
    """Calls that end within a piece keep the room of one piece."""
    moved = per_second(op, 8, 1e-9, size_bytes) * size_bytes
    assert moved == pytest.approx(pieces * PIECE / MOVE_S, rel=0.02)


@pytest.mark.parametrize("op", ["read", "write"])
def test_both_engines_agree(op):
    engines = [engine(model(op, 3, 1e-5, 2500), 3, record=True) for engine in (ReferenceEngine, CompiledEngine)]
    for engine in engines:
        engine.advance(100_000_000)
    assert len(engines[0].completions) > 100
    assert engines[0].completions == engines[1].completions


@pytest.mark.parametrize("call_bytes", [PIECE, PIECE - 1, PIECE + 1, 3 * PIECE // 4, 7 * PIECE + 1])
def test_the_size_of_a_call_does_not_decide_how_far_is_read_ahead(call_bytes):
    """Calls of 1 MB leave a part of a piece behind, calls of 1 MiB none; either way the next one is on its way."""
    window = Window.of("file", "read", 2, PIECE, Moved(Use(Station("disk"), MOVE_S)), call_bytes)
    path = window.path(IO("read", call_bytes), lambda piece: (Delay(0.5 * MOVE_S * piece.size_bytes / PIECE),))
    behind = window.behind("kernel", group="kernel")
    calls = simulate(Model([Closed("caller", clients=1, path=path), behind])).groups["caller"].throughput
    assert calls.value * call_bytes == pytest.approx(PIECE / MOVE_S, rel=0.02)


@pytest.mark.parametrize("op", ["read", "write"])
@pytest.mark.parametrize(("size_bytes", "calls"), [(PIECE, 1), (PIECE // 4, 4), (3 * PIECE, 1 / 3)])
def test_one_thread_moves_one_piece_at_a_time(op, size_bytes, calls):
    """No room is kept for pieces on their way: however large the window, it moves as fast as one thread."""
    window = Window(op, Buffer("pages", 8 * PIECE), PIECE, Moved(Delay(MOVE_S)))
    caller = Closed("caller", clients=1, path=[Delay(1e-9), *window.path(IO(op, size_bytes))])
    both = simulate(Model([caller, window.behind("thread", group="kernel")]))
    assert both.groups["caller"].throughput.value == pytest.approx(calls / MOVE_S, rel=0.01)
