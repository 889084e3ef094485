"""Work in a thread is given up by its own look at the progress: nothing else can end it."""

from __future__ import annotations

from threading import Event

from sim.simulation.options import Progress


class StoppedError(Exception):
    """Ends the work in a thread; what it makes is not needed any more."""


def until(stopped: Event) -> Progress:
    """What work calls now and then with its progress, and does not return from once ``stopped`` is set."""

    def look(_share: float) -> None:
        if stopped.is_set():
            raise StoppedError

    return look
