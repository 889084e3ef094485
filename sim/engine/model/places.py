"""Places that clients queue for, hold, fill, empty, gather at or look up. Frozen, without state.

Every queue is first come, first served, and nobody overtakes: a request that does not fit yet also
holds back the smaller ones behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from sim.engine import checks
from sim.engine.errors import ModelError, nearest
from sim.engine.extensions import elsewhere, warn_of_namesakes
from sim.engine.model.policies import GROUP, POLICIES, policy_names

Role = Literal["resource", "throttle", "stand-in", "internal"]

_ROLES = get_args(Role)


@dataclass(frozen=True)
class Place:
    """Anything with a name at which an I/O spends time or changes a level.

    Attributes:
        role: what it is to a reader of results: a ``resource`` of the real system; a ``throttle``, which lets
            requests pass at a rate that somebody has set; a ``stand-in`` for a mechanism that is not known; or
            ``internal``, a device of the model alone, which tables and pictures leave out. No engine reads it.
    """

    name: str
    role: Role = field(default="resource", kw_only=True)

    def __post_init__(self) -> None:
        checks.name(type(self).__name__.lower(), self.name)
        if self.role not in _ROLES:
            raise ModelError(f"role of {self} is {checks.quoted(self.role)}; {nearest(str(self.role), _ROLES)}")

    def __str__(self) -> str:
        return f"{type(self).__name__.lower()} '{self.name}'"

    def __hash__(self) -> int:
        """Hash of the name: names of places in a model differ, and Python caches the hash of a text."""
        return hash(self.name)


@dataclass(frozen=True)
class Station(Place):
    """``servers`` identical servers behind one queue."""

    servers: int = 1

    __hash__ = Place.__hash__

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "servers", checks.whole(f"servers of {self}", self.servers, 1))


@dataclass(frozen=True)
class Lock(Place):
    """Held by one exclusive holder or by any number of shared ones."""

    __hash__ = Place.__hash__

    @property
    def shared(self) -> LockMode:
        """The lock in shared mode, for ``Hold``."""
        return LockMode(self, exclusive=False)

    @property
    def exclusive(self) -> LockMode:
        """The lock in exclusive mode, for ``Hold``."""
        return LockMode(self, exclusive=True)


@dataclass(frozen=True)
class LockMode:
    """A lock together with the mode in which it is to be held."""

    lock: Lock
    exclusive: bool


@dataclass(frozen=True)
class Pool(Place):
    """``tokens`` identical tokens (threads, buffers, credits); a holder takes one or more."""

    tokens: int = 1

    __hash__ = Place.__hash__

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "tokens", checks.whole(f"tokens of {self}", self.tokens, 1))


@dataclass(frozen=True)
class Buffer(Place):
    """A level between 0 and ``capacity``: a put waits when it would overflow, a take when too little is in.

    Watermarks: once the level has fallen to ``low``, takes wait until it has risen to ``high``. Otherwise takes
    wait only for their amount.
    """

    capacity: int
    initial: int = 0
    low: int = 0
    high: int = 1

    __hash__ = Place.__hash__

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "capacity", checks.whole(f"capacity of {self}", self.capacity, 1))
        if checks.whole(f"initial level of {self}", self.initial, 0) > self.capacity:
            raise ModelError(
                f"{self} starts at level {self.initial}; allowed: at most its capacity {self.capacity}"
            )
        low = checks.whole(f"low watermark of {self}", self.low, 0)
        if not low < checks.whole(f"high watermark of {self}", self.high, 1) <= self.capacity:
            raise ModelError(
                f"watermarks of {self} are {low} and {self.high}; allowed: low below high, and high at most its "
                f"capacity {self.capacity}"
            )

    @property
    def watermarked(self) -> bool:
        """True if takes may wait although there is enough."""
        return (self.low, self.high) != (0, 1)


@dataclass(frozen=True)
class Gate(Place):
    """Clients wait at it until another one gathers them into a batch and then wakes that batch."""

    __hash__ = Place.__hash__


@dataclass(frozen=True)
class Cache(Place):
    """Keeps up to ``capacity`` blocks; ``policy`` (see ``sim.engine.model.policies``) decides which ones."""

    capacity: int
    policy: str = "lru"

    __hash__ = Place.__hash__

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "capacity", checks.whole(f"capacity of {self}", self.capacity, 1))
        if not isinstance(self.policy, str) or self.policy not in policy_names():
            policy = checks.quoted(self.policy)
            raise ModelError(
                f"policy of {self} is {policy}; {nearest(policy, policy_names())}{elsewhere(GROUP, self.policy)}"
            )
        if self.policy in POLICIES:
            warn_of_namesakes(GROUP, self.policy)
