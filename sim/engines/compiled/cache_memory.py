"""The memory of caches: a directory, its buckets and its nodes, empty."""

from __future__ import annotations

from collections.abc import Callable

from sim.compiled import caches
from sim.compiled.assembler import Assembler, Operand, Piece, piece
from sim.places import Cache
from sim.policies import sarc, two_queues

NUMBERS = {
    "lru": caches.LRU,
    "fifo": caches.FIFO,
    "lru-bottom": caches.LRU_BOTTOM,
    "bypass": caches.BYPASS,
    "2q": caches.TWO_QUEUES,
    "arc": caches.ARC,
    "sarc": caches.SARC,
}
"""What stands for each policy."""


def directory(cache: Cache, assembler: Assembler, constant: Callable[..., int]) -> Piece:
    """The directory of ``cache``; ``constant`` puts numbers among the floats."""
    nodes, limits = _needs(cache)
    stride = caches.USED + (cache.policy == "sarc")
    buckets = caches.buckets_for(nodes)
    cells: dict[int, Operand] = {
        caches.BUCKETS: assembler.add(piece(zeros=buckets)),
        caches.MASK: buckets - 1,
        caches.FRESH: assembler.add(piece(zeros=nodes * stride)),
        caches.STRIDE: stride,
        caches.NUMBERS: constant(0.0, 0.0, sarc.LARGE_RATIO),
        caches.FIRST_LIMIT: limits[0],
        caches.SECOND_LIMIT: limits[1],
    }
    return assembler.add(piece([cells.get(column, 0) for column in range(caches.DIRECTORY_SIZE)]))


def nodes_of(cache: Cache) -> int:
    """How many nodes the directory of ``cache`` has at most."""
    return _needs(cache)[0]


def _needs(cache: Cache) -> tuple[int, tuple[int, int]]:
    """How many nodes the directory has at most, ghosts too, and its two limits."""
    if cache.policy == "2q":
        limits = two_queues.most_once(cache.capacity), two_queues.most_ghosts(cache.capacity)
        return cache.capacity + limits[1] + 1, limits
    if cache.policy == "sarc":
        return cache.capacity, (sarc.bottom(cache.capacity), 0)
    return cache.capacity * (2 if cache.policy == "arc" else 1), (0, 0)
