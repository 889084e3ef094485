"""Policies of caches, which decide the blocks to keep. One family per file, each with its paper."""

from sim.engine.extensions import load, registered
from sim.engine.model.policies.arc import ARC
from sim.engine.model.policies.policy import Access, Policy
from sim.engine.model.policies.recency import FIFO, LRU, Bypass, LRUBottom
from sim.engine.model.policies.sarc import SARC
from sim.engine.model.policies.two_queues import TwoQueues

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

GROUP = "stacksim.policies"
"""Entry-point group of policies that other packages bring; the compiled engine lacks them."""


def policy_names() -> list[str]:
    """Names of all policies."""
    return [*POLICIES, *registered(GROUP)]


def policy_of(name: str) -> type[Policy]:
    """The class of the policy ``name``, one of ``policy_names``."""
    found: type[Policy] = POLICIES[name] if name in POLICIES else load(registered(GROUP)[name])
    return found


__all__ = [
    "ARC",
    "FIFO",
    "LRU",
    "POLICIES",
    "SARC",
    "Access",
    "Bypass",
    "LRUBottom",
    "Policy",
    "TwoQueues",
    "policy_names",
    "policy_of",
]
