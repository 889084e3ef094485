"""Paths that many layers need: pieces of an I/O, one of several, two copies, shared work, a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from models.io import IO
from sim import (
    Await,
    Buffer,
    Choose,
    Fork,
    Gamma,
    Gate,
    Gather,
    Hold,
    IfAny,
    Lock,
    Path,
    Put,
    Repeat,
    Step,
    Take,
    Wake,
)


def pieces(io: IO, max_bytes: int, path: Callable[[IO], Path]) -> Path:
    """Cut ``io`` into pieces of at most ``max_bytes`` and take ``path`` of each in turn."""
    return tuple(Repeat(times, *path(piece)) for times, piece in io.split(max_bytes))


def maybe(probability: float, *steps: Step) -> Step:
    """``steps`` with this probability, else nothing."""
    return Choose((probability, steps), (1.0 - probability, ()))


def any_of(paths: Sequence[Path]) -> Path:
    """One of ``paths``, with equal probability."""
    share = 1.0 / len(paths)
    return (Choose(*((share, path) for path in paths)),)


def mirrored(paths: Sequence[Path], lost: int = 0, copies: int = 2) -> Path:
    """A write of two ``copies``, or another number, on as many neighbouring ``paths`` at once.

    With ``lost`` targets besides ``paths``, writes of which one of two copies belonged there are written once.
    Mirror copies of a target's data are spread evenly over all others, so that these remain equally busy.
    """
    around = [*paths, *paths[: copies - 1]]
    both = any_of([(Fork(*around[first : first + copies]),) for first in range(len(paths))])
    if not lost:
        return both
    once = 2.0 * lost / (len(paths) + lost)
    return (Choose((once, any_of(paths)), (1.0 - once, both)),)


def in_turn(name: str, work: Path) -> Path:
    """``work``, one at a time: requests that come meanwhile wait, and share the next one.

    Its places are named after ``name``; requests with equal names share them.
    """
    busy, called = Lock(f"{name} busy"), Buffer(f"{name} called", 1, role="internal")
    waiting = Gate(f"{name} done", role="internal")
    one = (Take(called), IfAny(waiting, (Gather(waiting), *work, Wake(waiting))))
    call = (Put(called), Fork(Hold(busy.exclusive, *one), wait=False))
    return (IfAny(called, (), call), Await(waiting))


def varied(time_s: float, variation: float, source: str) -> float | Gamma:
    """A time with this coefficient of ``variation``, from ``source``; constant if it is 0."""
    return Gamma(time_s, variation, source=source) if time_s and variation else time_s
