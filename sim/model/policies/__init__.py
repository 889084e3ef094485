"""Policies of caches: which blocks are kept. One family a file, each with its paper."""

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
"""The policies by name, as ``Cache`` takes it."""

__all__ = ["ARC", "FIFO", "LRU", "POLICIES", "SARC", "Access", "Bypass", "LRUBottom", "Policy", "TwoQueues"]
