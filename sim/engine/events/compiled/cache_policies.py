"""The policies of caches over flat memory. Their definitions and sources are in ``sim.engine.model.policies``."""

from __future__ import annotations

from sim.engine.events.compiled.cache_lists import (
    ARC,
    BYPASS,
    CLOCK,
    FAR,
    FIFO,
    FIRST_LIMIT,
    LRU,
    LRU_BOTTOM,
    MASK,
    MISSED,
    NEWER,
    NEWEST,
    NUMBERS,
    OLDER,
    OLDEST,
    SARC,
    SECOND_LIMIT,
    SEQUENTIAL,
    TWO_QUEUES,
    USED,
    WRITE,
    add,
    age,
    append,
    count_of,
    fetch_ahead,
    forget,
    list_of,
    move,
    node_of,
    number_of,
    resident,
    unlink,
)
from sim.engine.events.compiled.common_ops import accumulate_area
from sim.engine.events.compiled.jit import compiled, noinline
from sim.engine.events.compiled.layout import (
    BUSY,
    CAPACITY,
    DIRECTORY,
    END,
    EXTRA,
    LEVEL,
    POLICY,
    POSITION,
    VISITS,
    Floats,
    Memory,
)

# Lists; a policy with one list has the first. ONCE and AGAIN are 2Q's A1in and Am, or ARC's T1 and T2; ghosts are
# 2Q's A1out, or ARC's B1 and B2.
ONCE, AGAIN, GHOSTS, GHOSTS_AGAIN = range(4)
RANDOM, RUNS = range(2)  # SARC's

# Numbers among the floats: ARC's p or SARC's desired length; SARC's adapt and largeRatio
AIM, DRIFT, LARGE_RATIO = range(3)


@noinline
def look_up(memory: Memory, floats: Floats, cache: int, stream: int, access: int) -> bool:
    """Return True if the next block of ``stream`` is resident; else insert it, and evict by the policy if full."""
    memory[cache + VISITS] += 1
    directory = memory[cache + DIRECTORY]
    if memory[directory + MASK] >= FAR:
        fetch_ahead(memory, directory, memory[stream + POSITION], memory[stream + END])
    block = memory[memory[stream + POSITION]]
    memory[stream + POSITION] += 1
    node = node_of(memory, directory, block)
    policy = memory[cache + POLICY]
    if node and number_of(memory, node) <= AGAIN:
        memory[cache + EXTRA] += 1
        _use(memory, floats, directory, node, policy, access)
        return True
    if policy == ARC:
        _insert_arc(memory, floats, cache, directory, node, block)
    elif policy != BYPASS or access != SEQUENTIAL | WRITE:
        _insert(memory, floats, cache, directory, node, block, access)
    count = resident(memory, directory)
    if count != memory[cache + LEVEL]:
        accumulate_area(memory, cache)
        memory[cache + LEVEL] = memory[cache + BUSY] = count
    return False


@compiled
def _use(memory: Memory, floats: Floats, directory: int, node: int, policy: int, access: int) -> None:
    """Record a hit."""
    if policy == LRU:
        move(memory, directory, ONCE, node)
    elif policy == ARC:
        move(memory, directory, AGAIN, node)
    elif policy == TWO_QUEUES:
        if number_of(memory, node) == AGAIN:
            move(memory, directory, AGAIN, node)
    elif policy == SARC:
        _use_sarc(memory, floats, directory, node)
    elif policy != FIFO and access != SEQUENTIAL | WRITE:
        move(memory, directory, ONCE, node)


@compiled
def _insert(
    memory: Memory, floats: Floats, cache: int, directory: int, node: int, block: int, access: int
) -> None:
    """Insert ``block``, for all policies except ARC; ``node`` is its ghost, or 0."""
    policy = memory[cache + POLICY]
    if node:
        unlink(memory, directory, node)
    if policy == SARC and access == SEQUENTIAL:
        memory[directory + MISSED] += 1
    if resident(memory, directory) == memory[cache + CAPACITY]:
        _evict(memory, floats, directory, policy)
    if node:
        append(memory, directory, AGAIN, node)
        return
    number = RUNS if policy == SARC and access & SEQUENTIAL else ONCE
    node = add(memory, directory, number, block)
    if policy == SARC:
        _stamp(memory, directory, node)
    elif policy == LRU_BOTTOM and access == SEQUENTIAL | WRITE:
        _to_bottom(memory, directory, node)


@compiled
def _evict(memory: Memory, floats: Floats, directory: int, policy: int) -> None:
    """Evict a block, for all policies except ARC."""
    if policy == TWO_QUEUES:
        if (
            count_of(memory, directory, AGAIN)
            and count_of(memory, directory, ONCE) <= memory[directory + FIRST_LIMIT]
        ):
            forget(memory, directory, AGAIN)
            return
        age(memory, directory, ONCE, GHOSTS)
        if count_of(memory, directory, GHOSTS) > memory[directory + SECOND_LIMIT]:
            forget(memory, directory, GHOSTS)
    elif policy == SARC:
        _evict_sarc(memory, floats, directory)
    else:
        forget(memory, directory, ONCE)


@compiled
def _to_bottom(memory: Memory, directory: int, node: int) -> None:
    """Make the newest node the oldest."""
    at = list_of(directory, ONCE)
    oldest = memory[at + OLDEST]
    if oldest == node:
        return
    memory[at + NEWEST] = memory[node + OLDER]
    memory[memory[node + OLDER] + NEWER] = 0
    memory[node + OLDER], memory[node + NEWER] = 0, oldest
    memory[oldest + OLDER] = node
    memory[at + OLDEST] = node


@compiled
def _insert_arc(memory: Memory, floats: Floats, cache: int, directory: int, node: int, block: int) -> None:
    """Insert ``block``; ``node`` is its ghost, which moves the aim (the paper's cases II and III), or 0."""
    aim, capacity = memory[directory + NUMBERS] + AIM, memory[cache + CAPACITY]
    ghosts, ghosts_again = count_of(memory, directory, GHOSTS), count_of(memory, directory, GHOSTS_AGAIN)
    if node == 0:
        _forget_arc(memory, floats, directory, capacity)
        add(memory, directory, ONCE, block)
        return
    again = number_of(memory, node) == GHOSTS_AGAIN
    if again:
        floats[aim] = max(0.0, floats[aim] - max(1.0, ghosts / ghosts_again))
    else:
        floats[aim] = min(float(capacity), floats[aim] + max(1.0, ghosts_again / ghosts))
    if resident(memory, directory) == capacity:
        _replace(memory, floats[aim], directory, again)
    move(memory, directory, AGAIN, node)


@compiled
def _forget_arc(memory: Memory, floats: Floats, directory: int, capacity: int) -> None:
    """Make room for a block without a ghost: the paper's case IV."""
    once, ghosts = count_of(memory, directory, ONCE), count_of(memory, directory, GHOSTS)
    if once == capacity:
        forget(memory, directory, ONCE)
        return
    if once + ghosts == capacity:
        forget(memory, directory, GHOSTS)
    elif resident(memory, directory) + ghosts + count_of(memory, directory, GHOSTS_AGAIN) == 2 * capacity:
        forget(memory, directory, GHOSTS_AGAIN)
    if resident(memory, directory) == capacity:
        _replace(memory, floats[memory[directory + NUMBERS] + AIM], directory, False)  # noqa: FBT003  (compiled)


@compiled
def _replace(memory: Memory, aim: float, directory: int, again: bool) -> None:  # noqa: FBT001  (compiled)
    """Evict a block to the ghosts of its list: the paper's REPLACE."""
    once = count_of(memory, directory, ONCE)
    if once and (once > aim or (again and once == aim) or count_of(memory, directory, AGAIN) == 0):
        age(memory, directory, ONCE, GHOSTS)
    else:
        age(memory, directory, AGAIN, GHOSTS_AGAIN)


@compiled
def _use_sarc(memory: Memory, floats: Floats, directory: int, node: int) -> None:
    """Record a hit; one near the bottom of its list shows the gain of a longer list."""
    number = number_of(memory, node)
    if _at_bottom(memory, directory, number, memory[node + USED]):
        numbers, length = memory[directory + NUMBERS], count_of(memory, directory, RUNS)
        ratio = 2.0 * memory[directory + MISSED] * memory[directory + FIRST_LIMIT] / length if length else 0.0
        if number == RANDOM:
            memory[directory + MISSED] = 0
            floats[numbers + DRIFT] = max(-1.0, min(ratio - 1.0, 1.0))
        elif ratio > floats[numbers + LARGE_RATIO]:
            floats[numbers + DRIFT] = 1.0
    move(memory, directory, number, node)
    _stamp(memory, directory, node)


@compiled
def _at_bottom(memory: Memory, directory: int, number: int, used: int) -> bool:
    """True if a block last used at ``used`` is among the oldest of its list, by the times of both ends."""
    at = list_of(directory, number)
    oldest, newest = memory[memory[at + OLDEST] + USED], memory[memory[at + NEWEST] + USED]
    return (used - oldest) * count_of(memory, directory, number) <= memory[directory + FIRST_LIMIT] * (
        newest - oldest
    )


@compiled
def _stamp(memory: Memory, directory: int, node: int) -> None:
    """Record the time of use, counted in uses."""
    memory[node + USED] = memory[directory + CLOCK]
    memory[directory + CLOCK] += 1


@compiled
def _evict_sarc(memory: Memory, floats: Floats, directory: int) -> None:
    """Evict a block, and update the desired length of RUNS."""
    forget(memory, directory, _longer(memory, floats, directory))
    aim = memory[directory + NUMBERS] + AIM
    if floats[aim] > 0.0:
        floats[aim] += floats[memory[directory + NUMBERS] + DRIFT] / 2.0
    else:
        floats[aim] = float(count_of(memory, directory, RUNS))


@compiled
def _longer(memory: Memory, floats: Floats, directory: int) -> int:
    """The list from which a block is evicted."""
    random, runs = count_of(memory, directory, RANDOM), count_of(memory, directory, RUNS)
    if random == 0 or runs == 0:
        return RANDOM if random else RUNS
    if min(random, runs) < memory[directory + FIRST_LIMIT]:
        oldest = memory[memory[list_of(directory, RANDOM) + OLDEST] + USED]
        return RANDOM if oldest < memory[memory[list_of(directory, RUNS) + OLDEST] + USED] else RUNS
    return RUNS if runs > floats[memory[directory + NUMBERS] + AIM] else RANDOM
