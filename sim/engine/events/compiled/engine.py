"""The run: memory for the event loop, the work of Python between its calls, and the counters read back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.engine.events.budget import check_clock, endless
from sim.engine.events.compiled import jit, skip
from sim.engine.events.compiled import layout as at
from sim.engine.events.compiled.loop import run
from sim.engine.events.compiled.lowering import lower
from sim.engine.events.compiled.room import check_processes, check_readings
from sim.engine.events.compiled.trace_decoder import Decoder
from sim.engine.events.protocol import WORKLOAD_COLUMNS, Completion, History, Snapshot
from sim.engine.events.trace import Trace
from sim.engine.model.model import Model
from sim.engine.model.places import Buffer
from sim.engine.statistics.histogram import BINS

LARGEST_BLOCK, ALL_BLOCKS = (1 << 14, 1 << 22) if jit.AVAILABLE else (1 << 10, 1 << 16)
"""Largest number of variates drawn at a time, of one stream and of all streams together."""

FIRST_BLOCK, LONGER = 1 << 10, 16
"""Variates of the first block of a stream, and the growth of the next ones, up to the largest: a short
run would not use most of a large block. Blocks of addresses have one length."""

BUDGET = 1 << 22 if jit.AVAILABLE else 1 << 18
"""Cells of code that the loop may execute between two checks of signals and limits: a few tenths of a second."""

MIN_SHARE = 1 << 16
"""Least part of the budget for one workload: with many, one would soon need more, and each check takes time."""

RECORDS = 1 << 16
"""Rows of the record, which Python empties when it is full."""

_PLACE = (at.VISITS, at.BUSY_AREA, at.BUSY, at.QUEUE_AREA, at.QUEUE, at.SINCE, at.EXTRA)
_SUMS = (at.BEGUN, at.COMPLETED, at.LATENCY, at.BACKGROUND, at.LOOKUPS, at.HITS, at.STEPS)
_COUNTERS = (at.POPULATION_AREA, at.POPULATION, at.POPULATION_SINCE, *_SUMS)
"""Cells of a place, and of a workload's counters, that are read; ``_SUMS`` need no integral."""

_NOTHING = np.zeros(0, dtype=np.int64)


class CompiledEngine:
    """One run of ``model`` in the compiled loop; completion times equal the reference engine's, bit for bit.

    Args:
        model: the model to run; it is not changed.
        seed: root seed of all streams.
        record: keep every completion in ``completions`` (memory grows with the run).
        trace: records the spans of all requests (memory grows with the run).
        max_steps: raise ``TooLongError`` soon after this many steps; None: no limit.
    """

    name = "compiled"

    def __init__(
        self,
        model: Model,
        seed: int,
        *,
        record: bool = False,
        trace: Trace | None = None,
        max_steps: int | None = None,
    ) -> None:
        self._max_steps = max_steps
        self.completions: list[Completion] | None = [] if record else None
        self.trace = trace
        self._model = model
        self._program = program = lower(model, seed)
        cells = (*_cells(_PLACE, program.places), *_cells(_COUNTERS, program.counters))
        self._splits = [len(_PLACE) * len(program.places), len(cells)]
        histograms = program.histograms + np.arange(len(model.groups) * BINS)
        self._watched = np.concatenate([np.array(cells, dtype=np.int64), histograms])
        self._block = max(64, min(LARGEST_BLOCK, ALL_BLOCKS // max(1, len(program.sources))))
        self._next: dict[int, int] = {}  # number of variates that each stream draws next
        self._memory, self._floats = self._with_blocks()
        self._counters = np.array(program.counters)
        levels = [row for row, place in enumerate(model.places) if isinstance(place, Buffer)]
        self._buffers = np.array(program.places, dtype=np.int64)[levels]
        self._sources = {source.start: source for source in program.sources}
        self._decoder = None if trace is None else Decoder(model, program)
        self._program = replace(program, memory=_NOTHING)  # frees memory, which may be gigabytes
        self._ring = self._urgent = np.zeros(0, dtype=np.int64)
        self._heap = self._readings = np.zeros(0, dtype=np.int64)
        self._record = np.zeros(RECORDS * at.ROW_SIZE if record or trace else 0, dtype=np.int64)
        self._set_up()

    def _with_blocks(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Memory and floats with room for a block of every stream; all blocks are exhausted at first."""
        program = self._program
        floats, integers = len(program.floats), len(program.memory)
        ends = []
        for source in program.sources:
            if source.floating:
                floats += self._block
            else:
                integers += self._block
            ends.append(floats if source.floating else integers)
        memory = np.zeros(integers, dtype=np.int64)  # blocks that are never drawn take no memory
        memory[: len(program.memory)] = program.memory
        for source, end in zip(program.sources, ends, strict=True):
            memory[source.start + at.POSITION] = memory[source.start + at.END] = end
        longer = np.zeros(floats)
        longer[: len(program.floats)] = program.floats
        return memory, longer

    def _set_up(self) -> None:
        memory = self._memory
        memory[at.CURRENT] = -1
        memory[at.HEAP_END], memory[at.NEXT_TIME], memory[at.HORIZON] = at.ROOT, at.FAR_NS, at.FAR_NS
        memory[at.PROCESS_BASE] = _whole_lines(len(memory))
        registers = at.REGISTERS + self._program.registers
        if self.trace is not None:
            memory[at.TRACED] = registers
        memory[at.PROCESS_SIZE] = _whole_lines(registers + (self.trace is not None))
        memory[at.UNFINISHED] = self._program.finite or -1
        memory[at.RECORD_LIMIT] = len(self._record)
        clients = sum(count for _, _, count in self._program.starts)
        self._grow(max(64, 2 * clients))
        self._heap[: at.ROOT] = 0  # the shelves are empty
        self._grant_budget()
        for start, counters, count in self._program.starts:
            for client in range(count):
                self._start(start, counters, client)

    def _start(self, start: int, counters: int, client: int) -> None:
        memory = self._memory
        process = int(memory[at.PROCESS_BASE] + memory[at.PROCESSES] * memory[at.PROCESS_SIZE])
        memory[at.PROCESSES] += 1
        memory[process + at.PC] = start
        memory[process + at.COUNTERS] = counters
        memory[process + at.CLIENT] = client
        self._urgent[memory[at.URGENT_TAIL]] = process
        memory[at.URGENT_TAIL] += 1

    def _grow(self, processes: int) -> None:
        """Make room for ``processes`` processes, and for all events that they can have due.

        Raises:
            ModelError: there is not enough memory, or not enough event keys.
        """
        memory = self._memory
        size, base = int(memory[at.PROCESS_SIZE]), int(memory[at.PROCESS_BASE])
        counters_of = memory[base + at.COUNTERS : base + memory[at.PROCESSES] * size : size]
        counters, counts = np.unique(counters_of, return_counts=True)
        population = dict(zip(counters.tolist(), counts.tolist(), strict=True))
        populations = [population.get(each, 0) for each in self._counters.tolist()]
        check_processes(self._model, populations, processes, size, self._program.nesting, base)
        self._memory = _longer(memory, base + processes * size)
        self._memory[at.PROCESS_LIMIT] = processes
        self._ring = _unrolled(
            self._memory, self._ring, at.RING_HEAD, at.RING_TAIL, processes * self._program.nesting
        )
        self._urgent = _unrolled(self._memory, self._urgent, at.URGENT_HEAD, at.URGENT_TAIL, processes)
        self._memory[at.RING_MASK], self._memory[at.URGENT_MASK] = len(self._ring) - 1, len(self._urgent) - 1
        end = len(self._heap)
        self._heap = _longer(self._heap, at.ROOT + (processes + 4) * at.EVENT_SIZE)
        self._heap[end:] = at.FAR_NS  # an absent child is never due first

    @property
    def now_ns(self) -> int:
        """The clock, in nanoseconds."""
        return int(self._memory[at.NOW])

    @property
    def finished(self) -> bool:
        """True if every workload with a count has completed it."""
        return bool(self._memory[at.FINISHED])

    @property
    def stuck(self) -> bool:
        """True if nothing is scheduled although requests are in flight."""
        return self._idle and not self.finished

    _idle = False

    def advance(self, until_ns: int) -> None:
        """Process all events due before ``until_ns``, or until the run is finished."""
        if until_ns > self.now_ns:
            self._run_intervals(until_ns - self.now_ns, 1, _NOTHING)

    def intervals(self, interval_ns: int, count: int) -> History:
        """All counters at the end of each of the next ``count`` intervals; fewer if the run ends before."""
        begin_ns = self.now_ns
        readings = self._run_intervals(interval_ns, count, self._watched)
        return self._history(begin_ns + interval_ns * np.arange(1, len(readings) + 1), readings)

    def levels(self) -> NDArray[np.int64]:
        """The present level of each buffer, in the order of the model's places, shape (buffers,)."""
        return self._memory[self._buffers + at.LEVEL]

    @property
    def scheduled(self) -> int:
        """Number of events scheduled so far."""
        return int(self._memory[at.SEQUENCE])

    def first_timer(self, from_ns: int, mark: int) -> int | None:
        """The time of the first event due at ``from_ns`` or later, or pending since ``scheduled`` was ``mark``.

        None if it cannot be told, with very many events.
        """
        return skip.first_timer(self._memory, self._heap, from_ns, mark)

    def skip(self, from_ns: int, by_ns: int, amounts: NDArray[np.int64]) -> None:
        """Let ``by_ns`` pass at once: events due from ``from_ns`` on come nearer, levels rise by ``amounts``.

        Args:
            amounts: of each buffer, in the order of ``levels``; every level stays where nobody has to wait for it.
        """
        skip.bring_forward(self._memory, self._heap, from_ns, by_ns)
        skip.move(self._memory, self._buffers, amounts)

    def completed(self, interval_ns: int, count: int) -> NDArray[np.int64]:
        """Requests completed by each workload at these times, shape (times, workloads): a tenth of the work."""
        return self._run_intervals(interval_ns, count, self._counters + at.COMPLETED).copy()

    def _run_intervals(self, interval_ns: int, count: int, watched: NDArray[np.int64]) -> NDArray[np.int64]:
        """The cells ``watched`` at the end of each interval, shape (intervals, cells)."""
        check_clock(self.now_ns + interval_ns * count)
        size = count * len(watched)
        if len(self._readings) < size:  # reused from call to call: new memory is slow
            check_readings(self._model, size)
            self._readings = np.zeros(size, dtype=np.int64)
        readings = self._readings[:size]
        self._memory[at.INTERVAL], self._memory[at.INTERVAL_END] = 0, self.now_ns + interval_ns
        why = at.UNTIL
        while not self.finished and self._memory[at.INTERVAL] < count and why != at.IDLE:
            why = self._run(watched, readings, np.array([count, interval_ns, len(watched)]))
            if why == at.REFILL:
                self._refill(int(self._memory[at.WANTED]))
            elif why == at.GROW:
                self._grow(2 * int(self._memory[at.PROCESS_LIMIT]))
            elif why == at.RECORD_FULL:
                self._take_record()
            elif why == at.PAUSED:
                self._check_limits()
        self._idle = why == at.IDLE
        self._take_record()
        return readings.reshape(count, len(watched))[: self._memory[at.INTERVAL]]

    def _check_limits(self) -> None:
        """After the budget is used up, and signals were handled, raise if the run has taken too many steps."""
        steps = self._memory[self._counters + at.STEPS].tolist()
        if self._max_steps is not None and sum(steps) > self._max_steps:
            completed = self._memory[self._counters + at.COMPLETED].tolist()
            raise endless(self._model, self.now_ns, steps, completed)
        self._grant_budget()

    def _grant_budget(self) -> None:
        """Grant repetitions of loops, and requests, for about one budget of code.

        A budget is divided among the workloads, and each share among requests of at most ``request_cells``.
        """
        memory, left, reserve = self._memory, self._counters + at.LEFT, self._counters + at.RESERVE
        budget = BUDGET if self._max_steps is None else min(BUDGET, self._max_steps)
        share = max(budget // len(left), min(budget, MIN_SHARE))
        more = np.maximum(0, np.maximum(1, share // np.array(self._program.request_cells)) - memory[left])
        without_end = memory[reserve] < 0
        granted = np.where(without_end, more, np.minimum(more, memory[reserve]))
        memory[left] += granted
        memory[reserve] -= np.where(without_end, 0, granted)
        memory[at.BUDGET] = max(budget, *self._program.request_cells)  # so that the longest loop can repeat

    def _run(self, *intervals: NDArray[np.int64]) -> int:
        arrays = (self._memory, self._floats, self._ring, self._urgent, self._heap, self._record, *intervals)
        if jit.AVAILABLE:
            return int(run(*arrays))
        lists = [array.tolist() for array in arrays]  # plain Python is four times as fast on lists
        why = run(*lists)
        for array, changed in zip(arrays, lists, strict=True):
            array[:] = changed
        return int(why)

    def _refill(self, stream: int) -> None:
        source = self._sources[stream]
        block: NDArray[Any] = self._floats if source.floating else self._memory
        end = int(self._memory[stream + at.END])
        count = min(self._next.get(stream, FIRST_BLOCK), self._block) if source.floating else self._block
        self._next[stream] = LONGER * count
        block[end - count : end] = source.draw(count)
        self._memory[stream + at.POSITION] = end - count

    def _take_record(self) -> None:
        rows = self._record[: self._memory[at.RECORDED]].reshape(-1, at.ROW_SIZE).tolist()
        self._memory[at.RECORDED] = 0
        if self.completions is not None:
            names = [workload.name for workload in self._model.workloads]
            ended = (row for row in rows if row[0] == at.REQUEST_ENDED)
            self.completions += [Completion(names[row[2]], *row[3:]) for row in ended]
        if self.trace is not None and self._decoder is not None:
            self._decoder.decode(rows, self.trace)

    def look(self) -> None:
        """Record in the trace the present activity of all requests and branches in flight."""
        if self.trace is not None and self._decoder is not None:
            self._decoder.look(self._memory, self.trace)

    def snapshot(self) -> Snapshot:
        """Read all counters at the present time."""
        return self._history(np.array([self.now_ns]), self._memory[self._watched][None]).at(0)

    def _history(self, now_ns: NDArray[np.int64], readings: NDArray[np.int64]) -> History:
        """All counters at the times ``now_ns``, shape (times,), from ``readings``, shape (times, cells)."""
        place_cells, counter_cells, histograms = np.split(readings, self._splits, axis=1)
        visits, busy_area, busy, queue_area, queue, since, extra = _columns(place_cells, _PLACE)
        elapsed = now_ns[:, None] - since
        places = np.stack([visits, busy_area + busy * elapsed, queue_area + queue * elapsed, extra], axis=2)
        area, population, since, *sums = _columns(counter_cells, _COUNTERS)
        sums.insert(WORKLOAD_COLUMNS.index("population_ns"), area + population * (now_ns[:, None] - since))
        workloads = np.stack(sums, axis=2)
        groups = histograms.reshape(len(readings), len(self._model.groups), BINS)
        return History(now_ns, places, workloads, groups)

    def who_waits(self) -> str:
        """One line on the clients that wait, the places, and their holders."""
        from sim.engine.events.compiled.waiting import who_waits  # lazily: only a deadlock needs it

        return who_waits(self._model, replace(self._program, memory=self._memory), self._memory)


def _cells(columns: Sequence[int], starts: Sequence[int]) -> list[int]:
    return [start + column for column in columns for start in starts]


def _columns(cells: NDArray[np.int64], columns: Sequence[int]) -> list[NDArray[np.int64]]:
    """Columns of ``cells``, shape (times, columns * rows), each of shape (times, rows)."""
    return [*cells.reshape(len(cells), len(columns), cells.shape[1] // len(columns)).swapaxes(0, 1)]


def _whole_lines(cells: int) -> int:
    return -(-cells // at.LINE) * at.LINE


def _longer(array: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """A copy of ``array``, extended by zeros to ``length``, that begins at a cache line."""
    room = np.zeros(length + at.LINE, dtype=np.int64)
    start = -(room.ctypes.data // room.itemsize) % at.LINE
    longer = room[start : start + length]
    longer[: len(array)] = array
    return longer


def _unrolled(
    memory: NDArray[np.int64], ring: NDArray[np.int64], head: int, tail: int, min_cells: int
) -> NDArray[np.int64]:
    """A larger ring, of a power of two of cells, with the events moved to its beginning."""
    count = int(memory[tail] - memory[head])
    larger = np.zeros(1 << min_cells.bit_length(), dtype=np.int64)
    if count:
        larger[:count] = ring[(memory[head] + np.arange(count)) & (len(ring) - 1)]
    memory[head], memory[tail] = 0, count
    return larger
