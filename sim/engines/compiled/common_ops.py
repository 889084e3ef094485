"""The common op-codes: small functions that the compiler inlines into the event loop."""

from __future__ import annotations

from sim.engines.compiled.event_queue import due_now, join, leave
from sim.engines.compiled.jit import bit_length, compiled, prefetch
from sim.engines.compiled.layout import (
    AMOUNT,
    BEGUN,
    BUDGET,
    BUSY,
    BUSY_AREA,
    CAPACITY,
    CLIENT,
    COMPLETED,
    CONSTANT_NS,
    COUNT,
    COUNTERS,
    DRAINING,
    EACH_NS,
    END,
    HEAD,
    HEAD_2,
    HIGH,
    HISTOGRAM,
    ITEMS,
    LATENCY,
    LEVEL,
    LINE,
    LOW,
    NOW,
    NUMBER,
    POPULATION,
    POPULATION_AREA,
    POPULATION_SINCE,
    POSITION,
    QUEUE,
    QUEUE_AREA,
    RECORD_LIMIT,
    RECORDED,
    REQUEST_BEGUN,
    REQUEST_ENDED,
    RESUME,
    ROW_SIZE,
    SCALE,
    SINCE,
    STARTED,
    STREAM,
    TRACED,
    UNFINISHED,
    VISITS,
    Floats,
    Memory,
)

LONGEST_NS = 4e18
"""As in ``sim.model.distributions``."""

_FEW_LIMITS = 16
"""Limits of a choice that are compared one and all, without a branch to predict."""

SUB_BITS = 6
"""As in ``sim.statistics.histogram``, which says what the bins are."""


@compiled
def over_budget(memory: Memory, cells: int) -> bool:
    """Whether it is time to return to Python, before code of so many cells is repeated.

    What takes long are loops, which count here, and requests, of which Python grants some at a time (``RESERVE``).
    """
    memory[BUDGET] -= cells
    return memory[BUDGET] < 0


@compiled
def accumulate_area(memory: Memory, place: int) -> None:
    """Bring the integrals of a place up to now, before one of its levels changes."""
    now = memory[NOW]
    elapsed = now - memory[place + SINCE]
    if elapsed:
        memory[place + BUSY_AREA] += memory[place + BUSY] * elapsed
        if memory[place + QUEUE]:  # else the second line is not needed
            memory[place + QUEUE_AREA] += memory[place + QUEUE] * elapsed
        memory[place + SINCE] = now


@compiled
def occupy(memory: Memory, place: int, amount: int) -> None:
    """Let a process that goes on have so much more of a place."""
    accumulate_area(memory, place)
    memory[place + BUSY] += amount


@compiled
def visit(memory: Memory, place: int, amount: int) -> None:
    """The same, and count it."""
    occupy(memory, place, amount)
    memory[place + VISITS] += 1


@compiled
def exhausted(memory: Memory, sampler: int) -> bool:
    """Whether the stream of ``sampler`` has no variate left in its block."""
    stream = memory[sampler + STREAM]
    return stream >= 0 and memory[stream + POSITION] == memory[stream + END]


@compiled
def draw(memory: Memory, floats: Floats, sampler: int, items: int) -> int:
    """The next time of ``sampler``, in nanoseconds, for a batch of ``items``."""
    stream = memory[sampler + STREAM]
    if stream < 0:
        time = memory[sampler + CONSTANT_NS]
    else:
        position = memory[stream + POSITION]
        memory[stream + POSITION] = position + 1
        prefetch(floats, position + LINE)
        time = int(min(floats[position] * floats[memory[sampler + SCALE]] + 0.5, LONGEST_NS))  # none is negative
    return time + items * memory[sampler + EACH_NS]


@compiled
def chosen_target(memory: Memory, floats: Floats, table: int, stream: int) -> int:
    """The instruction with which a choice goes on.

    The table has the number of limits, the index of the first among the floats, and one target more than limits.
    """
    drawn = floats[memory[stream + POSITION]]
    memory[stream + POSITION] += 1
    first = option = memory[table + 1]
    left = memory[table]
    while left > _FEW_LIMITS:  # limits rise: halve what is left
        half = left >> 1
        if drawn >= floats[option + half - 1]:
            option += half
        left -= half
    for limit in range(option, option + left):
        option += drawn >= floats[limit]
    return memory[table + 2 + option - first]


@compiled
def enqueue(memory: Memory, place: int, head: int, process: int) -> None:
    """Put ``process`` at the end of a queue of ``place``."""
    accumulate_area(memory, place)
    memory[place + QUEUE] += 1
    join(memory, head, process)


@compiled
def dequeue(memory: Memory, place: int, head: int) -> int:
    """Take the first process off a queue of ``place``."""
    accumulate_area(memory, place)
    memory[place + QUEUE] -= 1
    return leave(memory, head)


@compiled
def grant_server(memory: Memory, ring: Memory, station: int) -> None:
    """Grant a free server to the first in the queue, if there are both. As in SimPy, one release grants one."""
    if memory[station + HEAD] and memory[station + LEVEL] < memory[station + CAPACITY]:
        memory[station + LEVEL] += 1
        due_now(memory, ring, RESUME, dequeue(memory, station, station + HEAD))


@compiled
def grant_room(memory: Memory, ring: Memory, place: int, granted: int) -> None:
    """Grant tokens of a pool, or room in a buffer, from the head of the queue for as long as there are enough."""
    while (
        memory[place + HEAD]
        and memory[memory[place + HEAD] + AMOUNT] <= memory[place + CAPACITY] - memory[place + LEVEL]
    ):
        process = dequeue(memory, place, place + HEAD)
        memory[place + LEVEL] += memory[process + AMOUNT]
        due_now(memory, ring, granted, process)


@compiled
def may_take(memory: Memory, buffer: int, amount: int) -> bool:
    """Whether there is so much in ``buffer``, and the watermarks allow to take it.

    While takes wait for the high watermark the level never falls, so it is enough to compare it here.
    """
    level = memory[buffer + LEVEL]
    return amount <= level and (memory[buffer + DRAINING] != 0 or level >= memory[buffer + HIGH])


@compiled
def lower_level(memory: Memory, buffer: int, amount: int) -> None:
    """Take so much."""
    memory[buffer + LEVEL] -= amount
    memory[buffer + DRAINING] = memory[buffer + LEVEL] > memory[buffer + LOW]


@compiled
def grant_takes(memory: Memory, ring: Memory, buffer: int, granted: int) -> None:
    """Grant takes from the head of their queue for as long as there is enough and the watermarks allow it."""
    while memory[buffer + HEAD_2] and may_take(memory, buffer, memory[memory[buffer + HEAD_2] + AMOUNT]):
        process = dequeue(memory, buffer, buffer + HEAD_2)
        lower_level(memory, buffer, memory[process + AMOUNT])
        due_now(memory, ring, granted, process)


@compiled
def begin(memory: Memory, record: Memory, process: int) -> None:
    """Begin a request."""
    counters = memory[process + COUNTERS]
    memory[process + STARTED] = memory[NOW]
    memory[process + ITEMS] = 0
    memory[counters + BEGUN] += 1
    change_population(memory, counters, 1)
    if memory[TRACED]:
        write_row(
            memory,
            record,
            REQUEST_BEGUN,
            process,
            memory[counters + NUMBER],
            memory[process + CLIENT],
            memory[NOW],
        )


@compiled
def change_population(memory: Memory, counters: int, by: int) -> None:
    """Add ``by`` to the requests in flight, and bring their integral up to now."""
    now = memory[NOW]
    memory[counters + POPULATION_AREA] += memory[counters + POPULATION] * (
        now - memory[counters + POPULATION_SINCE]
    )
    memory[counters + POPULATION_SINCE] = now
    memory[counters + POPULATION] += by


@compiled
def bin_of(time: int) -> int:
    """The same as ``sim.statistics.histogram.bin_of``, which is written for Python's integers."""
    octave = max(0, bit_length(time) - SUB_BITS - 1)
    return (octave << SUB_BITS) + (time >> octave)


@compiled
def room_for(memory: Memory, rows: int) -> bool:
    """Whether the record has room for so many more rows."""
    return memory[RECORDED] + rows * ROW_SIZE <= memory[RECORD_LIMIT]


@compiled
def write_row(
    memory: Memory, record: Memory, kind: int, process: int, first: int, second: int, since: int
) -> None:
    """Append to the record what ``process`` did; ``layout`` says what a row means."""
    at = memory[RECORDED]
    record[at] = kind
    record[at + 1] = process
    record[at + 2] = first
    record[at + 3] = second
    record[at + 4] = since
    record[at + 5] = memory[NOW]
    memory[RECORDED] = at + ROW_SIZE


@compiled
def finish(memory: Memory, record: Memory, process: int) -> bool:
    """End a request; return whether the last workload with a count is completed by it."""
    counters = memory[process + COUNTERS]
    latency = memory[NOW] - memory[process + STARTED]
    memory[counters + COMPLETED] += 1
    memory[counters + LATENCY] += latency
    change_population(memory, counters, -1)
    memory[memory[counters + HISTOGRAM] + bin_of(latency)] += 1
    if memory[RECORD_LIMIT]:
        write_row(
            memory,
            record,
            REQUEST_ENDED,
            process,
            memory[counters + NUMBER],
            memory[process + CLIENT],
            memory[process + STARTED],
        )
    if memory[counters + COMPLETED] == memory[counters + COUNT]:
        memory[UNFINISHED] -= 1
        return memory[UNFINISHED] == 0
    return False
