"""Upper bounds of a CubeFS cluster by its network cards."""

from __future__ import annotations

from models.systems.cubefs.parameters import MOST_PAYLOAD
from models.systems.cubefs.settings import CubeFSSettings
from sim.engine.units import KIB
from sim.system import Ceiling

_MIB = KIB * KIB


def ceilings(settings: CubeFSSettings) -> tuple[Ceiling, ...]:
    """All bytes cross the cards of the clients and those of the data nodes; written ones once for each copy."""
    card = settings.nic * MOST_PAYLOAD / _MIB
    copies = settings.replicas if settings.op == "write" else 1
    written = f", {copies} copies of every byte" if copies > 1 else ""
    return (
        Ceiling("throughput", settings.clients * card, f"{settings.clients} x client's card at {card:.4g} MiB/s"),
        Ceiling(
            "throughput",
            settings.data_nodes * card / copies,
            f"{settings.data_nodes} x data node's card at {card:.4g} MiB/s{written}",
        ),
    )
