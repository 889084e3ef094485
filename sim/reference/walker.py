"""A client, or one branch of it, on its way along a path."""

from __future__ import annotations

import simpy

from sim.places import Place


class Walker:
    """Who walks, what they wait for, what they hold: what a deadlock message tells."""

    __slots__ = ("batches", "client", "held", "items", "started_ns", "steps", "waits_for", "workload")

    def __init__(self, workload: str, client: int) -> None:
        self.workload = workload
        self.client = client
        self.started_ns = 0
        self.steps = 0
        self.items = 0
        self.waits_for: Place | None = None
        self.held: list[Place] = []
        self.batches: dict[Place, list[simpy.Event]] = {}

    def __str__(self) -> str:
        return f"'{self.workload}' client {self.client}"
