"""Caches in the event loop: nodes found by hash, in up to four lists, of which the first two are resident.

DIRECTORY of a cache is the address of its directory. A node of the directory is a resident block, or a ghost:
an evicted block whose number is kept.
"""

from __future__ import annotations

from sim.engine.events.compiled.jit import compiled, prefetch
from sim.engine.events.compiled.layout import Memory

# A node: its block; the next in its bucket, with the number of its list in the low bits; its neighbours in the
# list; and, for SARC, the time of its last use.
BLOCK, CHAIN, OLDER, NEWER, USED = range(5)
LIST_BITS = 2
LIST_MASK = (1 << LIST_BITS) - 1

# A directory: address of the buckets, their number less 1; the next node never used, the first freed one;
# cells per node; index of its numbers among the floats; limits, counters; and the lists: oldest, newest, length.
BUCKETS, MASK, FRESH, SPARE, STRIDE, NUMBERS, FIRST_LIMIT, SECOND_LIMIT, MISSED, CLOCK, LISTS = range(11)
OLDEST, NEWEST, COUNT, LIST_SIZE = range(4)
DIRECTORY_SIZE = LISTS + LIST_SIZE * (LIST_MASK + 1)

FAR = 1 << 16
"""Number of buckets from which a directory is larger than the processor's caches."""

STAGE = 4
"""Look-ups between two stages of ``fetch_ahead``: a few take as long as memory does to answer."""

LRU, FIFO, LRU_BOTTOM, BYPASS, TWO_QUEUES, ARC, SARC = range(7)
SEQUENTIAL, WRITE = 1, 2
"""Properties of an access, as bits."""


def buckets_for(nodes: int) -> int:
    """Number of buckets of a directory with ``nodes`` nodes: a power of two, at least one per node."""
    return 1 << max(1, (nodes - 1).bit_length())


@compiled
def bucket_of(memory: Memory, directory: int, block: int) -> int:
    """The bucket of ``block``, in which its chain of nodes begins."""
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
    """Prefetch memory for later look-ups of a stream: the bucket, then the node in it, then its neighbours."""
    if position + 3 * STAGE >= end:
        return
    prefetch(memory, bucket_of(memory, directory, memory[position + 3 * STAGE]))
    prefetch(memory, memory[bucket_of(memory, directory, memory[position + 2 * STAGE])])
    node = memory[bucket_of(memory, directory, memory[position + STAGE])]
    prefetch(memory, memory[node + OLDER])
    prefetch(memory, memory[node + NEWER])


@compiled
def number_of(memory: Memory, node: int) -> int:
    """The number of the list that ``node`` is in."""
    return memory[node + CHAIN] & LIST_MASK


@compiled
def add(memory: Memory, directory: int, number: int, block: int) -> int:
    """Create a node for ``block`` as the newest of list ``number``, and return it."""
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
    """Free the oldest node of list ``number``."""
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
    """The address of list ``number``."""
    return directory + LISTS + number * LIST_SIZE


@compiled
def count_of(memory: Memory, directory: int, number: int) -> int:
    """The length of list ``number``."""
    return memory[list_of(directory, number) + COUNT]


@compiled
def unlink(memory: Memory, directory: int, node: int) -> None:
    """Take ``node`` out of its list."""
    at = list_of(directory, number_of(memory, node))
    older, newer = memory[node + OLDER], memory[node + NEWER]
    memory[at + COUNT] -= 1
    if older:
        memory[older + NEWER] = newer
    else:
        memory[at + OLDEST] = newer
        if memory[directory + MASK] >= FAR:  # the next to be evicted
            prefetch(memory, memory[newer + NEWER])
            prefetch(memory, bucket_of(memory, directory, memory[newer + BLOCK]))
    if newer:
        memory[newer + OLDER] = older
    else:
        memory[at + NEWEST] = older


@compiled
def append(memory: Memory, directory: int, number: int, node: int) -> None:
    """Make ``node``, which is in no list, the newest of list ``number``."""
    at = list_of(directory, number)
    newest = memory[at + NEWEST]
    memory[node + CHAIN] = (memory[node + CHAIN] & ~LIST_MASK) | number
    memory[node + OLDER], memory[node + NEWER] = newest, 0
    memory[at + COUNT] += 1
    if newest:
        memory[newest + NEWER] = node
    else:
        memory[at + OLDEST] = node
    memory[at + NEWEST] = node


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
def resident(memory: Memory, directory: int) -> int:
    """The number of resident blocks."""
    return count_of(memory, directory, 0) + count_of(memory, directory, 1)
