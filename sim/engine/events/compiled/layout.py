"""The layout of the memory of a run: one array of 64-bit integers, addressed by absolute index.

The operands of the program are such indices, so the event loop never multiplies to find a place. Order in
memory: header, code, tables, places, samplers, streams, counters, histograms, processes (last, so that more
can be added). Times in the header, places and processes are integer nanoseconds.
"""

from __future__ import annotations

Memory = list[int]
"""Integers, addressed by absolute index: a bare pointer in compiled code; in plain Python, a list."""

Floats = list[float]
"""Floating-point numbers, addressed by index like ``Memory``."""

# Header
NOW, RING_HEAD, RING_TAIL, URGENT_HEAD, URGENT_TAIL = range(5)
HEAP_END, HOLE, SEQUENCE = 5, 6, 7
CURRENT = 8  # the process whose instruction waits for Python: for variates, memory or room in the record; or -1
FREE_PROCESS, PROCESSES, PROCESS_BASE, PROCESS_SIZE, PROCESS_LIMIT = range(9, 14)
UNFINISHED, FINISHED = 14, 15  # number of workloads that have not completed their count; 1 if the run is over
WANTED = 16  # the stream that is exhausted
RECORDED, RECORD_LIMIT = 17, 18  # cells of the record in use, and their number
RING_MASK, URGENT_MASK = 19, 20  # lengths of the rings, which are powers of two, less 1
NEXT_TIME = 21  # due time of the next future event
TRACED = 22  # of a traced run, the cell of a process with the time when it last went on; else 0
INTERVAL, INTERVAL_END = 23, 24  # number of intervals whose counters are read, and end of the present one
BUDGET = 25  # cells of code that loops may still repeat before Python checks signals and limits
HORIZON = 26  # time from which events are on shelves; FAR_NS: none
SHELVED_FROM, SHELF_BITS, SHELVES_TAKEN = (
    27,
    28,
    29,
)  # begin of the first, log2 of the length of each (ns), number of empty ones
HEADER_SIZE = 32

# A place. LEVEL is servers or tokens in use, shared holders, or the level of a buffer, which decides grants.
# BUSY, whose integral is counted, changes when the process with the grant goes on. If nobody waits,
# the first of the two cache lines is enough.
LEVEL, CAPACITY, BUSY, BUSY_AREA, QUEUE, SINCE, VISITS, HEAD, TAIL, QUEUE_AREA, EXTRA = range(11)

# The next five cells have a meaning for each kind of place; a place is of one kind, so they share the memory:
#   a station or pool does not use them;
#   a lock:   HOLDERS, -, EXCLUSIVE: holders that have gone on; exclusive ones granted (the shared ones are LEVEL);
#   a buffer: HEAD_2, TAIL_2, DRAINING, LOW, HIGH: the queue of takes (that of puts is the first), 1 if takes go
#             on although the level is below HIGH, and the watermarks;
#   a gate:   HEAD_2, TAIL_2: the queue of processes that gather (that of those to be gathered is the first);
#   a cache:  -, -, -, DIRECTORY, POLICY: address of its directory (see ``cache_lists``), and its policy's number.
HEAD_2, TAIL_2 = 11, 12
HOLDERS = HEAD_2  # of a lock: a counter, and no queue
EXCLUSIVE, DIRECTORY, POLICY = 13, 14, 15
DRAINING, LOW, HIGH = EXCLUSIVE, DIRECTORY, POLICY
PLACE_SIZE = 16

# A process. AMOUNT is what it waits for: tokens, a level, a time, or branches. NEXT links a queue. CLIENT
# of a request and PARENT of a branch share a cell.
PC, NEXT, AMOUNT, ITEMS, COUNTERS, STARTED, CLIENT, REGISTERS = range(8)
PARENT = CLIENT

# The counters of a workload, and its data for the loop. The second cache line is needed only by the end of a
# request, and by rare operations.
STEPS, LEFT, BEGUN, POPULATION, POPULATION_AREA, POPULATION_SINCE, BACKGROUND, LOOKUPS = range(8)
COMPLETED, LATENCY, COUNT, HISTOGRAM, NUMBER, ARRIVED, HITS = range(8, 15)
RESERVE = 15  # requests that Python still has to move to LEFT; -1: endless
COUNTERS_SIZE = 16

# A sampler: its stream (-1: a constant), the constant in ns, the index of the scale among the floats, ns per item
STREAM, CONSTANT_NS, SCALE, EACH_NS = range(4)
SAMPLER_SIZE = 4

# A stream: index of the next variate among the floats (or address among the integers), and of the end of the block
POSITION, END = range(2)
STREAM_SIZE = 2

# An event of the ring of those due now: its kind, and the address of the process or place concerned,
# packed as address << KIND_BITS | kind
KIND_BITS = 3
RESUME, STATION_RELEASED, POOL_RELEASED, LOCK_RELEASED, PUT_GRANTED, TAKE_GRANTED, BRANCH_DONE, ALL_DONE = range(8)

# A row of the record: kind, process, two numbers, begin and end. The two numbers are
#   of a request: workload and client;
#   of a branch:  the process that sent it, and 1 if nobody waits for it;
#   of an interval in which a process spent time: the address of the instruction, and the first register, which
#     identifies the user of shared code (see ``shared_code``).
REQUEST_ENDED, REQUEST_BEGUN, BRANCH_SENT, BRANCH_ENDED, TIME_SPENT = range(5)
ROW_SIZE = 6

# Reasons of the loop to return to Python
UNTIL, IDLE, DONE, REFILL, GROW, RECORD_FULL, PAUSED = range(7)

LINE_BITS = 3
LINE = 1 << LINE_BITS
"""Cells of a cache line. Processes, and each four events of the heap, begin at one."""

SHELVES = 1 << 12
"""Number of shelves before the last. They are in front of the heap."""

EVENT_SIZE = 2
ROOT = SHELVES + 2 * LINE - EVENT_SIZE
"""An event of the heap is a time and a key. Each has four children, and those of the root, here, begin a line."""

SEQUENCE_SHIFT = 24
"""A key is scheduling order << SEQUENCE_SHIFT | line of the process: up to 16 million lines, 5·10**11 events."""

FAR_NS = 1 << 62
"""Later than everything: 146 years."""
