"""Upper bounds of a block store by its network cards."""

from __future__ import annotations

from models.systems.block_store.settings import SCHEMES, BlockStoreSettings
from sim.system import Ceiling

_MOST_PAYLOAD = 0.99
"""Payload share of the line, in frames of 9000 bytes."""


def ceilings(settings: BlockStoreSettings) -> tuple[Ceiling, ...]:
    """All bytes cross the cards of clients and of machines with drives; written ones once for each copy."""
    if settings.client == "raw":
        return ()
    card = settings.nic * _MOST_PAYLOAD / settings.block
    copies = SCHEMES[settings.scheme] if settings.op == "write" else 1
    return (
        Ceiling("throughput", settings.jobs * card, f"{settings.jobs} x client's card at {settings.nic:.4g} B/s"),
        Ceiling(
            "throughput",
            settings.nodes * card / copies,
            f"{settings.nodes} x card of a machine with drives at {settings.nic:.4g} B/s, {copies} copies",
        ),
    )
