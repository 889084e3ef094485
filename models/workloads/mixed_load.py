"""Loads of an array: mixed random and sequential I/Os, writes that are never read again, and a warm cache.

normal   clients, each:  [random or sequential] [read or write] ──> array ──> again
noise    two files, each overwritten in a loop with 128 KiB writes by one dd, not truncated (after S2)
warming  at time 0, in no time: pages looked up until the cache is as full as the normal load keeps it
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import Op, PagedIO
from models.layer import PagedLayer
from sim import AddressSource, Cache, Choose, Closed, Delay, Lookup, Repeat, Sequential

RUN_BYTES = 128 * 1024
"""I/O of a sequential stream: the block of the source's dd."""

NOISE_FILES, NOISE_FILE_BYTES = 2, 1 << 30
"""dd bs=128k count=8192 on two pseudo redo files (the source's example)."""

TICK_S = 1e-9
"""Resolution of the clock."""


@dataclass(frozen=True)
class Mix:
    """The loads of ``array``.

    Attributes:
        page_bytes: a random I/O is one page.
        read, sequential: shares of reads, and of sequential I/Os.
        random: the pages of random I/Os.
        extent: number of these pages; sequential I/Os cycle through as many pages after them.
    """

    array: PagedLayer
    page_bytes: int
    read: float
    sequential: float
    random: AddressSource
    extent: int

    def normal(
        self, name: str, clients: int, *, start_s: float = 0.0, stop_s: float | None = None
    ) -> list[Closed]:
        """Closed clients with one I/O at a time, and background work of the array."""
        ops: tuple[tuple[float, Op], ...] = ((self.read, "read"), (1.0 - self.read, "write"))
        kinds = ((1.0 - self.sequential, self._random), (self.sequential, self._run))
        shares = [(share * part, kind(op, name, clients)) for share, kind in kinds for part, op in ops]
        ios = [(share, io) for share, io in shares if share > 0.0]
        path = Choose(*((share, self.array.path(io)) for share, io in ios))
        load = Closed(name, clients=clients, path=path, start_s=start_s, stop_s=stop_s)
        return [load, *(each for _, io in ios for each in self.array.behind(io))]

    def _random(self, op: Op, name: str, clients: int) -> PagedIO:
        stream = f"random {op}s, {name}"
        return PagedIO(op, self.page_bytes, self.random, 1, sequential=False, stream=stream, clients=clients)

    def _run(self, op: Op, name: str, clients: int) -> PagedIO:
        run = Sequential(self.extent, self.extent if op == "read" else 2 * self.extent)
        return self._piece(op, run, f"{op}s in runs, {name}", clients)

    def _piece(self, op: Op, run: Sequential, stream: str, clients: int) -> PagedIO:
        pages = RUN_BYTES // self.page_bytes
        return PagedIO(op, RUN_BYTES, run, pages, sequential=True, stream=stream, clients=clients)

    def noise(self, call_s: float, *, start_s: float, stop_s: float) -> list[Closed]:
        """The two loops, and background work of the array; ``call_s`` is dd's time between two writes."""
        pages = NOISE_FILE_BYTES // self.page_bytes
        workloads = []
        for number in range(1, NOISE_FILES + 1):
            name, file = f"noise {number}", Sequential(pages, 3 * self.extent + number * pages)
            io = self._piece("write", file, name, 1)
            path = [Delay(call_s), *self.array.path(io)]
            loop = Closed(name, clients=1, path=path, group="noise", start_s=start_s, stop_s=stop_s)
            workloads += [loop, *self.array.behind(io)]
        return workloads

    def warming(self, cache: Cache, rounds: int) -> Closed:
        """``rounds`` look-ups of random pages for each page of ``cache``."""
        look_ups = Repeat(rounds * cache.capacity, Lookup(cache, self.random))
        return Closed("warming", clients=1, path=[look_ups, Delay(TICK_S)], stop_s=TICK_S)
