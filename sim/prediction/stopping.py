"""Giving up work in a thread: only its own calls of the progress function can end it."""

from __future__ import annotations

from threading import Event

from sim.engine.simulation.options import Progress


class StoppedError(Exception):
    """Ends work in a thread whose result is no longer needed."""


def until(stopped: Event) -> Progress:
    """A progress function that raises once ``stopped`` is set."""

    def look(_share: float) -> None:
        if stopped.is_set():
            raise StoppedError

    return look
