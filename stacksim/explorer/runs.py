"""Work on questions: questions before a page's last move are abandoned, and time is limited."""

from __future__ import annotations

from collections import OrderedDict
from threading import BoundedSemaphore, Event, Lock
from time import monotonic

from sim.engine.errors import TooLongError
from sim.engine.simulation.options import Progress
from sim.prediction.stopping import StoppedError

AT_ONCE = 3
"""Largest number of questions in work at a time; others wait."""

LONGEST_S = 120.0
"""Time limit of an answer, from its first progress call, so that compiling does not count."""

PAGES = 64
"""Number of pages whose last move is remembered."""

_PAUSE_S = 0.05


class Runs:
    """Questions in work: each page counts its moves, and only the last one is answered."""

    def __init__(self) -> None:
        self._moves: OrderedDict[str, int] = OrderedDict()
        self._lock = Lock()
        self._places = BoundedSemaphore(AT_ONCE)
        self._closed = Event()

    def look(self, page: str, move: int) -> Progress:
        """Progress callback for work on a question of this ``move``.

        The callback raises:
            StoppedError: the page has moved on, or the server closes.
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
        """Wait for a free place; ``leave`` gives it back."""
        while not self._places.acquire(timeout=_PAUSE_S):
            look(0.0)

    def leave(self) -> None:
        """Give the place back."""
        self._places.release()

    def close(self) -> None:
        """Stop all work."""
        self._closed.set()
