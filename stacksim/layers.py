"""Everything that the file of a layer, a load or a cache policy imports, and what stays as it is between releases.

The steps of a path are those of ``sim``: ``from sim import Delay, Hold, Path, Pool, Station, Use``.
"""

from models.io import IO, Durable, FileIO, Op
from models.layer import FileLayer, Layer
from models.parts.host.host import copies_of_host, of_host, woken
from models.parts.host.memory import CopyingCores
from sim.engine.model.policies import Access, Policy
from sim.system.quantities import bandwidth, duration, rate, table
from sim.system.settings import choice, count, flag, number, size
from sim.system.stack.kinds import DIRECT, FLUSH, IO_URING, PAGE_CACHE, WRITES, Below, LayerKind

__all__ = [
    "DIRECT",
    "FLUSH",
    "IO",
    "IO_URING",
    "PAGE_CACHE",
    "WRITES",
    "Access",
    "Below",
    "CopyingCores",
    "Durable",
    "FileIO",
    "FileLayer",
    "Layer",
    "LayerKind",
    "Op",
    "Policy",
    "bandwidth",
    "choice",
    "copies_of_host",
    "count",
    "duration",
    "flag",
    "number",
    "of_host",
    "rate",
    "size",
    "table",
    "woken",
]
