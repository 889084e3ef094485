"""The plain load of a stack: closed clients, or open arrivals at a rate.

closed   clients, each:  think ──> [I/O] ──> again, with ``depth`` requests in flight
open     arrivals, Poisson ──> [I/O]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, get_args

from models.io import Durable, FileIO, Op
from models.layer import Layer
from sim import Choose, Closed, InputError, Model, Open, Path, Poisson
from sim.engine.units import MB, per_second
from sim.system import Scenario, choice, count, number, size
from sim.system.quantities import duration, rate
from sim.system.records import field_with
from sim.system.settings import Setting
from sim.system.stack.kinds import FLUSH, WRITES

GROUP = "clients"

BYTES = "bytes"

ORDERS = ("random", "sequential")

_SIZES = (512, 4096, 12 * 1024, 65536, 3 << 20)
_PROCESSES = 61
"""Number of processes: a prime that shows any number of cores, queues or hosts."""


@dataclass(frozen=True)
class Counted(Setting):
    """Unit of throughput: bytes, or a word for requests."""

    @property
    def allowed(self) -> str:
        return f"{BYTES}, requests, or what a request is called, such as commits"

    def parse(self, raw: object) -> str:
        text = str(raw)
        a_word = re.fullmatch("[a-z]{2,20}", text, re.ASCII)
        if text != BYTES and not (a_word and per_second(f"{text}/s")):
            raise self.refuse(raw)
        return text


@dataclass(frozen=True)
class Clients:
    """Reads, writes or both, of one size.

    Attributes:
        rate: total arrivals a second, equal for all clients; 0 means closed clients, which wait for one I/O before
            the next.
    """

    clients: int = count(1, "clients", high=100_000)
    depth: int = count(1, "requests that each keeps in flight", high=65_536)
    block: int = size(4096, "bytes of an I/O")
    op: str = choice("read", "what clients do", ("read", "write", "mixed"))
    read_share: float = number(0.5, "share of reads where op is mixed")
    think: float = duration(0.0, "time that a client thinks before each I/O")
    rate: float = rate(0.0, "I/Os a second that arrive, however many wait; 0: clients wait", low=0.0, high=1e9)
    durable: str = choice("no", "what is durable when a write returns: nothing, the data, all", get_args(Durable))
    counted: str = field_with("bytes", Counted("", "bytes", "what the answer counts"))
    files: str = choice("each", "a file for each client, or one for all", ("each", "shared"))
    order: str = choice("random", "where an I/O goes, or where the last one of its client ended", ORDERS)

    def asks(self) -> dict[str, str]:
        """Writes, and a flush if they must be durable."""
        if self.op == "read":
            return {}
        durable = {FLUSH: f"durable = '{self.durable}'"} if self.durable != "no" else {}
        return {WRITES: f"op = '{self.op}'", **durable}

    @staticmethod
    def every_path(top: Layer) -> Iterator[Path]:
        """Paths of I/Os of every kind, except those that ``top`` refuses: any field's effect shows in some."""
        for place, io in enumerate(_every_io()):
            process = place % _PROCESSES
            with suppress(InputError):
                asked = replace(io, file=process % 2, process=process, processes=_PROCESSES, sharers=30)
                yield top.path(asked)

    def scenario(self, top: Layer, background: Iterable[object] = (), processes: int = 0) -> Scenario:
        """The load on ``top``, beside the ``background`` work of layers.

        Args:
            processes: number of processes of all loads; 0: of this load.

        Raises:
            InputError: open clients cannot think, or have several I/Os in flight.
        """
        if self.rate and (self.think or self.depth > 1):
            raise InputError(
                "I/Os arrive at a rate, so think and depth mean nothing; leave out those, or the rate"
            )
        names = [GROUP] if self.clients == 1 else [f"client {client + 1}" for client in range(self.clients)]
        workloads = self._workloads(top, names, GROUP, 0, processes or self.clients)
        return self._scenario(Model([*workloads, *background]), GROUP)  # type: ignore[list-item]

    def beside(
        self, top: Layer, group: str, first: int, processes: int, background: Iterable[object] = ()
    ) -> Scenario:
        """The load beside others: its clients are a ``group``, numbered from ``first`` of all ``processes``."""
        names = [f"{group} {client + 1}" for client in range(self.clients)]
        workloads = self._workloads(top, names, group, first, processes)
        return self._scenario(Model([*workloads, *background]), group)  # type: ignore[list-item]

    def _scenario(self, model: Model, group: str) -> Scenario:
        if self.counted == BYTES:
            return Scenario(model, watch=group, amount=self.block / MB, unit="MB/s")
        return Scenario(model, watch=group, amount=1.0, unit=f"{self.counted}/s")

    def _workloads(
        self, top: Layer, names: list[str], group: str, first: int, processes: int
    ) -> Iterator[Closed | Open]:
        for client, name in enumerate(names, start=first):
            path = self._path(top, client, processes)
            if self.rate:
                yield Open(name, Poisson(self.rate / self.clients), path, group=group)
            else:
                yield Closed(name, clients=self.depth, path=path, think=self.think or None, group=group)

    def _path(self, top: Layer, client: int, processes: int) -> Path:
        if self.op == "mixed":
            read, write = (top.path(self._io(op, client, processes)) for op in ("read", "write"))
            return (Choose((self.read_share, read), (1.0 - self.read_share, write)),)
        op: Any = self.op
        return top.path(self._io(op, client, processes))

    def _io(self, op: Op, client: int, processes: int) -> FileIO:
        aligned = self.block & -self.block
        file = client if self.files == "each" else 0
        durable: Any = "no" if op == "read" else self.durable
        return FileIO(
            op,
            self.block,
            file=file,
            process=client,
            processes=processes,
            beside=processes > self.clients,
            sharers=self.clients if self.files == "shared" else 1,
            sequential=self.order == "sequential",
            aligned_bytes=aligned,
            durable=durable,
            asynchronous=self.depth > 1,
        )


def _every_io() -> Iterator[FileIO]:
    """I/Os of several sizes, random and sequential, durable and not, followed by flushes."""
    for size_bytes, sequential in product(_SIZES, (False, True)):
        io = FileIO("read", size_bytes, sequential=sequential, aligned_bytes=size_bytes & -size_bytes)
        yield io
        for durable, appends in product(get_args(Durable), (False, True)):
            yield replace(io, op="write", durable=durable, appends=appends)
            yield replace(io, op="write", synced=durable, appends=appends)
    for durable in ("data", "all"):
        yield FileIO("flush", 0, synced=durable, durable=durable)  # type: ignore[arg-type]
