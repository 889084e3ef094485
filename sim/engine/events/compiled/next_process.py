"""Choice of the next process: three queues, and events that grant something before a process goes on.

SimPy takes events by time, then by priority, then in the order in which they were scheduled. Here that is three
queues: *urgent*, new processes, which have priority; future events, those scheduled earlier for this time; the
*ring*, events scheduled at this very time for this time. Grants, releases and ends of branches are events too.
"""

from __future__ import annotations

from sim.engine.events.compiled import layout as at
from sim.engine.events.compiled.common_ops import grant_room, grant_server, grant_takes
from sim.engine.events.compiled.event_queue import due_now, pop
from sim.engine.events.compiled.instructions import first_of
from sim.engine.events.compiled.jit import inlined
from sim.engine.events.compiled.layout import Memory
from sim.engine.events.compiled.rare_ops import JOIN, end_of_some, grant_lock
from sim.engine.events.compiled.shelves import fill_heap

_KIND = (1 << at.KIND_BITS) - 1
"""Mask of the kind of an event in the ring."""


@inlined
def next_process(memory: Memory, ring: Memory, urgent: Memory, heap: Memory, until: int) -> int:
    """The process that goes on next, or -1 - the reason to stop."""
    while True:
        # 1. Urgent: clients, arrivals and branches start before any other event of this time.
        if memory[at.URGENT_HEAD] != memory[at.URGENT_TAIL]:
            memory[at.URGENT_HEAD] += 1
            return urgent[(memory[at.URGENT_HEAD] - 1) & memory[at.URGENT_MASK]]
        # 2. The heap: its events for this time were scheduled when the clock showed less, so before all that is in
        #    the ring. (A sleep of no time goes into the ring.) Its events are ordered by their keys.
        time = memory[at.NEXT_TIME]
        if time == memory[at.NOW]:
            return pop(memory, heap)
        # Only when the ring is empty too may the clock move, and not to ``until`` or beyond: a run in two
        # intervals has the same events in the same order as in one.
        if memory[at.RING_HEAD] == memory[at.RING_TAIL]:
            # Both rings are empty: from here on they are filled from their beginning, which is in the cache.
            memory[at.RING_HEAD] = memory[at.RING_TAIL] = 0
            memory[at.URGENT_HEAD] = memory[at.URGENT_TAIL] = 0
            if time == at.FAR_NS and memory[at.HORIZON] != at.FAR_NS:
                fill_heap(memory, heap)
                continue
            if time >= until:
                memory[at.NOW] = until
                return -1 - (at.IDLE if time == at.FAR_NS else at.UNTIL)
            memory[at.NOW] = time
            return pop(memory, heap)
        # 3. The ring, first come, first served. Most of its events resume a process. The others grant something or
        #    count, which may append events, and then the next event follows.
        event = ring[memory[at.RING_HEAD] & memory[at.RING_MASK]]
        memory[at.RING_HEAD] += 1
        process = _process_event(memory, ring, event & _KIND, event >> at.KIND_BITS)
        if process:
            return process
        if memory[at.FINISHED]:
            return -1 - at.DONE


@inlined
def _process_event(memory: Memory, ring: Memory, kind: int, target: int) -> int:
    """Process one event of the ring; return the process that goes on with it, or 0.

    ``target`` is a process or, of a release, a place.
    """
    if kind == at.RESUME:
        return target
    if kind == at.STATION_RELEASED:
        grant_server(memory, ring, target)
    elif kind == at.POOL_RELEASED:
        grant_room(memory, ring, target, at.RESUME)
    elif kind == at.LOCK_RELEASED:
        grant_lock(memory, ring, target)
    elif kind == at.PUT_GRANTED:
        # As in SimPy, takes may be granted before the process that has put goes on; below, the reverse.
        # Its program counter is at PUT_DONE, whose first operand is the buffer.
        grant_takes(memory, ring, first_of(memory[memory[target + at.PC]]), at.TAKE_GRANTED)
        return target
    elif kind == at.TAKE_GRANTED:
        grant_room(memory, ring, first_of(memory[memory[target + at.PC]]), at.PUT_GRANTED)
        return target
    elif kind == at.BRANCH_DONE:
        memory[target + at.AMOUNT] -= 1
        if memory[target + at.PC] == JOIN:
            end_of_some(memory, ring, target)
        elif memory[target + at.AMOUNT] == 0:
            due_now(memory, ring, at.RESUME, target)
    else:
        memory[at.FINISHED] = 1
    return 0
