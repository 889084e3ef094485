"""Policies of caches, which decide the blocks to keep. One family per file, each with its paper."""

from typing import Any

from sim.engine import checks
from sim.engine.errors import InputError
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

_FUNCTIONS = ("__len__", "find", "insert", "evict")


def policy_names() -> list[str]:
    """Names of all policies."""
    return sorted({*POLICIES, *registered(GROUP)})


def policy_of(name: str) -> type[Policy]:
    """The class of the policy ``name``, one of ``policy_names``."""
    if name in POLICIES:
        return POLICIES[name]
    policy: type[Policy] = load(registered(GROUP)[name], checked_policy)
    return policy


def checked_policy(policy: Any) -> type[Policy]:
    """``policy``, a class with all functions of ``Policy``.

    Raises:
        InputError: it is none.
    """
    if not (isinstance(policy, type) and issubclass(policy, Policy)):
        raise InputError(f"it is {checks.quoted(policy)}; allowed: a class of stacksim.layers.Policy")
    if missing := [name for name in _FUNCTIONS if getattr(policy, name) is getattr(Policy, name)]:
        raise InputError(f"{policy.__name__} has no {', '.join(missing)}; write what Policy says of them")
    return policy


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
    "checked_policy",
    "policy_names",
    "policy_of",
]
