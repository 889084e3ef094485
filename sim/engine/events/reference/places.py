"""The state of places during a run, on SimPy's resources where these fit."""

from __future__ import annotations

from collections import deque
from typing import Any

import simpy
from simpy.resources import base

from sim.engine.events.reference.token import Events, Process
from sim.engine.model import places
from sim.engine.model.policies import Access, policy_of


class Gauge:
    """A level and its integral over time, in integer nanoseconds."""

    def __init__(self, environment: simpy.Environment, level: int = 0) -> None:
        self.level = level
        self._environment = environment
        self._area = 0
        self._since = 0

    def change(self, by: int) -> None:
        """Add ``by`` to the level from now on."""
        now = int(self._environment.now)
        self._area += self.level * (now - self._since)
        self._since = now
        self.level += by

    def area(self) -> int:
        """The integral from 0 until now."""
        return self._area + self.level * (int(self._environment.now) - self._since)


class PlaceState:
    """The counters of every place."""

    def __init__(self, environment: simpy.Environment, place: places.Place, level: int = 0) -> None:
        self.environment = environment
        self.place = place
        self.busy = Gauge(environment, level)
        self.queue = Gauge(environment)
        self.visits = 0
        self.extra = 0

    def read(self) -> tuple[int, int, int, int]:
        """Counters in the order of ``PLACE_COLUMNS``."""
        return self.visits, self.busy.area(), self.queue.area(), self.extra

    def queued(self, process: Process, grant: simpy.Event) -> Events:
        """Wait for the event ``grant``, counted as waiting here; then count the visit."""
        process.wait_for(self.place)
        self.queue.change(+1)
        yield grant
        self.queue.change(-1)
        process.waits_for = None
        self.visits += 1


class StationState(PlaceState):
    """A SimPy resource."""

    def __init__(self, environment: simpy.Environment, station: places.Station) -> None:
        super().__init__(environment, station)
        self.resource = simpy.Resource(environment, station.servers)

    def serve(self, process: Process, grant: simpy.Event) -> Events:
        """Queue until ``grant``, the event of a granted server."""
        yield from self.queued(process, grant)
        process.activity = "serve", self.place.name
        self.busy.change(+1)


class PoolState(PlaceState):
    """A SimPy container full of tokens."""

    def __init__(self, environment: simpy.Environment, pool: places.Pool) -> None:
        super().__init__(environment, pool)
        self.container = simpy.Container(environment, pool.tokens, init=pool.tokens)

    def acquire(self, process: Process, tokens: int, *, exclusive: bool) -> Events:
        """Wait for ``tokens`` tokens and take them."""
        del exclusive  # a pool has one mode
        yield from self.queued(process, self.container.get(tokens))
        self.busy.change(tokens)

    def release(self, tokens: int, *, exclusive: bool) -> None:
        """Release the tokens; waiting processes are granted theirs when the release event is processed."""
        del exclusive
        self.busy.change(-tokens)
        self.container.put(tokens)


class _Acquire(base.Put[Any]):
    """Request a lock in a mode."""

    def __init__(self, lock: _SharedLock, *, exclusive: bool) -> None:
        self.exclusive = exclusive
        super().__init__(lock)


class _Release(base.Get[Any]):
    """Release a lock."""

    def __init__(self, lock: _SharedLock, *, exclusive: bool) -> None:
        self.exclusive = exclusive
        super().__init__(lock)


class _SharedLock(base.BaseResource):  # type: ignore[type-arg]  # generic in stubs only
    """Shared and exclusive holders, first come, first served, without overtaking."""

    def __init__(self, environment: simpy.Environment) -> None:
        super().__init__(environment, capacity=1)
        self.shared = 0
        self.exclusive = 0

    def _do_put(self, event: Any) -> bool | None:
        if self.exclusive or (event.exclusive and self.shared):
            return None
        self.exclusive += event.exclusive
        self.shared += not event.exclusive
        event.succeed()
        return True  # the next in the queue may be compatible too

    def _do_get(self, event: Any) -> bool | None:
        self.exclusive -= event.exclusive
        self.shared -= not event.exclusive
        event.succeed()
        return None


class LockState(PlaceState):
    """A lock; ``busy`` is 1 while it is held."""

    def __init__(self, environment: simpy.Environment, lock: places.Lock) -> None:
        super().__init__(environment, lock)
        self._lock = _SharedLock(environment)
        self._holders = 0

    def has(self, least: int) -> bool:  # noqa: ARG002  (only levels have a least)
        """True if the lock is held or waited for."""
        return bool(self._lock.shared or self._lock.exclusive or self._lock.put_queue)

    def acquire(self, process: Process, tokens: int, *, exclusive: bool) -> Events:
        """Wait until no holder excludes the process."""
        yield from self.queued(process, _Acquire(self._lock, exclusive=exclusive))
        if not self._holders:
            self.busy.change(+1)
        self._holders += tokens

    def release(self, tokens: int, *, exclusive: bool) -> None:
        """Release the lock; waiting processes are granted it when the release event is processed."""
        self._holders -= tokens
        if not self._holders:
            self.busy.change(-1)
        _Release(self._lock, exclusive=exclusive)


class _Watermarked(simpy.Container):
    """Takes are granted from when the level has risen to the high watermark until it has fallen to the low one."""

    def __init__(self, environment: simpy.Environment, buffer: places.Buffer) -> None:
        super().__init__(environment, buffer.capacity, init=buffer.initial)
        self._buffer = buffer
        self._draining = False

    def _do_get(self, event: Any) -> bool | None:
        if not (self._draining or self.level >= self._buffer.high):
            return None
        granted = super()._do_get(event)
        self._draining = self.level > self._buffer.low
        return granted


class BufferState(PlaceState):
    """A SimPy container; ``busy`` is its level."""

    def __init__(self, environment: simpy.Environment, buffer: places.Buffer) -> None:
        super().__init__(environment, buffer, buffer.initial)
        self.container = _Watermarked(environment, buffer)

    def has(self, least: int) -> bool:
        """True if at least so much is in the buffer."""
        return bool(self.container.level >= least)


class GateState(PlaceState):
    """Processes that wait to be gathered; ``busy`` counts the gathered ones, ``extra`` the batches."""

    def __init__(self, environment: simpy.Environment, gate: places.Gate) -> None:
        super().__init__(environment, gate)
        self._waiting: list[simpy.Event] = []
        self._gatherers: deque[simpy.Event] = deque()

    def has(self, least: int) -> bool:  # noqa: ARG002  (only levels have a least)
        """True if a process waits to be gathered."""
        return bool(self._waiting)

    def wait(self, process: Process) -> Events:
        """Join the queue, let the first gatherer go on, and wait to be woken."""
        woken = self.environment.event()
        self._waiting.append(woken)
        self.queue.change(+1)
        if self._gatherers:
            self._gatherers.popleft().succeed()
        process.wait_for(self.place)
        yield woken
        process.waits_for = None

    def gather(self, process: Process) -> Events:
        """Take all waiting processes, at least one, as the batch of ``process`` at this gate."""
        while not self._waiting:
            arrival = self.environment.event()
            self._gatherers.append(arrival)
            process.wait_for(self.place)
            yield arrival
            process.waits_for = None
        batch, self._waiting = self._waiting, []
        process.batches[self.place] = batch
        process.items = len(batch)
        self.queue.change(-len(batch))
        self.busy.change(+len(batch))
        self.visits += len(batch)
        self.extra += 1

    def wake(self, process: Process) -> None:
        """Let the batch of ``process`` go on, in the order of arrival."""
        batch = process.batches.pop(self.place)
        self.busy.change(-len(batch))
        for woken in batch:
            woken.succeed()


class CacheState(PlaceState):
    """The blocks that the policy keeps: ``busy`` is their number, ``extra`` counts the hits."""

    def __init__(self, environment: simpy.Environment, cache: places.Cache) -> None:
        super().__init__(environment, cache)
        self._policy = policy_of(cache.policy)(cache.capacity)

    def look_up(self, block: int, access: Access) -> bool:
        """Return True if ``block`` is resident; else insert it, and evict by the policy if full."""
        self.visits += 1
        if self._policy.find(block, access):
            self.extra += 1
            return True
        self._policy.insert(block, access)
        self.busy.change(len(self._policy) - self.busy.level)
        return False


STATES: dict[type[places.Place], type[PlaceState]] = {
    places.Station: StationState,
    places.Lock: LockState,
    places.Pool: PoolState,
    places.Buffer: BufferState,
    places.Gate: GateState,
    places.Cache: CacheState,
}
"""Class of the state of each kind of place."""
