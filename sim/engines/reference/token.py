"""A client, or one branch of it, on its way along a path."""

from __future__ import annotations

import simpy

from sim.journeys import Doing
from sim.places import Place

NOTHING: tuple[Doing, str] = "delay", ""
"""Time passes at no place."""


class Walker:
    """Who walks, what they wait for, what they hold: what a deadlock message tells."""

    __slots__ = ("batches", "client", "doing", "held", "items", "started_ns", "steps", "waits_for", "workload")

    def __init__(self, workload: str, client: int) -> None:
        self.workload = workload
        self.client = client
        self.started_ns = 0
        self.steps = 0
        self.items = 0
        self.waits_for: Place | None = None
        self.doing = NOTHING
        self.held: list[Place] = []
        self.batches: dict[Place, list[simpy.Event]] = {}

    def wait_for(self, place: Place) -> None:
        """Say so, before the wait begins."""
        self.waits_for = place
        self.doing = "wait", place.name

    def __str__(self) -> str:
        return f"'{self.workload}' client {self.client}"
