"""Where everything of a run lies in its memory: one array of 64-bit integers, addressed by absolute index.

The operands of the program are such indices, so the event loop never multiplies to find a place. Order in
memory: header, code, tables, places, samplers, streams, tallies, histograms, walkers (last, so that more
can be added). Times in the header, places and walkers are integer nanoseconds.
"""

from __future__ import annotations

# Header
NOW, RING_HEAD, RING_TAIL, URGENT_HEAD, URGENT_TAIL = range(5)
HEAP_END, HOLE, SEQUENCE = 5, 6, 7
CURRENT = 8  # the walker whose step waits for Python to refill a stream, grow memory or take the record; or -1
FREE_WALKER, WALKERS, WALKER_BASE, WALKER_SIZE, WALKER_LIMIT = range(9, 14)
UNFINISHED, FINISHED = 14, 15  # workloads with a count that have not completed it; whether the run is over
WANTED = 16  # the stream that has run dry
RECORDED, RECORD_LIMIT = 17, 18
RING_MASK, URGENT_MASK = 19, 20  # lengths of the rings, which are powers of two, less 1
NEXT_TIME = 21  # when the next event of the heap is due
TRACED = 22  # where in a walker stands when it last went on, if trace are recorded; or 0
INTERVAL, INTERVAL_END = 23, 24  # intervals that have been read, and when the present one ends
PATIENCE = 25  # cells of code that loops may still repeat before Python looks at signals and limits
HEADER_SIZE = 26

# A place. The first queue holds those who wait for servers, tokens, the lock, room to put, or a batch; the
# second those who wait to take or to gather. LEVEL is servers or tokens in use, shared holders, or a level.
HEAD, TAIL, LEVEL, CAPACITY, BUSY, BUSY_AREA, QUEUE, QUEUE_AREA, SINCE, VISITS, EXTRA = range(11)
HEAD_2, TAIL_2, EXCLUSIVE, KEPT, POLICY = range(11, 16)
DRAINING, LOW, HIGH = EXCLUSIVE, KEPT, POLICY  # of a buffer: whether takes go on, and its watermarks
PLACE_SIZE = 16

# A walker. AMOUNT is what it waits for: tokens, a level, a time, or so many branches.
PC, NEXT, AMOUNT, ITEMS, STARTED, PARENT, TALLY, CLIENT, REGISTERS = range(9)

# A workload's books
BEGUN, COMPLETED, LATENCY, POPULATION, POPULATION_AREA, POPULATION_SINCE, BACKGROUND, STEPS = range(8)
LEFT, COUNT, HISTOGRAM, NUMBER, ARRIVED, LOOKUPS, HITS = range(8, 15)
RESERVE = 15  # walks that Python has still to put into LEFT; -1: without end
TALLY_SIZE = 16

# A sampler: its stream (-1: a constant), the constant in ns, where the scale lies among the floats, ns an item
STREAM, CONSTANT_NS, SCALE, EACH_NS = range(4)
SAMPLER_SIZE = 4

# A stream: index of the next variate among the floats (or address among the integers), and of the end of the block
POSITION, END = range(2)
STREAM_SIZE = 2

# What the ring of events due now holds: what happens, and to whom, packed as whom << KIND_BITS | what
KIND_BITS = 3
RESUME, STATION_RELEASED, POOL_RELEASED, LOCK_RELEASED, PUT_GRANTED, TAKE_GRANTED, BRANCH_DONE, ALL_DONE = range(8)

# A row of the record: what, the walker, two numbers, since when and until when. The numbers of a walk are workload
# and client; of a branch, who sent it and whether nobody waits for it; of a stay, op-code and place.
REQUEST_ENDED, REQUEST_BEGUN, BRANCH_SENT, BRANCH_ENDED, TIME_SPENT = range(5)
ROW_SIZE = 6

# Why the loop returns to Python
UNTIL, IDLE, DONE, REFILL, GROW, RECORD_FULL, PAUSED = range(7)

LINE_BITS = 3
LINE = 1 << LINE_BITS
"""Cells of a cache line. Walkers and fours of events begin at one."""

EVENT_SIZE = 2
ROOT = 3 * EVENT_SIZE
"""An event of the heap is a time and a key. Each has four children, and those of the root, here, begin a line."""

SEQUENCE_SHIFT = 24
"""A key is scheduling order << SEQUENCE_SHIFT | line of the walker: up to 16 million lines, 5·10**11 events."""

FAR_NS = 1 << 62
"""Later than everything: 146 years."""
