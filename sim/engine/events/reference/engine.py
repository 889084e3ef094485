"""The run: clients of every workload on one SimPy clock, and their counters."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray
from simpy.core import StopSimulation

from sim.engine.events.budget import check_clock, endless
from sim.engine.events.protocol import WORKLOAD_COLUMNS, Completion, History, Snapshot, history_of, waits_shown
from sim.engine.events.random_streams import Streams, gaps_owner, sampler
from sim.engine.events.reference.places import STATES, BufferState, Gauge
from sim.engine.events.reference.steps import bind_path
from sim.engine.events.reference.token import Bound, Events, Process
from sim.engine.events.trace import Interval, Trace
from sim.engine.model.distributions import Constant, Exponential, nanoseconds
from sim.engine.model.memory import check as check_memory
from sim.engine.model.model import Model
from sim.engine.model.places import Place
from sim.engine.model.workloads import Closed, Open, Periodic, Poisson, RecordedGaps, ReplayedTimes, Workload
from sim.engine.statistics.histogram import BINS, Counts, bin_of

CLIENT_BYTES = 2_500
"""Approximate bytes of a client in SimPy's processes and events: 2,750 in a hold and a use, less elsewhere."""


class _Counters:
    """The counters of one workload."""

    def __init__(self, environment: simpy.Environment, workload: Workload, histogram: Counts) -> None:
        self.workload = workload
        self.left = workload.count
        self.started = self.completed = self.latency_ns = self.background = self.steps = 0
        self.look_ups = self.hits = 0
        self.population = Gauge(environment)
        self.histogram = histogram

    def take_from_count(self) -> bool:
        """Return True if one more request may begin, and subtract it from the count."""
        if self.left is None:
            return True
        self.left -= 1
        return self.left >= 0

    @property
    def all_completed(self) -> bool:
        """True if the workload has completed its count, or has none."""
        return self.workload.count is None or self.completed == self.workload.count

    def begin(self) -> None:
        self.started += 1
        self.population.change(+1)

    def end(self, latency_ns: int) -> None:
        self.completed += 1
        self.latency_ns += latency_ns
        self.population.change(-1)
        self.histogram[bin_of(latency_ns)] += 1

    def read(self, steps_in_flight: int) -> tuple[int, ...]:
        """Counters in the order of ``WORKLOAD_COLUMNS``; ``steps_in_flight`` are those of unended processes."""
        area = self.population.area()
        requests = self.started, self.completed, self.latency_ns, area, self.background
        return *requests, self.look_ups, self.hits, self.steps + steps_in_flight


def _in_64_bits(counters: list[tuple[int, ...]]) -> NDArray[np.int64]:
    """Counters modulo 2**64, as of the compiled engine, which keeps differences right."""
    return (np.array(counters, dtype=object) & ((1 << 64) - 1)).astype(np.uint64).view(np.int64)


class ReferenceEngine:
    """One run of ``model`` on SimPy.

    Args:
        model: the model to run; it is not changed.
        seed: root seed of all streams.
        record: keep every completion in ``completions`` (memory grows with the run).
        trace: records the spans of all requests (memory grows with the run).
        max_steps: raise ``TooLongError`` after this many steps; None: no limit.
    """

    name = "reference"

    def __init__(
        self,
        model: Model,
        seed: int,
        *,
        record: bool = False,
        trace: Trace | None = None,
        max_steps: int | None = None,
    ) -> None:
        self._model = model
        self._steps_left = math.inf if max_steps is None else max_steps
        self.environment = simpy.Environment()
        self.streams = Streams(seed)
        self.completions: list[Completion] | None = [] if record else None
        self.trace = trace
        self._states = {place: STATES[type(place)](self.environment, place) for place in model.places}
        self._histograms = dict(zip(model.groups, np.zeros((len(model.groups), BINS), np.int64), strict=True))
        self._counters = {
            each.name: _Counters(self.environment, each, self._histograms[each.group]) for each in model.workloads
        }
        self._processes: dict[Process, None] = {}
        self._finite = model.finite
        self._finished = self.environment.event()
        for workload in model.workloads:
            self._start(workload)

    def state(self, place: Place) -> Any:
        """The state of ``place``, of the class that ``STATES`` names."""
        return self._states[place]

    @property
    def now_ns(self) -> int:
        """The clock, in nanoseconds."""
        return int(self.environment.now)

    @property
    def finished(self) -> bool:
        """True if every workload with a count has completed it."""
        return self._finished.triggered

    @property
    def stuck(self) -> bool:
        """True if nothing is scheduled although requests are in flight."""
        return not self.finished and self.environment.peek() == float("inf")

    def advance(self, until_ns: int) -> None:
        """Process all events due before ``until_ns``, or until the run is finished."""
        check_clock(until_ns)
        if not self.finished and until_ns > self.now_ns:
            self.environment.run(until=until_ns)
            self.environment.step()  # SimPy leaves the stopping event to the next run

    def snapshot(self) -> Snapshot:
        """Read all counters at the present time."""
        in_flight = dict.fromkeys(self._counters, 0)
        for process in self._processes:
            in_flight[process.workload] += process.steps
        return Snapshot(
            self.now_ns,
            _in_64_bits([state.read() for state in self._states.values()]).reshape(-1, 4),
            _in_64_bits([counters.read(in_flight[name]) for name, counters in self._counters.items()]),
            np.array(list(self._histograms.values())),
        )

    def levels(self) -> NDArray[np.int64]:
        """The present level of each buffer, in the order of the model's places, shape (buffers,)."""
        states = (state for state in self._states.values() if isinstance(state, BufferState))
        return np.array([state.container.level for state in states], dtype=np.int64)

    def intervals(self, interval_ns: int, count: int) -> History:
        """All counters at the end of each of the next ``count`` intervals; fewer if the run ends before."""
        check_clock(self.now_ns + interval_ns * count)
        snapshots: list[Snapshot] = []
        for _ in range(count):
            self.advance(self.now_ns + interval_ns)
            if self.finished:
                break
            snapshots.append(self.snapshot())
            if self.stuck:
                break
        return history_of(snapshots, like=self.snapshot())

    def completed(self, interval_ns: int, count: int) -> NDArray[np.int64]:
        """Requests completed by each workload at the times of ``intervals``, shape (times, workloads)."""
        return self.intervals(interval_ns, count).workloads[:, :, WORKLOAD_COLUMNS.index("completed")]

    def look(self) -> None:
        """Record in the trace the present activity of all requests and branches in flight."""
        if self.trace is not None:
            for process in self._processes:
                doing = Interval(*process.activity, process.went_on_ns, self.now_ns, process.in_hand)
                self.trace.look(process, doing)

    def processes(self) -> tuple[Process, ...]:
        """All requests and branches in flight, in the order in which they began."""
        return tuple(self._processes)

    def who_waits(self) -> str:
        """One line on the clients that wait, the places, and their holders."""
        order = list(self._counters)
        in_order = sorted(self._processes, key=lambda each: (order.index(each.workload), each.client))
        return waits_shown(
            (str(each), str(each.waits_for), [str(other) for other in in_order if other.holds(each.waits_for)])
            for each in in_order
            if each.waits_for is not None
        )

    def step_begun(self, process: Process) -> None:
        """Count a step of ``process``.

        Raises:
            TooLongError: the run has taken all steps allowed.
        """
        if not self._steps_left:
            *_, completed, _, _, _, _, _, steps = self.snapshot().workloads.T
            raise endless(self._model, self.now_ns, steps.tolist(), completed.tolist())
        self._steps_left -= 1
        process.steps += 1

    def looked_up(self, process: Process, *, hit: bool) -> None:
        """Count a look-up for the workload of ``process``."""
        counters = self._counters[process.workload]
        counters.look_ups += 1
        counters.hits += hit

    def branch(self, parent: Process, path: Bound, *, background: bool) -> simpy.Process:
        """Start a branch of ``parent`` on ``path``."""
        process = Process(parent.workload, parent.client)
        process.items = parent.items
        if self.trace is not None:
            self.trace.fork(process, parent, self.now_ns, background=background)
        return self.environment.process(self._branch(process, path, background=background))

    def leave_behind(self, parent: Process, branches: Sequence[simpy.Process], needed: int) -> None:
        """Count the remaining ``branches`` as background once ``needed`` of them have ended."""
        counters, ends = self._counters[parent.workload], itertools.count(1)

        def ended(_: simpy.Event) -> None:
            number = next(ends)
            if number >= needed:
                counters.background += len(branches) - needed if number == needed else -1

        for branch in branches:
            branch.callbacks.append(ended)

    def _branch(self, process: Process, path: Bound, *, background: bool) -> Events:
        counters = self._counters[process.workload]
        counters.background += background
        yield from self._take_path(process, path)
        counters.background -= background

    def _take_path(self, process: Process, path: Bound) -> Events:
        self._processes[process] = None
        yield from path(process) if self.trace is None else self._traced(process, path(process), self.trace)
        del self._processes[process]
        self._counters[process.workload].steps += process.steps
        process.steps = 0

    def _traced(self, process: Process, events: Events, trace: Trace) -> Events:
        """Pass ``events`` on, and record the activity until each."""
        outcome: Any = None
        while True:  # ``yield from``, written out to look at the clock before and after each event
            try:
                event = events.send(outcome)
            except StopIteration:
                trace.end(process, self.now_ns)
                return
            process.went_on_ns = self.now_ns
            outcome = yield event
            if self.now_ns > process.went_on_ns:
                trace.spend(process, *process.activity, process.went_on_ns, self.now_ns, process.in_hand)

    def _start(self, workload: Workload) -> None:
        counters = self._counters[workload.name]
        if isinstance(workload, Closed):
            what = f"{workload.clients} clients of {workload}"
            check_memory(what, CLIENT_BYTES * workload.clients, "lower them, or choose engine compiled")
            parts = workload.path[: workload.begins], workload.path[workload.begins :]
            before, path = (bind_path(self, str(workload), part) for part in parts)
            for client in range(workload.clients):
                process = Process(workload.name, client)
                self.environment.process(self._closed(counters, workload, process, before, path))
        elif isinstance(workload, Open):
            path = bind_path(self, str(workload), workload.path)
            self.environment.process(self._open(counters, workload, path))

    def _closed(
        self, counters: _Counters, workload: Closed, process: Process, before: Bound, path: Bound
    ) -> Events:
        think_ns = None if workload.think is None else sampler(self.streams, str(workload), workload.think)
        if workload.start_s:
            yield self.environment.timeout(nanoseconds(workload.start_s))
        stop_ns = None if workload.stop_s is None else nanoseconds(workload.stop_s)
        while (stop_ns is None or self.now_ns < stop_ns) and counters.take_from_count():
            if think_ns:
                yield self.environment.timeout(think_ns(0))
            if workload.begins:
                process.started_ns = None
                yield from self._take_path(process, before)
            yield from self._request(counters, process, path)

    def _open(self, counters: _Counters, workload: Open, path: Bound) -> Events:
        for client, gap_ns in enumerate(self._gaps_ns(workload)):
            if not counters.take_from_count():
                return
            yield self.environment.timeout(gap_ns)
            self.environment.process(self._request(counters, Process(workload.name, client), path))

    def _gaps_ns(self, workload: Open) -> Iterator[int]:
        match workload.arrivals:
            case Poisson(per_second):
                gap = sampler(self.streams, str(workload), Exponential(1.0 / per_second))
            case Periodic(interval_s):
                gap = sampler(self.streams, str(workload), Constant(interval_s))
            case RecordedGaps(gaps):
                yield from self.streams.addresses(gaps_owner(workload), gaps)
                return
            case ReplayedTimes(times_s):
                due = [0, *map(nanoseconds, times_s)]
                yield from (later - earlier for earlier, later in itertools.pairwise(due))
                return
        while True:
            yield gap(0)

    def _request(self, counters: _Counters, process: Process, path: Bound) -> Events:
        process.started_ns = started_ns = self.now_ns
        process.items = 0
        counters.begin()
        if self.trace is not None:
            self.trace.begin(process, process.workload, process.client, started_ns)
        yield from self._take_path(process, path)
        counters.end(self.now_ns - started_ns)
        if self.completions is not None:
            self.completions.append(Completion(process.workload, process.client, started_ns, self.now_ns))
        if self._finite and counters.all_completed and all(each.all_completed for each in self._counters.values()):
            self._finish()

    def _finish(self) -> None:
        if not self._finished.triggered:
            self._finished.callbacks.append(StopSimulation.callback)
            self._finished.succeed()
