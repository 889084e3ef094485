"""What the common op-codes do. Small functions that the compiler puts into the event loop."""

from __future__ import annotations

import math

from sim.engines.compiled.event_queue import Floats, Memory, due_now, join, leave
from sim.engines.compiled.jit import bit_length, compiled
from sim.engines.compiled.layout import (
    AMOUNT,
    BEGUN,
    BUSY,
    BUSY_AREA,
    CAPACITY,
    CLIENT,
    COMPLETED,
    CONSTANT_NS,
    COUNT,
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
    LOW,
    NOW,
    NUMBER,
    PATIENCE,
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
    TALLY,
    TRACED,
    UNFINISHED,
)

LONGEST_NS = 4e18
"""As in ``sim.model.distributions``."""

SUB_BITS = 6
"""As in ``sim.statistics.histogram``, which says what the bins are."""


@compiled
def impatient(memory: Memory, cells: int) -> bool:
    """Whether it is time to return to Python, before code of so many cells is taken again.

    Nothing goes on for long but by loops, and by walks, which Python hands out some at a time (``RESERVE``).
    """
    memory[PATIENCE] -= cells
    return memory[PATIENCE] < 0


@compiled
def touch(memory: Memory, place: int) -> None:
    """Bring the integrals of a place up to now, before one of its levels changes."""
    now = memory[NOW]
    elapsed = now - memory[place + SINCE]
    if elapsed:
        memory[place + BUSY_AREA] += memory[place + BUSY] * elapsed
        memory[place + QUEUE_AREA] += memory[place + QUEUE] * elapsed
        memory[place + SINCE] = now


@compiled
def dry(memory: Memory, sampler: int) -> bool:
    """Whether the stream of ``sampler`` has no variate left."""
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
        time = math.floor(min(floats[position] * floats[memory[sampler + SCALE]] + 0.5, LONGEST_NS))
    return time + items * memory[sampler + EACH_NS]


@compiled
def enqueue(memory: Memory, place: int, head: int, walker: int) -> None:
    """Let ``walker`` wait in a queue of ``place``."""
    touch(memory, place)
    memory[place + QUEUE] += 1
    join(memory, head, walker)


@compiled
def dequeue(memory: Memory, place: int, head: int) -> int:
    """Take the first in a queue of ``place`` off it."""
    touch(memory, place)
    memory[place + QUEUE] -= 1
    return leave(memory, head)


@compiled
def grant_server(memory: Memory, ring: Memory, station: int) -> None:
    """Grant a free server to the first in the queue, if there are both. One trigger grants one."""
    if memory[station + HEAD] and memory[station + LEVEL] < memory[station + CAPACITY]:
        memory[station + LEVEL] += 1
        due_now(memory, ring, RESUME, dequeue(memory, station, station + HEAD))


@compiled
def grant_room(memory: Memory, ring: Memory, place: int, granted: int) -> None:
    """Give tokens of a pool, or room in a buffer, from the head of the queue for as long as it lasts."""
    while (
        memory[place + HEAD]
        and memory[memory[place + HEAD] + AMOUNT] <= memory[place + CAPACITY] - memory[place + LEVEL]
    ):
        walker = dequeue(memory, place, place + HEAD)
        memory[place + LEVEL] += memory[walker + AMOUNT]
        due_now(memory, ring, granted, walker)


@compiled
def grant_takes(memory: Memory, ring: Memory, buffer: int, granted: int) -> None:
    """Let those take, from the head of their queue, whose amounts are there, as the watermarks allow.

    While takes wait for the high watermark the level never falls, so it is enough to look at it here.
    """
    while (
        memory[buffer + HEAD_2]
        and memory[memory[buffer + HEAD_2] + AMOUNT] <= memory[buffer + LEVEL]
        and (memory[buffer + DRAINING] or memory[buffer + LEVEL] >= memory[buffer + HIGH])
    ):
        walker = dequeue(memory, buffer, buffer + HEAD_2)
        memory[buffer + LEVEL] -= memory[walker + AMOUNT]
        memory[buffer + DRAINING] = memory[buffer + LEVEL] > memory[buffer + LOW]
        due_now(memory, ring, granted, walker)


@compiled
def begin(memory: Memory, record: Memory, walker: int) -> None:
    """A walk starts."""
    tally = memory[walker + TALLY]
    memory[walker + STARTED] = memory[NOW]
    memory[walker + ITEMS] = 0
    memory[tally + BEGUN] += 1
    change_population(memory, tally, 1)
    if memory[TRACED]:
        write_row(
            memory, record, REQUEST_BEGUN, walker, memory[tally + NUMBER], memory[walker + CLIENT], memory[NOW]
        )


@compiled
def change_population(memory: Memory, tally: int, by: int) -> None:
    """One more, or one less, on the way."""
    now = memory[NOW]
    memory[tally + POPULATION_AREA] += memory[tally + POPULATION] * (now - memory[tally + POPULATION_SINCE])
    memory[tally + POPULATION_SINCE] = now
    memory[tally + POPULATION] += by


@compiled
def bin_of(time: int) -> int:
    """The same as ``sim.statistics.histogram.bin_of``, which is written for Python's integers."""
    octave = max(0, bit_length(time) - SUB_BITS - 1)
    return (octave << SUB_BITS) + (time >> octave)


@compiled
def room_for(memory: Memory, rows: int) -> bool:
    """Whether so many rows more go into the record."""
    return memory[RECORDED] + rows * ROW_SIZE <= memory[RECORD_LIMIT]


@compiled
def write_row(memory: Memory, record: Memory, kind: int, walker: int, first: int, second: int, since: int) -> None:
    """Write down what ``walker`` did; ``layout`` says what a row means."""
    at = memory[RECORDED]
    record[at] = kind
    record[at + 1] = walker
    record[at + 2] = first
    record[at + 3] = second
    record[at + 4] = since
    record[at + 5] = memory[NOW]
    memory[RECORDED] = at + ROW_SIZE


@compiled
def finish(memory: Memory, record: Memory, walker: int) -> bool:
    """A walk ends; whether with it the last workload that has a count is done."""
    tally = memory[walker + TALLY]
    latency = memory[NOW] - memory[walker + STARTED]
    memory[tally + COMPLETED] += 1
    memory[tally + LATENCY] += latency
    change_population(memory, tally, -1)
    memory[memory[tally + HISTOGRAM] + bin_of(latency)] += 1
    if memory[RECORD_LIMIT]:
        write_row(
            memory,
            record,
            REQUEST_ENDED,
            walker,
            memory[tally + NUMBER],
            memory[walker + CLIENT],
            memory[walker + STARTED],
        )
    if memory[tally + COMPLETED] == memory[tally + COUNT]:
        memory[UNFINISHED] -= 1
        return memory[UNFINISHED] == 0
    return False
