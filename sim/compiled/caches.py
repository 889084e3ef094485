"""Caches in the event loop: chains of nodes by hash, and one list of all nodes in the order in which they go.

KEPT of a cache is the index of its first node. Just before it stands the number of buckets, and before that
the buckets themselves.
"""

from __future__ import annotations

from sim.compiled.hot import touch
from sim.compiled.jit import compiled
from sim.compiled.layout import BUSY, CAPACITY, EXTRA, HEAD, KEPT, LEVEL, POLICY, TAIL, VISITS
from sim.compiled.queues import Memory

# A node: the address, the next in its bucket, its neighbours in the list. HEAD of a cache goes next, TAIL last.
ADDRESS, CHAIN, OLDER, NEWER = range(4)
NODE_SIZE = 4
LRU, FIFO = range(2)


def buckets_for(capacity: int) -> int:
    """How many buckets a cache of ``capacity`` blocks has: a power of two, at least one a block."""
    return 1 << max(1, (capacity - 1).bit_length())


@compiled
def _bucket(memory: Memory, cache: int, address: int) -> int:
    """Where the chain of ``address`` begins."""
    count = memory[memory[cache + KEPT] - 1]
    mixed = address ^ (address >> 17) ^ (address >> 31)
    return memory[cache + KEPT] - 1 - count + (mixed & (count - 1))


@compiled
def look_up(memory: Memory, cache: int, address: int) -> bool:
    """Whether ``address`` is in; if not, insert it, and evict by the policy when full."""
    memory[cache + VISITS] += 1
    bucket = _bucket(memory, cache, address)
    node = memory[bucket]
    while node and memory[node + ADDRESS] != address:
        node = memory[node + CHAIN]
    if node:
        memory[cache + EXTRA] += 1
        if memory[cache + POLICY] == LRU:
            _unlink(memory, cache, node)
            _append(memory, cache, node)
        return True
    if memory[cache + LEVEL] == memory[cache + CAPACITY]:
        node = memory[cache + HEAD]
        _unlink(memory, cache, node)
        _unchain(memory, _bucket(memory, cache, memory[node + ADDRESS]), node)
    else:
        node = memory[cache + KEPT] + memory[cache + LEVEL] * NODE_SIZE
        memory[cache + LEVEL] += 1
        touch(memory, cache)
        memory[cache + BUSY] += 1
    memory[node + ADDRESS] = address
    memory[node + CHAIN] = memory[bucket]
    memory[bucket] = node
    _append(memory, cache, node)
    return False


@compiled
def _unchain(memory: Memory, bucket: int, node: int) -> None:
    at = bucket
    while memory[at] != node:
        at = memory[at] + CHAIN
    memory[at] = memory[node + CHAIN]


@compiled
def _unlink(memory: Memory, cache: int, node: int) -> None:
    older, newer = memory[node + OLDER], memory[node + NEWER]
    if older:
        memory[older + NEWER] = newer
    else:
        memory[cache + HEAD] = newer
    if newer:
        memory[newer + OLDER] = older
    else:
        memory[cache + TAIL] = older


@compiled
def _append(memory: Memory, cache: int, node: int) -> None:
    newest = memory[cache + TAIL]
    memory[node + OLDER], memory[node + NEWER] = newest, 0
    if newest:
        memory[newest + NEWER] = node
    else:
        memory[cache + HEAD] = node
    memory[cache + TAIL] = node
