"""A storage cell with memory that is read by RDMA, flash that caches reads and writes, and disks.

read   in memory  ──> RDMA, past the processors of the cell ──> [cards] ──> done
       else       ──> [cards] ask the server ──> in flash: [flash], else: [disks] ──> [cards] ──> done
write             ──> [cards] ──> server ──> [flash] ──> done;  to the disks in the background (write-back)
log    by RDMA    ──> into persistent memory, past the processors ──> [cards] ──> done
scan              ──> server: memory, or flash and disks at once ──> [cards] the rows that are asked for ──> done

Data in flash are on disks, too, so that a scan reads from both at once, in the ratio that keeps both busy.
"""

from __future__ import annotations

from dataclasses import dataclass

from models.io import FileIO
from models.layer import FileLayer
from models.parts.disk import Disk
from models.parts.link.messages import Card, Network
from sim import Choose, Delay, Path, Station, Use


@dataclass(frozen=True)
class Hits:
    """Shares of data in memory and flash.

    Attributes:
        memory: share of the I/Os that hit the cells' memory.
        flash: share of all others that hit flash; disks serve the rest.
    """

    memory: float
    flash: float

    def choose(self, memory: Path, flash: Path, disks: Path) -> Path:
        """One of these paths."""
        flash_share = (1.0 - self.memory) * self.flash
        shares = ((self.memory, memory), (flash_share, flash), (1.0 - self.memory - flash_share, disks))
        likely = [(share, path) for share, path in shares if share > 0.0]
        return (Choose(*likely),) if len(likely) > 1 else likely[0][1]


@dataclass(frozen=True)
class CachedCell:
    """One cell, as the database servers of its rack see it.

    Attributes:
        requests: messages to and from its server.
        rdma: messages past its processors, with the latency of a whole RDMA read or write.
        server_s: time of the server for each request that it answers.
        flash_bytes_per_s, memory_bytes_per_s: rates of scans.
    """

    name: str
    card: Card
    requests: Network
    rdma: Network
    server_s: float
    flash: FileLayer
    flash_bytes_per_s: float
    disks: Disk
    memory_bytes_per_s: float

    def read(self, asker: Card, size_bytes: int, hits: Hits) -> Path:
        """A block from memory, flash or disks."""
        flash = self._served(asker, 0, self.flash.path(FileIO("read", size_bytes)), size_bytes)
        disks = self._served(asker, 0, (self.disks.anywhere(size_bytes),), size_bytes)
        return hits.choose(self.rdma.message(self.card, asker, size_bytes), flash, disks)

    def write(self, asker: Card, size_bytes: int) -> Path:
        """One copy, done once it is in flash."""
        return self._served(asker, size_bytes, self.flash.path(FileIO("write", size_bytes)), 0)

    def log(self, asker: Card, size_bytes: int) -> Path:
        """One copy of redo, done once persistent memory has it."""
        return self.rdma.message(asker, self.card, size_bytes)

    def scan(self, asker: Card, size_bytes: int, hits: Hits, returned: float) -> Path:
        """A piece that the cell filters; ``returned`` of its bytes go to the database server."""
        rate = self.disks.bytes_per_s * self.disks.count
        both = Hits(hits.memory, min(hits.flash, self.flash_bytes_per_s / (self.flash_bytes_per_s + rate)))
        memory = Use(Station(f"{self.name} memory"), size_bytes / self.memory_bytes_per_s)
        flash = self.flash.path(FileIO("read", size_bytes, sequential=True))
        found = both.choose((memory,), flash, (self.disks.anywhere(size_bytes, 0.0),))
        return self._served(asker, 0, found, round(returned * size_bytes))

    def _served(self, asker: Card, sent_bytes: int, work: Path, returned_bytes: int) -> Path:
        asked = self.requests.message(asker, self.card, sent_bytes)
        return (*asked, Delay(self.server_s), *work, *self.requests.message(self.card, asker, returned_bytes))
