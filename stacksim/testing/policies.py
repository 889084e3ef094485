"""The check of a cache policy: a sample of blocks, and what is kept after each."""

from __future__ import annotations

import random
from collections.abc import Iterable
from copy import deepcopy
from functools import partial
from typing import Any

from sim.engine.model.policies import Access, Policy, checked_policy
from sim.system.blame import blaming

_BLOCKS = 200
"""Blocks that a policy is tried on, numbered from 0."""

_PROBED, _OFTEN = 50, 20
"""One access of so many is looked at closely; a new block is used so often before it should be kept."""


def check_policy(policy: type[Policy], *, seed: int = 1) -> None:
    """Check a cache policy: it keeps to its capacity, hits no more than can be, and decides by its history alone.

    What it holds changes by insertions and evictions only, and is as much as it says.

    Raises:
        AssertionError: says what does not hold.
        InputError: no class with all functions of ``Policy``, or an error of one of them, with its line.
    """
    name = checked_policy(policy).__name__
    draw = random.Random(seed)  # noqa: S311  (a sample that a printed seed makes again)
    blocks = [int(draw.paretovariate(1.0)) % _BLOCKS for _ in range(5000)]
    for capacity in (1, 8, 64):
        one, other = (blaming(f"{name}({capacity})", partial(policy, capacity)) for _ in range(2))
        assert hasattr(one, "capacity"), f"{name} has no capacity; call super().__init__(capacity)"
        hits = 0
        for number, block in enumerate(blocks):
            before = _kept(one, blocks) if number % _PROBED == 0 else None
            hit = _looked_up(one, block)
            assert hit == _looked_up(other, block), "two with the same history decide otherwise"
            assert len(one) <= capacity, f"holds {len(one)} blocks; allowed: {capacity}"
            hits += hit
            if before is not None:
                _check_kept(one, before, block, blocks, hit=hit)
        most = _most_hits(blocks, capacity)
        assert hits <= most, f"{hits} hits with {capacity} blocks, of which {most} are possible"
        _check_evictions(one, capacity)


def _check_kept(policy: Policy, before: set[int], block: int, blocks: list[int], *, hit: bool) -> None:
    """Check what is kept after a use of ``block``, with what was kept before."""
    kept = _kept(policy, blocks)
    assert len(kept) == len(policy), f"says that it holds {len(policy)} blocks, and finds {len(kept)}"
    assert hit == (block in before), f"block {block} was {'not ' * hit}kept, and is {'a hit' if hit else 'a miss'}"
    if hit:
        assert kept == before, f"after a hit of block {block} it holds others than before"
    odd = kept - before - {block}
    assert not odd, f"holds block {min(odd, default=0)}, which nobody inserted"


def _check_evictions(policy: Policy, capacity: int) -> None:
    """Check that new blocks that are used again and again get in, and that ``evict`` makes room."""
    new = range(_BLOCKS, _BLOCKS + 2 * capacity)
    for block in new:
        for _ in range(_OFTEN):
            _looked_up(policy, block)
    assert _kept(policy, new), (
        f"keeps none of {len(new)} new blocks, each used {_OFTEN} times, and holds {len(policy)} of {capacity}; "
        "insert takes its block in, after it evicted others until there is room"
    )
    for left in range(len(policy) - 1, -1, -1):
        _asked(policy, "evict")
        assert len(policy) == left, f"holds {len(policy)} blocks after evicting one of {left + 1}"


def _asked(policy: Policy, function: str, *given: object) -> Any:
    """Result of a function of ``policy``."""
    return blaming(f"{function}() of {type(policy).__name__}", lambda: getattr(policy, function)(*given))


def _kept(policy: Policy, blocks: Iterable[int]) -> set[int]:
    """Those of ``blocks`` that are kept, asked of a copy, which the uses change."""
    copied = deepcopy(policy)
    return {block for block in {*blocks} if _asked(copied, "find", block, Access())}


def _most_hits(blocks: list[int], capacity: int) -> int:
    """Hits of the best policy there can be, which keeps the blocks that are used soonest.

    Source: L. A. Belady, IBM Systems Journal 5 (1966), 78-101; a block that is used last of all is not taken in.
    """
    ahead: dict[int, int] = {}
    following = [0] * len(blocks)
    for number in range(len(blocks) - 1, -1, -1):
        following[number] = ahead.get(blocks[number], len(blocks) + number)
        ahead[blocks[number]] = number
    kept: dict[int, int] = {}
    hits = 0
    for number, block in enumerate(blocks):
        hits += block in kept
        kept[block] = following[number]
        if len(kept) > capacity:
            del kept[max(kept, key=kept.__getitem__)]
    return hits


def _looked_up(policy: Policy, block: int) -> bool:
    hit: bool = _asked(policy, "find", block, Access())
    assert hit in (True, False), f"find() of block {block} returns {hit!r}; allowed: True, False"
    if not hit:
        _asked(policy, "insert", block, Access())
    return hit
