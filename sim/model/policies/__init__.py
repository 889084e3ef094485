"""Policies of caches, which decide the blocks to keep. One family per file, each with its paper."""

from sim.model.policies.arc import ARC
from sim.model.policies.policy import Access, Policy
from sim.model.policies.recency import FIFO, LRU, Bypass, LRUBottom
from sim.model.policies.sarc import SARC
from sim.model.policies.two_queues import TwoQueues

POLICIES: dict[str, type[Policy]] = {
    "lru": LRU,
    "fifo": FIFO,
    "lru-bottom": LRUBottom,
    "bypass": Bypass,
    "2q": TwoQueues,
    "arc": ARC,
    "sarc": SARC,
}
"""Policies by their name in ``Cache``."""

__all__ = ["ARC", "FIFO", "LRU", "POLICIES", "SARC", "Access", "Bypass", "LRUBottom", "Policy", "TwoQueues"]
