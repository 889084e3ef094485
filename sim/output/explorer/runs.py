"""What a page asked before its last move is given up, and nothing runs for ever."""

from __future__ import annotations

from collections import OrderedDict
from threading import BoundedSemaphore, Event, Lock
from time import monotonic

from sim.errors import TooLongError
from sim.prediction.stopping import StoppedError
from sim.simulation.options import Progress

AT_ONCE = 3
"""Questions that are worked on at the same time; others wait."""

LONGEST_S = 120.0
"""What an answer may take; counted from the first look, so that compiling once does not count."""

PAGES = 64
"""Pages whose last move is remembered."""

_PAUSE_S = 0.05


class Runs:
    """Who is working on what: a page counts its moves, and asks about the last one alone."""

    def __init__(self) -> None:
        self._moves: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()
        self._places = BoundedSemaphore(AT_ONCE)
        self._closed = Event()

    def look(self, page: str, move: int) -> Progress:
        """What work on a question of this move calls now and then.

        It raises:
            StoppedError: the page has moved on, or all is to end.
            TooLongError: the answer takes too long.
        """
        with self._lock:
            self._moves[page] = max(move, self._moves.get(page, move))
            self._moves.move_to_end(page)
            while len(self._moves) > PAGES:
                self._moves.popitem(last=False)
        deadline = None

        def look(_share: float) -> None:
            nonlocal deadline
            deadline = deadline or monotonic() + LONGEST_S
            if self._closed.is_set() or self._moves.get(page, move) > move:
                raise StoppedError
            if monotonic() > deadline:
                raise TooLongError(f"no answer within {LONGEST_S:.0f} s; take smaller values, or ask the command")

        return look

    def enter(self, look: Progress) -> None:
        """Wait for one of the places at work; to be given back by ``leave``."""
        while not self._places.acquire(timeout=_PAUSE_S):
            look(0.0)

    def leave(self) -> None:
        """Give the place back."""
        self._places.release()

    def close(self) -> None:
        """Give up all that is at work."""
        self._closed.set()
