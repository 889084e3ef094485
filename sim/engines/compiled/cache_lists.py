"""Caches in the event loop: blocks found by hash, in up to four lists, of which the first two are kept.

DIRECTORY of a cache is where its directory lies. A node of the directory is a block that is kept or remembered.
"""

from __future__ import annotations

from sim.engines.compiled.event_queue import Memory
from sim.engines.compiled.jit import compiled, prefetch

# A node: its block; the next in its bucket, with its list in the low bits; its neighbours there; (SARC) when used.
BLOCK, CHAIN, OLDER, NEWER, USED = range(5)
LIST_BITS = 2
LIST_MASK = (1 << LIST_BITS) - 1

# A directory: where the buckets lie, their number less 1, the next node never used and the first one given back,
# cells a node, where numbers lie among the floats, limits, counters, and the lists: oldest, newest, how many.
BUCKETS, MASK, FRESH, SPARE, STRIDE, NUMBERS, FIRST_LIMIT, SECOND_LIMIT, MISSED, CLOCK, LISTS = range(11)
OLDEST, NEWEST, COUNT, LIST_SIZE = range(4)
DIRECTORY_SIZE = LISTS + LIST_SIZE * (LIST_MASK + 1)

FAR = 1 << 16
"""A directory of so many buckets is larger than the processor's caches."""

STAGE = 4
"""Look-ups between two stages of ``fetch_ahead``: a few fill the time that memory takes."""

LRU, FIFO, LRU_BOTTOM, BYPASS, TWO_QUEUES, ARC, SARC = range(7)
SEQUENTIAL, WRITE = 1, 2
"""What the access is, added up."""


def buckets_for(nodes: int) -> int:
    """How many buckets a directory of so many nodes has: a power of two, at least one a node."""
    return 1 << max(1, (nodes - 1).bit_length())


@compiled
def bucket_of(memory: Memory, directory: int, block: int) -> int:
    """Where the chain of ``block`` begins."""
    mixed = block ^ (block >> 17) ^ (block >> 31)
    return memory[directory + BUCKETS] + (mixed & memory[directory + MASK])


@compiled
def node_of(memory: Memory, directory: int, block: int) -> int:
    """The node of ``block``, or 0."""
    node = memory[bucket_of(memory, directory, block)]
    while node and memory[node + BLOCK] != block:
        node = memory[node + CHAIN] >> LIST_BITS
    return node


@compiled
def fetch_ahead(memory: Memory, directory: int, position: int, end: int) -> None:
    """Let what later look-ups of a stream need come near: the bucket, then the node in it, then the neighbours."""
    if position + 3 * STAGE >= end:
        return
    prefetch(memory, bucket_of(memory, directory, memory[position + 3 * STAGE]))
    prefetch(memory, memory[bucket_of(memory, directory, memory[position + 2 * STAGE])])
    node = memory[bucket_of(memory, directory, memory[position + STAGE])]
    prefetch(memory, memory[node + OLDER])
    prefetch(memory, memory[node + NEWER])


@compiled
def number_of(memory: Memory, node: int) -> int:
    """In which list ``node`` is."""
    return memory[node + CHAIN] & LIST_MASK


@compiled
def add(memory: Memory, directory: int, number: int, block: int) -> int:
    """A new node for ``block``, as the newest of list ``number``."""
    node = memory[directory + SPARE]
    if node:
        memory[directory + SPARE] = memory[node + CHAIN] >> LIST_BITS
    else:
        node = memory[directory + FRESH]
        memory[directory + FRESH] = node + memory[directory + STRIDE]
    bucket = bucket_of(memory, directory, block)
    memory[node + BLOCK] = block
    memory[node + CHAIN] = memory[bucket] << LIST_BITS
    memory[bucket] = node
    append(memory, directory, number, node)
    return node


@compiled
def forget(memory: Memory, directory: int, number: int) -> None:
    """Give the oldest node of list ``number`` back."""
    node = memory[list_of(directory, number) + OLDEST]
    unlink(memory, directory, node)
    following = memory[node + CHAIN] >> LIST_BITS
    bucket = bucket_of(memory, directory, memory[node + BLOCK])
    before = memory[bucket]
    if before == node:
        memory[bucket] = following
    else:
        while memory[before + CHAIN] >> LIST_BITS != node:
            before = memory[before + CHAIN] >> LIST_BITS
        memory[before + CHAIN] = following << LIST_BITS | number_of(memory, before)
    memory[node + CHAIN] = memory[directory + SPARE] << LIST_BITS
    memory[directory + SPARE] = node


@compiled
def list_of(directory: int, number: int) -> int:
    """Where list ``number`` lies."""
    return directory + LISTS + number * LIST_SIZE


@compiled
def count_of(memory: Memory, directory: int, number: int) -> int:
    """How many nodes list ``number`` has."""
    return memory[list_of(directory, number) + COUNT]


@compiled
def unlink(memory: Memory, directory: int, node: int) -> None:
    """Take ``node`` out of its list."""
    found = list_of(directory, number_of(memory, node))
    older, newer = memory[node + OLDER], memory[node + NEWER]
    memory[found + COUNT] -= 1
    if older:
        memory[older + NEWER] = newer
    else:
        memory[found + OLDEST] = newer
        if memory[directory + MASK] >= FAR:  # they go next
            prefetch(memory, memory[newer + NEWER])
            prefetch(memory, bucket_of(memory, directory, memory[newer + BLOCK]))
    if newer:
        memory[newer + OLDER] = older
    else:
        memory[found + NEWEST] = older


@compiled
def append(memory: Memory, directory: int, number: int, node: int) -> None:
    """Make ``node``, which is in no list, the newest of list ``number``."""
    found = list_of(directory, number)
    newest = memory[found + NEWEST]
    memory[node + CHAIN] = (memory[node + CHAIN] & ~LIST_MASK) | number
    memory[node + OLDER], memory[node + NEWER] = newest, 0
    memory[found + COUNT] += 1
    if newest:
        memory[newest + NEWER] = node
    else:
        memory[found + OLDEST] = node
    memory[found + NEWEST] = node


@compiled
def move(memory: Memory, directory: int, number: int, node: int) -> None:
    """Make ``node`` the newest of list ``number``."""
    unlink(memory, directory, node)
    append(memory, directory, number, node)


@compiled
def age(memory: Memory, directory: int, older: int, younger: int) -> None:
    """Move the oldest of list ``older`` to list ``younger`` as its newest."""
    move(memory, directory, younger, memory[list_of(directory, older) + OLDEST])


@compiled
def kept(memory: Memory, directory: int) -> int:
    """How many blocks are kept."""
    return count_of(memory, directory, 0) + count_of(memory, directory, 1)
