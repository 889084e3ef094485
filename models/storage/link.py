"""A duplex link between a host and what it asks: a round trip, and bytes in each direction.

read   [out: header] ──> half a round trip ──> below ──> half a round trip ──> [back: header + data]
write  [out: header + data] ──> half a round trip ──> below ──> half a round trip ──> [back: header]

Each direction is a server of its own, so reads do not wait for writes. A link carries one message after the other,
in pieces: whoever has more to send lets others take turns.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.layer import Layer
from models.parts import named_hardware
from models.parts.named_hardware import Taken, at_date, hardware_name
from models.paths import pieces
from sim import Delay, InputError, Path, Station, Use
from sim.system import quantities, settings
from sim.system.quantities import duration
from sim.system.settings import Values, count, size
from sim.system.stack.kinds import Below, Filled

ETHERNET_PAYLOAD = 1448 / 1538
"""Of the line rate, with TCP over IPv4. A frame of 1500 bytes has 20 of IP, 20 of TCP and 12 of its time stamps
(RFC 791, 9293, 7323); around it go 14 of header, 4 of checksum, 8 of preamble and a gap of 12 (IEEE 802.3)."""

PIECE_BYTES = 65_536
"""What a host hands to the card at once (GSO_LEGACY_MAX_SIZE in netdevice.h of Linux)."""


@dataclass(frozen=True)
class Link:
    """Links side by side; a process keeps to one of them."""

    count: int = count(1, "links side by side; which one is a matter of the host and process that ask", high=4096)
    lost: int = settings.count(0, "links that are lost; those left have their processes", low=0, high=4095)
    bandwidth: float = quantities.bandwidth(
        25e9 / 8 * ETHERNET_PAYLOAD, "bytes a second in each direction; TCP on 25 Gb/s Ethernet leaves 2.94 GB/s"
    )
    round_trip: float = duration(50e-6, "there and back without bytes and without queueing (assumed)")
    header: int = size(128, "bytes of a request or an answer beside its data (assumed)", low=0, high=1 << 20)
    hardware: str = hardware_name()
    date: str = at_date()

    @staticmethod
    def filled(written: Values) -> dict[str, Filled]:
        """The bandwidth of the hardware named: what its line code leaves, and frames and headers still take."""
        return named_hardware.filled(written, {"bandwidth": Taken("bandwidth", places=("out", "back"))})

    def layer(self, name: str, below: Below) -> DuplexLink:
        """The links that are left, in front of ``below``.

        Raises:
            InputError: none is left.
        """
        if self.lost >= self.count:
            raise InputError(f"lost is {self.lost} of {self.count} links; allowed: fewer than there are")
        left = range(1, self.count - self.lost + 1)
        names = [name] if self.count == 1 else [f"{name} {number}" for number in left]
        out, back = (tuple(Station(f"{each} {way}") for each in names) for way in ("out", "back"))
        return DuplexLink(out, back, self.bandwidth, self.round_trip, self.header, below(""))


@dataclass(frozen=True)
class DuplexLink:
    """The two directions of each link."""

    out: tuple[Station, ...]
    back: tuple[Station, ...]
    bytes_per_s: float
    round_trip_s: float
    header_bytes: int
    below: Layer

    def path(self, io: FileIO) -> Path:
        """Ask, have it done below, get the answer."""
        number = (io.host + io.process) % len(self.out)
        asked = self._across(self.out[number], io, data=io.op == "write")
        answered = self._across(self.back[number], io, data=io.op == "read")
        half = Delay(self.round_trip_s / 2)
        return (*asked, half, *self.below.path(io), half, *answered)

    def _across(self, way: Station, io: FileIO, *, data: bool) -> Path:
        message = io.piece(self.header_bytes + (io.size_bytes if data else 0))
        return pieces(message, PIECE_BYTES, lambda piece: (Use(way, piece.size_bytes / self.bytes_per_s),))
