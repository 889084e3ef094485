"""Systems that the page may ask for: the installed ones, and the one given when it was opened."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from sim.data.fitted import refitted
from sim.engine import checks
from sim.prediction.published import Conditions, PublishedFigure, published_figures
from sim.system.installed import STACK_FILE, find, installed
from sim.system.system import System


class Choices:
    """Systems by name. No file other than the given one is ever read or run.

    Attributes:
        first: name of the initial system.
        fitted: file of a fit of it; None for its own parameters.
    """

    def __init__(self, given: str | None, fitted: Path | None = None) -> None:
        self.first, self.fitted = given or next(iter(installed())), fitted
        self._names = tuple(dict.fromkeys([self.first, *installed()]))
        self._read: tuple[str, System] | None = None
        self.find(self.first)  # errors are raised before a page is opened

    def titles(self) -> dict[str, str]:
        """Title of each system, by name."""
        return {name: self.find(name).title for name in self._names}

    def find(self, name: str) -> System:
        """The system ``name``; a stack file is read again if it has changed.

        Raises:
            InputError: there is no such system, or the stack file or the fit of it cannot be used.
        """
        checks.known("system", name, self._names)
        if name != self.first or (name in installed() and self.fitted is None):
            return find(name)
        stamp = self.stamp(name)
        if self._read is None or self._read[0] != stamp:
            self._read = stamp, find(name) if self.fitted is None else refitted(find(name), self.fitted)
        return self._read[1]

    def stamp(self, name: str) -> str:
        """Text that changes whenever the stack file ``name`` does; empty for any other system."""
        if name != self.first or not name.endswith(STACK_FILE):
            return ""
        try:
            status = Path(name).stat()
        except OSError:
            return "gone"
        return f"{status.st_mtime_ns} {status.st_size}"


Figures = Mapping[tuple[Conditions, str], PublishedFigure]


def figures_of(system: System) -> Figures:
    """Published figures of ``system``, as by ``published_figures``; read once."""
    if system.data_package is None or system.parameters.set():
        return {}
    return _read_figures(system)


@lru_cache(maxsize=32)
def _read_figures(system: System) -> Figures:
    return published_figures(system)
