"""A process: a request, or one branch of it, in flight on a path; and the part of the run that steps need."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any, Protocol

import simpy

from sim.engine.events.random_streams import Streams
from sim.engine.events.trace import Activity, Held
from sim.engine.model.places import Place

Events = Generator[simpy.Event, Any, None]

NOTHING: tuple[Activity, str] = "delay", ""
"""The activity of a process while time passes at no place."""


class Process:
    """A client on its path, or a branch of it, with the place it waits for and the places it holds.

    SimPy's own processes are the generators that move it.

    Attributes:
        went_on_ns: time at which a traced process last went on.
        started_ns: begin of the request; None for a branch, and for a client that has not begun one yet.
    """

    __slots__ = (
        "activity",
        "batches",
        "client",
        "held",
        "items",
        "started_ns",
        "steps",
        "waits_for",
        "went_on_ns",
        "workload",
    )

    def __init__(self, workload: str, client: int) -> None:
        self.workload = workload
        self.client = client
        self.started_ns: int | None = None
        self.went_on_ns = 0
        self.steps = 0
        self.items = 0
        self.waits_for: Place | None = None
        self.activity = NOTHING
        self.held: list[Held] = []
        self.batches: dict[Place, list[simpy.Event]] = {}

    def wait_for(self, place: Place) -> None:
        """Record that the process waits for ``place`` from now on."""
        self.waits_for = place
        self.activity = "wait", place.name

    def holds(self, place: Place | None) -> bool:
        """True if the process holds ``place``."""
        return place is not None and any(each.place == place.name for each in self.held)

    @property
    def in_hand(self) -> tuple[Held, ...]:
        """Places that the process holds, and batches that it has gathered."""
        return *self.held, *(Held(gate.name) for gate in self.batches)

    def __str__(self) -> str:
        return f"'{self.workload}' client {self.client}"


Bound = Callable[[Process], Events]
"""A step or path bound to a run: called with a process, it yields the events that the process waits for."""


class Run(Protocol):
    """The part of a run that its steps need."""

    environment: simpy.Environment
    streams: Streams

    def state(self, place: Place) -> Any:
        """The state of ``place``."""

    def step_begun(self, process: Process) -> None:
        """Count a step of ``process``."""

    def looked_up(self, process: Process, *, hit: bool) -> None:
        """Count a look-up for the workload of ``process``."""

    def branch(self, parent: Process, path: Bound, *, background: bool) -> simpy.Process:
        """Start a branch of ``parent`` on ``path``."""

    def leave_behind(self, parent: Process, branches: Sequence[simpy.Process], needed: int) -> None:
        """Count the remaining ``branches`` as background once ``needed`` of them have ended."""
