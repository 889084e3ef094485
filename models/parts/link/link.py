"""A link between a host and a server: a round trip, and bytes in each direction.

read   [out: header] ──> half a round trip ──> below ──> half a round trip ──> [back: header + data]
write  [out: header + data] ──> half a round trip ──> below ──> half a round trip ──> [back: header]

Each direction is a server of its own, so that reads do not wait for writes; a card whose bandwidth is published
for both together has one. A link carries messages in pieces, in turns. Or an I/O takes the link that is free first
and keeps it until it is across, as on the paths of a fabric: for I/Os of one size that is round robin. Its two
directions queue apart and take turns piece by piece.

Fibre Channel, and RDS over InfiniBand, move data by themselves (DMA): no time on the cores of the host.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.io import IO, FileIO
from models.layer import Layer
from models.parts import named_hardware
from models.parts.link.fabrics import Fabric
from models.parts.named_hardware import Taken, at_date, hardware_name
from models.paths import pieces
from sim import Delay, Hold, InputError, Path, Pool, Station, Use
from sim.system import quantities, settings
from sim.system.quantities import duration
from sim.system.settings import Values, choice, count, flag, size
from sim.system.stack.kinds import Below, Filled

ETHERNET_PAYLOAD = 1448 / 1538
"""Payload share of a line with TCP over IPv4. A frame of 1500 bytes has 20 of IP, 20 of TCP and 12 of time stamps
(RFC 791, 9293, 7323); around it go 14 of header, 4 of checksum, 8 of preamble and a gap of 12 (IEEE 802.3)."""

PIECE_BYTES = 65_536
"""Bytes that a host hands to the card at once (GSO_LEGACY_MAX_SIZE in netdevice.h of Linux)."""

TURN_BYTES = 256 * 1024
"""Bytes that a path of a fabric sends before the other direction's turn; less changes elapsed times by < 1 %."""

WHOLE = 1 << 40
"""Piece size for whole messages."""

PROCESS, FREE = "process", "free"
"""Choice of a link for an I/O: fixed by process, or the first free one."""


@dataclass(frozen=True)
class Link:
    """Links side by side; a process keeps to one of them, or each I/O takes the next free one."""

    count: int = count(1, "links side by side", high=4096)
    lost: int = settings.count(0, "lost links; their processes move to those left", low=0, high=4095)
    bandwidth: float = quantities.bandwidth(
        25e9 / 8 * ETHERNET_PAYLOAD, "bytes a second in each direction; TCP on 25 Gb/s Ethernet leaves 2.94 GB/s"
    )
    duplex: bool = flag("no: the bandwidth is that of both directions together", default=True)
    round_trip: float = duration(50e-6, "round trip without bytes and without queueing; assumed")
    header: int = size(128, "bytes of a request or an answer beside its data; assumed", low=0, high=1 << 20)
    piece: int = size(PIECE_BYTES, "bytes that are sent before another message has its turn", high=WHOLE)
    turns: str = choice(
        PROCESS,
        "process: each keeps to one link; free: an I/O takes a link that is free",
        (PROCESS, FREE),
    )
    hardware: str = hardware_name("link", "bus")
    date: str = at_date()

    @classmethod
    def paths(cls, fabric: Fabric, count: int, latency_s: float, lost: int = 0) -> Link:
        """``count`` paths of ``fabric``, of which some are ``lost``, used in turn."""
        return cls(
            count=count,
            lost=lost,
            bandwidth=fabric.bytes_per_s,
            duplex=fabric.duplex,
            round_trip=latency_s,
            header=0,
            piece=TURN_BYTES,
            turns=FREE,
        )

    @staticmethod
    def filled(written: Values) -> dict[str, Filled]:
        """Bandwidth of the named hardware: after line code, before frames and headers."""
        return named_hardware.filled(written, {"bandwidth": Taken("bandwidth", places=("out", "back"))})

    def layer(self, name: str, below: Below) -> Links:
        """The remaining links above ``below``.

        Raises:
            InputError: none is left.
        """
        return self.before(below(""), name)

    def before(self, below: Layer, name: str, *, sent: float = 1.0, returned: float = 1.0) -> Links:
        """The links ``name`` above ``below``.

        Args:
            sent: number of times that each written byte crosses: twice if a host sends both copies itself.
            returned: share of the bytes of a read that come back: a smart scan returns rows, not blocks.

        Raises:
            InputError: none is left.
        """
        left = self.count - self.lost
        if left < 1:
            raise InputError(f"lost is {self.lost} of {self.count} links; allowed: fewer than there are")
        out, back = self._in_turn(name, left) if self.turns == FREE else self._of_processes(name, left)
        return Links(self, out, back, below, sent, returned)

    def _of_processes(self, name: str, left: int) -> tuple[tuple[Way, ...], tuple[Way, ...]]:
        names = [name] if self.count == 1 else [f"{name} {number}" for number in range(1, left + 1)]
        if not self.duplex:
            both = tuple(Way(Station(each)) for each in names)
            return both, both
        out, back = (tuple(Way(Station(f"{each} {way}")) for each in names) for way in ("out", "back"))
        return out, back

    def _in_turn(self, name: str, left: int) -> tuple[tuple[Way, ...], tuple[Way, ...]]:
        card = Station(f"{name} card", 2 * left if self.duplex else left)
        out, back = (Way(card, Pool(f"{name} {way}", left)) for way in ("outbound", "inbound"))
        return (out,), (back,)


@dataclass(frozen=True)
class Way:
    """One direction: the station of its pieces, and for whole I/Os a token of each link."""

    card: Station
    queue: Pool | None = None

    def across(self, io: IO, piece_bytes: int, bytes_per_s: float) -> Path:
        """All bytes of ``io``, piece by piece."""
        steps = pieces(io, piece_bytes, lambda piece: (Use(self.card, piece.size_bytes / bytes_per_s),))
        return (Hold(self.queue, *steps),) if self.queue and steps else steps


@dataclass(frozen=True)
class Links:
    """The two directions of each link above ``below``."""

    link: Link
    out: tuple[Way, ...]
    back: tuple[Way, ...]
    below: Layer
    sent: float = 1.0
    returned: float = 1.0

    @property
    def cards(self) -> tuple[Station, ...]:
        """Stations that carry the bytes."""
        return tuple(dict.fromkeys(way.card for way in (*self.out, *self.back)))

    def path(self, io: IO) -> Path:
        """Send the request, take the steps below, receive the answer."""
        number = (io.host + io.process) % len(self.out) if isinstance(io, FileIO) else 0
        asked = self._across(self.out[number], io, self.sent if io.op == "write" else 0.0)
        answered = self._across(self.back[number], io, self.returned if io.op == "read" else 0.0)
        half = (Delay(self.link.round_trip / 2),) if self.link.round_trip else ()
        return (*asked, *half, *self.below.path(io), *half, *answered)

    def _across(self, way: Way, io: IO, share: float) -> Path:
        message = io.piece(self.link.header + math.ceil(share * io.size_bytes))
        return way.across(message, self.link.piece, self.link.bandwidth)
