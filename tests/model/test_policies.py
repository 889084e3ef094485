"""Policies of caches, hit for hit: against libCacheSim, against versions written apart, and both engines.

What libCacheSim does is noted here: it has no package for every platform, and brings the client of a cloud along.
To have the notes printed afresh: pip install libcachesim==0.3.5, and run this file as a script.
"""

from __future__ import annotations

import hashlib
import sys
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples, sizes
from sim import Cache, Closed, Delay, Lookup, Model, Repeat, Replayed, Uniform, Zipf
from sim.engine.events.compiled import CompiledEngine
from sim.engine.events.compiled.cache_lists import FAR
from sim.engine.events.reference import ReferenceEngine
from sim.engine.model.policies import POLICIES, Access

ACCESSES = [Access(sequential, write) for sequential in (False, True) for write in (False, True)]
CAPACITIES = (4, 16, 100, 1000)


def trace(capacity, length=100_000):
    """Some blocks far more popular than others, and now and then a step of a loop that does not fit."""
    generator = np.random.Generator(np.random.PCG64(capacity))
    popular = generator.zipf(1.5, size=length) % (20 * capacity)
    loop = np.arange(length) % (3 * capacity)
    return np.where(generator.random(length) < 0.8, popular, loop).tolist()


def hits_of(policy, capacity, blocks, accesses=None):
    kept = POLICIES[policy](capacity)
    found = []
    for block, access in zip(blocks, accesses or [Access()] * len(blocks), strict=True):
        found.append(kept.find(block, access))
        if not found[-1]:
            kept.insert(block, access)
        assert len(kept) <= capacity
    return found


def digest(hits):
    return hashlib.sha256(bytes(hits)).hexdigest()[:16]


LIBCACHESIM = {
    "lru": "LRU",
    "fifo": "FIFO",
    "2q": "TwoQ",
    "arc": "ARC",
}
"""Ours and theirs (libCacheSim 0.3.5, https://github.com/1a1a11a/libCacheSim)."""

GOLDEN = {
    ("lru", 4): (39602, "d92c434fb686030c"),
    ("lru", 16): (59561, "4c7bb989670e2f49"),
    ("lru", 100): (73005, "d0e0466136dd9dc8"),
    ("lru", 1000): (81209, "ed01580ec0f508e6"),
    ("fifo", 4): (35372, "f1e84cac7edd9527"),
    ("fifo", 16): (53431, "54181b1b08e7845b"),
    ("fifo", 100): (71201, "78ecde16b3303d86"),
    ("fifo", 1000): (78928, "b32dfc2d37dd5eb5"),
    ("2q", 4): (45189, "847246715ec18726"),
    ("2q", 16): (64956, "7d9b9321c8727cf4"),
    ("2q", 100): (76139, "94e03ab062abbb6c"),
    ("2q", 1000): (81120, "38bda14fe19f6350"),
    ("arc", 4): (46392, "6caa6542c9df737d"),
    ("arc", 16): (64892, "3126a42a23b0e961"),
    ("arc", 100): (76746, "ba00001add4fec03"),
    ("arc", 1000): (81286, "d2ed2fd9810e6d90"),
}
"""Hits of libCacheSim 0.3.5 on ``trace``, and the digest of which accesses hit."""


@pytest.mark.parametrize(("policy", "capacity"), GOLDEN)
def test_hits_equal_those_of_libcachesim(policy, capacity):
    hits = hits_of(policy, capacity, trace(capacity))
    assert (sum(hits), digest(hits)) == GOLDEN[policy, capacity]


class Queue:
    """A plain list, the next to go first; a use makes a block the last to go, or (``moves`` off) nothing."""

    def __init__(self, capacity, *, moves=True):
        self.capacity, self.moves, self.kept = capacity, moves, []

    def look_up(self, block, _access):
        hit = block in self.kept
        if not hit or self.moves:
            self.kept = [*[each for each in self.kept if each != block], block][-self.capacity :]
        return hit


class Bottom:
    """LRU as a plain list, the next to go first; a sequential write is put there, or (``keeps`` off) nowhere."""

    def __init__(self, capacity, *, keeps=True):
        self.capacity, self.keeps, self.kept = capacity, keeps, []

    def look_up(self, block, access):
        hit, passing = block in self.kept, access == Access(sequential=True, write=True)
        if passing:
            if self.keeps and not hit:
                self.kept = [block, *self.kept[len(self.kept) == self.capacity :]]
            return hit
        self.kept = [*[each for each in self.kept if each != block], block][-self.capacity :]
        return hit


class PlainTwoQueues:
    """The paper's A1in, A1out and Am as plain lists, tails first; what returns leaves A1out first."""

    def __init__(self, capacity):
        self.capacity = capacity
        self.kin, self.kout = max(1, capacity // 4), max(1, capacity // 2)
        self.a1in, self.a1out, self.am = [], [], []

    def look_up(self, block, _access):
        if block in self.am:
            self.am.remove(block)
            self.am.append(block)
            return True
        if block in self.a1in:
            return True
        known = block in self.a1out
        if known:
            self.a1out.remove(block)
        if len(self.a1in) + len(self.am) == self.capacity:
            self.reclaim()
        (self.am if known else self.a1in).append(block)
        return False

    def reclaim(self):
        if len(self.a1in) > self.kin or not self.am:
            self.a1out = [*self.a1out, self.a1in.pop(0)][-self.kout :]
        else:
            del self.am[0]


class PlainARC:
    """Figure 4 of the paper, case by case, with T1, T2, B1 and B2 as plain lists, least recently used first."""

    def __init__(self, capacity):
        self.c, self.p = capacity, 0.0
        self.t1, self.t2, self.b1, self.b2 = [], [], [], []

    def look_up(self, x, _access):
        hit = x in self.t1 or x in self.t2
        to = self.t2
        if x in self.b1:
            self.p = min(float(self.c), self.p + max(len(self.b2) / len(self.b1), 1.0))
            self.replace(x)
        elif x in self.b2:
            self.p = max(0.0, self.p - max(len(self.b1) / len(self.b2), 1.0))
            self.replace(x)
        elif not hit:
            self.case_iv(x)
            to = self.t1
        for each in (self.t1, self.t2, self.b1, self.b2):
            if x in each:
                each.remove(x)
        to.append(x)
        return hit

    def case_iv(self, x):
        l1, l2 = len(self.t1) + len(self.b1), len(self.t2) + len(self.b2)
        if l1 == self.c:
            if len(self.t1) == self.c:
                del self.t1[0]
            else:
                del self.b1[0]
                self.replace(x)
        elif l1 + l2 >= self.c:
            if l1 + l2 == 2 * self.c:
                del self.b2[0]
            self.replace(x)

    def replace(self, x):
        long = len(self.t1)
        if long and ((x in self.b2 and long == self.p) or long > self.p):
            self.b1.append(self.t1.pop(0))
        else:
            self.b2.append(self.t2.pop(0))


class PlainSARC:
    """Figure by figure from the paper, with both lists as plain lists of (block, time), oldest first."""

    def __init__(self, capacity):
        self.capacity, self.bottom = capacity, max(1, capacity // 20)
        self.lists = {"random": [], "seq": []}
        self.desired = self.adapt = 0.0
        self.misses = self.now = 0

    def look_up(self, block, access):
        self.now += 1
        for name, kept in self.lists.items():
            found = [when for each, when in kept if each == block]
            if found:
                self.adapt_to(name, kept, found[0])
                self.lists[name] = [each for each in kept if each[0] != block] + [(block, self.now)]
                return True
        if access.sequential and not access.write:
            self.misses += 1
        if sum(map(len, self.lists.values())) >= self.capacity:
            self.replace()
        self.lists["seq" if access.sequential else "random"].append((block, self.now))
        return False

    def adapt_to(self, name, kept, when):
        first, last = kept[0][1], kept[-1][1]
        if (when - first) * len(kept) > self.bottom * (last - first):
            return
        sequential = len(self.lists["seq"])
        ratio = 2.0 * self.misses * self.bottom / sequential if sequential else 0.0
        if name == "random":
            self.misses = 0
            self.adapt = min(max(ratio - 1.0, -1.0), 1.0)
        elif ratio > 20:
            self.adapt = 1.0

    def replace(self):
        random, sequential = self.lists["random"], self.lists["seq"]
        short = min(len(random), len(sequential)) < self.bottom
        if short:
            gives = min((kept for kept in (random, sequential) if kept), key=lambda kept: kept[0][1])
        else:
            gives = sequential if len(sequential) > self.desired else random
        del gives[0]
        self.desired = self.desired + self.adapt / 2.0 if self.desired > 0 else float(len(sequential))


APART = {
    "lru": Queue,
    "fifo": lambda capacity: Queue(capacity, moves=False),
    "2q": PlainTwoQueues,
    "arc": PlainARC,
    "lru-bottom": Bottom,
    "bypass": lambda capacity: Bottom(capacity, keeps=False),
    "sarc": PlainSARC,
}


def mixed(capacity, length):
    """A trace with runs in it, of reads and of writes."""
    generator = np.random.Generator(np.random.PCG64(capacity))
    blocks, accesses = trace(capacity, length), [Access()] * length
    start = 0
    while start < length:
        run = int(generator.integers(1, 2 * capacity))
        access = ACCESSES[int(generator.integers(4))]
        stretch = range(start, min(start + run, length))
        if access.sequential:
            first = int(generator.integers(20 * capacity))
            blocks[stretch.start : stretch.stop] = [first + at for at in range(len(stretch))]
        accesses[stretch.start : stretch.stop] = [access] * len(stretch)
        start += run
    return blocks, accesses


@pytest.mark.parametrize("policy", APART)
@pytest.mark.parametrize("capacity", [1, 3, 40, 400])
@sizes("length", 7_000, 20_000)
def test_hits_equal_those_of_independent_implementations(policy, capacity, length):
    blocks, accesses = mixed(capacity, length)
    apart = APART[policy](capacity)
    expected = [apart.look_up(block, access) for block, access in zip(blocks, accesses, strict=True)]
    assert hits_of(policy, capacity, blocks, accesses) == expected
    assert 0 < sum(expected) < len(expected)


@pytest.mark.parametrize("policy", APART)
@given(
    capacity=st.integers(1, 6),
    uses=st.lists(st.tuples(st.integers(0, 9), st.sampled_from(ACCESSES)), min_size=1, max_size=80),
)
@settings(max_examples=examples(60), derandomize=True)
def test_hits_on_short_traces_equal_those_of_independent_implementations(policy, capacity, uses):
    blocks, accesses = ([use[part] for use in uses] for part in (0, 1))
    apart = APART[policy](capacity)
    expected = [apart.look_up(block, access) for block, access in uses]
    assert hits_of(policy, capacity, blocks, accesses) == expected


def walks(policy, capacity):
    """Stretches of all four kinds of access, over blocks that are in part the same."""
    blocks, _ = mixed(capacity, 8_000)
    cache = Cache("cache", capacity, policy)
    look_ups = [
        Repeat(
            1 + number,
            Lookup(
                cache,
                Replayed(blocks[number * 2_000 :][:2_000]),
                hit=Delay(1e-9),
                sequential=access.sequential,
                write=access.write,
            ),
        )
        for number, access in enumerate(ACCESSES)
    ]
    return Model([Closed("reader", clients=1, path=[*look_ups, Delay(1e-9)])])


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("capacity", [1, 2, 7, 50, 400])
@sizes("look_ups", 8_000, 30_000)
def test_hits_are_equal_in_both_engines(policy, capacity, look_ups):
    model = walks(policy, capacity)
    engines = [made(model, 1, record=True) for made in (ReferenceEngine, CompiledEngine)]
    for engine in engines:
        engine.advance(look_ups)
    first, second = (engine.snapshot().places.tolist() for engine in engines)
    assert first == second
    assert engines[0].completions == engines[1].completions
    assert 0 < first[0][3] < first[0][0]


@pytest.mark.parametrize("policy", POLICIES)
def test_hits_of_a_cache_larger_than_the_processor_cache_are_equal_in_both_engines(policy):
    """Its memory is fetched ahead: the processor sees the addresses of later look-ups, the policy must not."""
    cache = Cache("cache", FAR, policy)
    look_ups = Repeat(70_000, Lookup(cache, Uniform(FAR * 5 // 4)))
    model = Model([Closed("reader", clients=1, path=[look_ups, Delay(1e-9)])])
    engines = [made(model, 1) for made in (ReferenceEngine, CompiledEngine)]
    for engine in engines:
        engine.advance(2)
    first, second = (engine.snapshot().places.tolist() for engine in engines)
    assert first == second
    visits, _, _, hits = first[0]
    assert visits > 2 * FAR
    assert 0.3 < hits / visits < 0.8


@cache
def hits_beside_writes(policy):
    """The share of hits of popular blocks, while a stream is written that nobody reads again."""
    cache = POLICIES[policy](1000)
    generator = np.random.Generator(np.random.PCG64(1))
    popular = generator.zipf(1.3, size=15_000) % 4000
    hits = 0
    for number, block in enumerate(popular.tolist()):
        for access, at in [
            (Access(), block),
            *[(Access(sequential=True, write=True), 10_000 + 4 * number + k) for k in range(4)],
        ]:
            hit = cache.find(at, access)
            hits += hit and not access.write
            if not hit:
                cache.insert(at, access)
    return hits / len(popular)


@pytest.mark.parametrize("policy", ["lru-bottom", "bypass", "2q", "arc", "sarc"])
def test_a_run_of_writes_leaves_popular_blocks_in(policy):
    """Hits that lru loses to a stream that nobody reads again."""
    assert hits_beside_writes(policy) > hits_beside_writes("lru") + 0.02


def test_look_ups_count_hits_of_a_zipf_load():
    cache = Cache("cache", 100, "arc")
    run = CompiledEngine(Model([Closed("a", clients=1, path=[Lookup(cache, Zipf(1000, 1.0)), Delay(1e-9)])]), 1)
    run.advance(100_000)
    visits, _, _, hits = run.snapshot().places[0].tolist()
    assert visits == 100_000
    assert 0.5 < hits / visits < 0.8


def their_hits(policy, capacity, blocks):
    import libcachesim

    theirs = getattr(libcachesim, LIBCACHESIM[policy])(cache_size=capacity)
    found = []
    for block in blocks:
        request = libcachesim.Request()
        request.obj_id, request.obj_size = block, 1
        found.append(bool(theirs.get(request)))
    return found


if __name__ == "__main__":
    for policy, capacity in GOLDEN:
        hits = their_hits(policy, capacity, trace(capacity))
        sys.stdout.write(f"    {(policy, capacity)}: {(sum(hits), digest(hits))},\n")
