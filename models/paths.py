"""Two forms of paths that many layers need: an I/O cut into pieces, and steps that are taken now and then."""

from __future__ import annotations

from collections.abc import Callable

from models.io import IO
from sim import Choose, Path, Repeat, Step


def pieces(io: IO, max_bytes: int, path: Callable[[IO], Path]) -> Path:
    """Cut ``io`` into pieces of at most ``max_bytes`` and take ``path`` of each, one after the other."""
    return tuple(Repeat(times, *path(piece)) for times, piece in io.split(max_bytes))


def maybe(probability: float, *steps: Step) -> Step:
    """``steps`` with this probability, otherwise nothing."""
    return Choose((probability, steps), (1.0 - probability, ()))
