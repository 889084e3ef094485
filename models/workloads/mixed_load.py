"""Loads of an array: random and sequential I/Os mixed, writes that nobody reads again, and a cache that is warm.

normal   clients, each:  [random or sequential] [read or write] ──> array ──> again
noise    two files, each overwritten in a loop with 128 KiB writes by one dd, not truncated (after S2)
warming  at time 0, in no time: pages looked up until the cache is as full as the normal load keeps it
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import Op, PagedIO
from models.layer import PagedLayer
from sim import AddressSource, Cache, Choose, Closed, Delay, Lookup, Path, Repeat, Sequential

RUN_BYTES = 128 * 1024
"""One I/O of a sequential stream: what the source's dd writes at a time."""

NOISE_FILES, NOISE_FILE_BYTES = 2, 1 << 30
"""dd bs=128k count=8192 on two pseudo redo files (the source's example)."""

TICK_S = 1e-9
"""The least time that the clock knows."""


@dataclass(frozen=True)
class Mix:
    """The loads of ``array``.

    Attributes:
        page_bytes: a random I/O is one page.
        read, sequential: the shares of I/Os that read, and that are pieces of a run.
        random: the pages of random I/Os.
        extent: number of these pages; sequential I/Os go round in as many pages behind them.
    """

    array: PagedLayer
    page_bytes: int
    read: float
    sequential: float
    random: AddressSource
    extent: int

    def normal(self, name: str, clients: int, *, start_s: float = 0.0, stop_s: float | None = None) -> Closed:
        """Clients that do one I/O after the other."""
        ops: tuple[tuple[float, Op], ...] = ((self.read, "read"), (1.0 - self.read, "write"))
        kinds = ((1.0 - self.sequential, self._random), (self.sequential, self._run))
        path = Choose(*((share * part, kind(op)) for share, kind in kinds for part, op in ops))
        return Closed(name, clients=clients, path=path, start_s=start_s, stop_s=stop_s)

    def _random(self, op: Op) -> Path:
        return self.array.path(PagedIO(op, self.page_bytes, self.random, 1, sequential=False))

    def _run(self, op: Op) -> Path:
        stream = Sequential(self.extent, self.extent if op == "read" else 2 * self.extent)
        return self.array.path(PagedIO(op, RUN_BYTES, stream, RUN_BYTES // self.page_bytes, sequential=True))

    def noise(self, call_s: float, *, start_s: float, stop_s: float) -> list[Closed]:
        """The two loops; ``call_s``: time of dd between two writes."""
        pages = NOISE_FILE_BYTES // self.page_bytes
        return [
            Closed(
                f"noise {number}",
                clients=1,
                path=[Delay(call_s), *self._overwrite(pages, number)],
                group="noise",
                start_s=start_s,
                stop_s=stop_s,
            )
            for number in range(1, NOISE_FILES + 1)
        ]

    def _overwrite(self, pages: int, number: int) -> Path:
        file = Sequential(pages, 3 * self.extent + number * pages)
        return self.array.path(PagedIO("write", RUN_BYTES, file, RUN_BYTES // self.page_bytes, sequential=True))

    def warming(self, cache: Cache, rounds: int) -> Closed:
        """``rounds`` look-ups of random pages for each page of ``cache``."""
        look_ups = Repeat(rounds * cache.capacity, Lookup(cache, self.random))
        return Closed("warming", clients=1, path=[look_ups, Delay(TICK_S)], stop_s=TICK_S)
