"""Steps of an I/O on its path. A path is a tuple of steps; plain, frozen data.

A step knows its own places and the paths inside it (``inner``), and nothing of any engine.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from sim.engine import checks
from sim.engine.errors import ModelError
from sim.engine.model.addresses import AddressSource
from sim.engine.model.distributions import Time, time
from sim.engine.model.places import Buffer, Cache, Gate, Lock, LockMode, Place, Pool, Station
from sim.engine.model.policies import Access


@dataclass(frozen=True)
class Step:
    """One step of a request on its path."""

    @property
    def place(self) -> Place | None:
        """The place at which the step is taken."""
        return None

    @property
    def inner(self) -> tuple[Path, ...]:
        """The paths that the step contains."""
        return ()


Path = tuple[Step, ...]
"""What a request does, step after step."""


def path_of(what: str, steps: object) -> Path:
    """Return ``steps`` (one step, or an iterable of steps) as a path."""
    if isinstance(steps, Step):
        return (steps,)
    try:
        path: Path = tuple(steps)  # type: ignore[arg-type]  # what is no iterable is refused below
    except TypeError:
        raise ModelError(f"{what} is {checks.quoted(steps)}; allowed: a step or a sequence of steps") from None
    for step in path:
        if not isinstance(step, Step):
            raise ModelError(f"{what} contains {checks.quoted(step)}; allowed: steps only (Use, Delay, Hold, …)")
    return path


def iter_steps(path: Path) -> Iterable[Step]:
    """Yield every step of ``path``, including those inside other steps, outer before inner."""
    for step in path:
        yield step
        for inner in step.inner:
            yield from iter_steps(inner)


def distinct_steps(paths: Iterable[Path]) -> Iterator[Step]:
    """Yield every step object of ``paths`` once, outer before inner: paths of many clients share steps."""
    seen: set[int] = set()

    def new(path: Path) -> Iterator[Step]:
        for step in path:
            if id(step) not in seen:
                seen.add(id(step))
                yield step
                for inner in step.inner:
                    yield from new(inner)

    for path in paths:
        yield from new(path)


def places_of(path: Path) -> set[Place]:
    """All places that ``path`` visits."""
    return {step.place for step in distinct_steps([path]) if step.place is not None}


def _placed(step: str, place: object, kind: type[Place]) -> None:
    if not isinstance(place, kind):
        raise ModelError(f"{step} is given {checks.quoted(place)}; allowed: a {kind.__name__}")


@dataclass(frozen=True)
class Use(Step):
    """Queue for a server of ``station``, use it for ``time``, leave."""

    station: Station
    time: Time

    def __init__(self, station: Station, time_s: float | Time) -> None:
        _placed("Use", station, Station)
        object.__setattr__(self, "station", station)
        object.__setattr__(self, "time", time(f"the time at {station}", time_s))

    @property
    def place(self) -> Place:
        return self.station


@dataclass(frozen=True)
class Delay(Step):
    """Let ``time`` pass without queueing."""

    time: Time

    def __init__(self, time_s: float | Time) -> None:
        object.__setattr__(self, "time", time("a delay", time_s))


@dataclass(frozen=True)
class Hold(Step):
    """Acquire a lock (in a mode) or ``tokens`` of a pool, take the steps, release."""

    held: Lock | Pool
    steps: Path
    exclusive: bool
    tokens: int

    def __init__(self, held: LockMode | Pool, *steps: Step, tokens: int = 1) -> None:
        if isinstance(held, Lock):
            raise ModelError(f"Hold is given {held} without a mode; use its .shared or .exclusive")
        if not isinstance(held, LockMode | Pool):
            raise ModelError(
                f"Hold is given {checks.quoted(held)}; allowed: a Pool, or a Lock's .shared or .exclusive"
            )
        place = held.lock if isinstance(held, LockMode) else held
        max_tokens = place.tokens if isinstance(place, Pool) else 1
        if checks.whole(f"tokens to hold of {place}", tokens, 1) > max_tokens:
            raise ModelError(
                f"Hold wants {tokens} tokens of {place}, which has {max_tokens}; it would wait for ever"
            )
        object.__setattr__(self, "held", place)
        object.__setattr__(self, "steps", path_of(f"Hold of {place}", steps))
        object.__setattr__(self, "exclusive", isinstance(held, LockMode) and held.exclusive)
        object.__setattr__(self, "tokens", tokens)

    @property
    def place(self) -> Place:
        return self.held

    @property
    def inner(self) -> tuple[Path, ...]:
        return (self.steps,)


@dataclass(frozen=True)
class _Level(Step):
    """Change the level of ``buffer`` by ``amount``."""

    buffer: Buffer
    amount: int = 1

    def __post_init__(self) -> None:
        verb = type(self).__name__
        _placed(verb, self.buffer, Buffer)
        if checks.whole(f"{verb} into {self.buffer}", self.amount, 1) > self.buffer.capacity:
            raise ModelError(
                f"{verb} of {self.amount} at {self.buffer}, capacity {self.buffer.capacity}: "
                "it would wait for ever; raise the capacity or lower the amount"
            )

    @property
    def place(self) -> Place:
        return self.buffer


@dataclass(frozen=True)
class Put(_Level):
    """Add ``amount`` to ``buffer``; wait while it would overflow."""


@dataclass(frozen=True)
class Take(_Level):
    """Remove ``amount`` from ``buffer``; wait until it holds that much."""


@dataclass(frozen=True)
class Fork(Step):
    """Take all ``branches`` at once; go on when as many have ended as are ``needed``.

    All are needed unless ``needed`` is given. With ``wait=False`` the request waits for none. The other branches
    go on to their end, and nobody waits for them.

    Attributes:
        needed: 0 without waiting.
    """

    branches: tuple[Path, ...]
    wait: bool
    needed: int

    def __init__(self, *branches: Step | Iterable[Step], wait: bool = True, needed: int | None = None) -> None:
        if not branches:
            raise ModelError("Fork has no branches; give it at least one path")
        object.__setattr__(self, "branches", tuple(path_of("a branch of Fork", each) for each in branches))
        object.__setattr__(self, "wait", checks.flag("wait of Fork", wait))
        if needed is not None and not wait:
            raise ModelError(
                f"Fork needs {checks.quoted(needed)} branches and waits for none; leave one of them out"
            )
        count = len(branches) if needed is None else checks.whole("branches that Fork needs", needed, 1)
        if count > len(branches):
            raise ModelError(f"Fork needs {count} branches of {len(branches)}; it would wait for ever")
        object.__setattr__(self, "needed", count if wait else 0)

    @property
    def leaves(self) -> bool:
        """True if the request goes on before all branches have ended."""
        return self.needed < len(self.branches)

    @property
    def inner(self) -> tuple[Path, ...]:
        return self.branches


@dataclass(frozen=True)
class _AtGate(Step):
    gate: Gate

    def __post_init__(self) -> None:
        _placed(type(self).__name__, self.gate, Gate)

    @property
    def place(self) -> Place:
        return self.gate


@dataclass(frozen=True)
class Await(_AtGate):
    """Wait at ``gate`` to be gathered into a batch, and until that batch is woken."""


@dataclass(frozen=True)
class Gather(_AtGate):
    """Take all that wait at ``gate`` as a batch; if none waits, wait for the first."""


@dataclass(frozen=True)
class Wake(_AtGate):
    """Let the batch gathered at ``gate`` go."""


@dataclass(frozen=True)
class IfAny(Step):
    """Take ``some`` if clients wait at a gate, a lock is held or waited for, or a buffer holds ``least``.

    Else take ``none``. This is atomic: a request that finds a lock free and holds it next gets it at once.
    With ``least`` a level has thresholds, at which it slows those who fill it, or starts those who drain it.
    """

    at: Gate | Buffer | Lock
    some: Path
    none: Path
    least: int = 1

    def __init__(
        self,
        at: Gate | Buffer | Lock,
        some: Step | Iterable[Step] = (),
        none: Step | Iterable[Step] = (),
        *,
        least: int = 1,
    ) -> None:
        if not isinstance(at, Gate | Buffer | Lock):
            raise ModelError(f"IfAny is given {checks.quoted(at)}; allowed: a Gate, a Buffer or a Lock")
        if checks.whole(f"least of IfAny at {at}", least, 1) > (at.capacity if isinstance(at, Buffer) else 1):
            most = (
                f"1 to its capacity {at.capacity}" if isinstance(at, Buffer) else "1, as only buffers have levels"
            )
            raise ModelError(f"least of IfAny at {at} is {least}; allowed: {most}")
        object.__setattr__(self, "least", least)
        object.__setattr__(self, "at", at)
        object.__setattr__(self, "some", path_of(f"the path for some at {at}", some))
        object.__setattr__(self, "none", path_of(f"the path for none at {at}", none))

    @property
    def place(self) -> Place:
        return self.at

    @property
    def inner(self) -> tuple[Path, ...]:
        return (self.some, self.none)


@dataclass(frozen=True)
class Choose(Step):
    """Take one of several paths, each with its probability; the probabilities add up to 1."""

    options: tuple[tuple[float, Path], ...]

    def __init__(self, *options: tuple[float, Step | Iterable[Step]]) -> None:
        if not options:
            raise ModelError("Choose has no options; give it (probability, steps) pairs")
        checked = tuple(map(_option, options))
        total = sum(share for share, _ in checked)
        if abs(total - 1.0) > 1e-9:  # noqa: PLR2004  (rounding of a few dozen additions)
            raise ModelError(f"the probabilities of Choose add up to {total:g}; they must add up to 1")
        object.__setattr__(self, "options", checked)

    @property
    def inner(self) -> tuple[Path, ...]:
        return tuple(steps for _, steps in self.options)


def _option(option: object) -> tuple[float, Path]:
    if not isinstance(option, tuple | list) or len(option) != 2:  # noqa: PLR2004  (a pair)
        raise ModelError(f"Choose is given {checks.quoted(option)}; allowed: (probability, steps) pairs")
    share, steps = option
    return checks.number("a probability of Choose", share, low=0.0, high=1.0), path_of("Choose", steps)


def cumulated(step: Choose) -> tuple[float, ...]:
    """Cumulated probabilities of all options but the last; a uniform draw falls below that of the chosen one."""
    return tuple(accumulate(share for share, _ in step.options[:-1]))


@dataclass(frozen=True)
class Lookup(Step):
    """Look the next address up in ``cache``; take ``hit`` or ``miss``. A missed block is inserted at once.

    Attributes:
        access: properties for the policy of the cache: whether it is sequential, and whether it is a write.
    """

    cache: Cache
    addresses: AddressSource
    hit: Path
    miss: Path
    access: Access

    def __init__(
        self,
        cache: Cache,
        addresses: AddressSource,
        hit: Step | Iterable[Step] = (),
        miss: Step | Iterable[Step] = (),
        *,
        sequential: bool = False,
        write: bool = False,
    ) -> None:
        _placed("Lookup", cache, Cache)
        if not isinstance(addresses, AddressSource):
            raise ModelError(
                f"Lookup in {cache} is given addresses {checks.quoted(addresses)}; "
                "allowed: Uniform, Zipf, Sequential or Replayed"
            )
        object.__setattr__(self, "cache", cache)
        object.__setattr__(self, "addresses", addresses)
        object.__setattr__(self, "hit", path_of(f"the hit path of {cache}", hit))
        object.__setattr__(self, "miss", path_of(f"the miss path of {cache}", miss))
        access = Access(checks.flag("sequential of Lookup", sequential), checks.flag("write of Lookup", write))
        object.__setattr__(self, "access", access)

    @property
    def place(self) -> Place:
        return self.cache

    @property
    def inner(self) -> tuple[Path, ...]:
        return (self.hit, self.miss)


@dataclass(frozen=True)
class Repeat(Step):
    """Take the steps ``times`` times."""

    times: int
    steps: Path

    def __init__(self, times: int, *steps: Step) -> None:
        object.__setattr__(self, "times", checks.whole("times of Repeat", times, 1))
        object.__setattr__(self, "steps", path_of("Repeat", steps))

    @property
    def inner(self) -> tuple[Path, ...]:
        return (self.steps,)


@dataclass(frozen=True)
class Custom(Step):
    """A step of your own: ``process(environment)`` returns a generator of SimPy events. Reference engine only."""

    name: str
    process: Callable[[Any], Generator[Any, Any, Any]]

    def __post_init__(self) -> None:
        checks.name("a custom step", self.name)
        if not callable(self.process):
            raise ModelError(
                f"custom step '{self.name}' has process {checks.quoted(self.process)}; allowed: a function"
            )
