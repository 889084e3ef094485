"""The initial memory of caches: an empty directory with its buckets and nodes."""

from __future__ import annotations

from collections.abc import Callable

from sim.engine.events.compiled import cache_lists
from sim.engine.events.compiled.assembler import Assembler, Operand, Piece, piece
from sim.engine.model.places import Cache
from sim.engine.model.policies import sarc, two_queues

NUMBERS = {
    "lru": cache_lists.LRU,
    "fifo": cache_lists.FIFO,
    "lru-bottom": cache_lists.LRU_BOTTOM,
    "bypass": cache_lists.BYPASS,
    "2q": cache_lists.TWO_QUEUES,
    "arc": cache_lists.ARC,
    "sarc": cache_lists.SARC,
}
"""The number of each policy in the event loop."""


def directory(cache: Cache, assembler: Assembler, constant: Callable[..., int]) -> Piece:
    """The directory of ``cache``; ``constant`` stores numbers among the floats and returns their index."""
    nodes, limits = _needs(cache)
    stride = cache_lists.USED + (cache.policy == "sarc")
    buckets = cache_lists.buckets_for(nodes)
    cells: dict[int, Operand] = {
        cache_lists.BUCKETS: assembler.add_far(piece(zeros=buckets)),
        cache_lists.MASK: buckets - 1,
        cache_lists.FRESH: assembler.add_far(piece(zeros=nodes * stride)),
        cache_lists.STRIDE: stride,
        cache_lists.NUMBERS: constant(0.0, 0.0, sarc.LARGE_RATIO),
        cache_lists.FIRST_LIMIT: limits[0],
        cache_lists.SECOND_LIMIT: limits[1],
    }
    return assembler.add(piece([cells.get(column, 0) for column in range(cache_lists.DIRECTORY_SIZE)]))


def nodes_of(cache: Cache) -> int:
    """Largest number of nodes of the directory of ``cache``."""
    return _needs(cache)[0]


def _needs(cache: Cache) -> tuple[int, tuple[int, int]]:
    """Largest number of nodes of the directory, including ghosts, and its two limits."""
    if cache.policy == "2q":
        limits = two_queues.max_once(cache.capacity), two_queues.max_ghosts(cache.capacity)
        return cache.capacity + limits[1] + 1, limits
    if cache.policy == "sarc":
        return cache.capacity, (sarc.bottom(cache.capacity), 0)
    return cache.capacity * (2 if cache.policy == "arc" else 1), (0, 0)
