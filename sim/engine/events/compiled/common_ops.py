"""The common op-codes: small functions that the compiler inlines into the event loop."""

from __future__ import annotations

from sim.engine.events.compiled.event_queue import due_now, join, leave
from sim.engine.events.compiled.jit import bit_length, compiled, prefetch
from sim.engine.events.compiled.layout import (
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
"""As in ``sim.engine.model.distributions``."""

_FEW_LIMITS = 16
"""Largest number of limits of a choice that are all compared, without a branch to predict."""

SUB_BITS = 6
"""As in ``sim.engine.statistics.histogram``, which defines the bins."""


@compiled
def over_budget(memory: Memory, cells: int) -> bool:
    """Charge ``cells`` of code to be repeated; return True if it is time to return to Python.

    Long work is in loops, which count here, and in requests, which Python grants a few at a time (``RESERVE``).
    """
    memory[BUDGET] -= cells
    return memory[BUDGET] < 0


@compiled
def accumulate_area(memory: Memory, place: int) -> None:
    """Update the integrals of a place to the present time, before one of its levels changes."""
    now = memory[NOW]
    elapsed = now - memory[place + SINCE]
    if elapsed:
        memory[place + BUSY_AREA] += memory[place + BUSY] * elapsed
        if memory[place + QUEUE]:  # else the second cache line is not needed
            memory[place + QUEUE_AREA] += memory[place + QUEUE] * elapsed
        memory[place + SINCE] = now


@compiled
def occupy(memory: Memory, place: int, amount: int) -> None:
    """Occupy ``amount`` of a place by a process that goes on."""
    accumulate_area(memory, place)
    memory[place + BUSY] += amount


@compiled
def visit(memory: Memory, place: int, amount: int) -> None:
    """Occupy ``amount`` of a place, and count one visit."""
    occupy(memory, place, amount)
    memory[place + VISITS] += 1


@compiled
def exhausted(memory: Memory, sampler: int) -> bool:
    """True if the stream of ``sampler`` has no variate left in its block."""
    stream = memory[sampler + STREAM]
    return stream >= 0 and memory[stream + POSITION] == memory[stream + END]


@compiled
def draw(memory: Memory, floats: Floats, sampler: int, items: int) -> int:
    """Draw the next time of ``sampler``, in nanoseconds, for a batch of ``items``."""
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
    """Draw the option of a choice, and return its first instruction.

    The table has the number of limits, the index of the first among the floats, and one target more than limits.
    """
    drawn = floats[memory[stream + POSITION]]
    memory[stream + POSITION] += 1
    first = option = memory[table + 1]
    left = memory[table]
    while left > _FEW_LIMITS:  # limits rise: bisect
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
    """Grant a free server, if any, to the first in the queue. As in SimPy, one release grants one."""
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
    """True if ``buffer`` holds ``amount``, and its watermarks allow taking it.

    While takes wait for the high watermark the level never falls, so it is enough to compare it here.
    """
    level = memory[buffer + LEVEL]
    return amount <= level and (memory[buffer + DRAINING] != 0 or level >= memory[buffer + HIGH])


@compiled
def lower_level(memory: Memory, buffer: int, amount: int) -> None:
    """Decrease the level of ``buffer`` by ``amount``."""
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
    """Add ``by`` to the requests in flight, after an update of their integral to the present time."""
    now = memory[NOW]
    memory[counters + POPULATION_AREA] += memory[counters + POPULATION] * (
        now - memory[counters + POPULATION_SINCE]
    )
    memory[counters + POPULATION_SINCE] = now
    memory[counters + POPULATION] += by


@compiled
def bin_of(time: int) -> int:
    """The bin of ``time``, as ``statistics.histogram.bin_of``, which is written for Python's integers."""
    octave = max(0, bit_length(time) - SUB_BITS - 1)
    return (octave << SUB_BITS) + (time >> octave)


@compiled
def room_for(memory: Memory, rows: int) -> bool:
    """True if the record has room for ``rows`` more rows."""
    return memory[RECORDED] + rows * ROW_SIZE <= memory[RECORD_LIMIT]


@compiled
def write_row(
    memory: Memory, record: Memory, kind: int, process: int, first: int, second: int, since: int
) -> None:
    """Append a row about ``process`` to the record; ``layout`` defines its fields."""
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
    """End a request; return True if it completes the last workload with a count."""
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
