"""Endless loads: run slice by slice until the long-run throughput is known, or say why it never will be."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sim.demand import least_time_s
from sim.distributions import nanoseconds
from sim.errors import DeadlockError, NoSteadyStateError
from sim.estimates import Estimate, Series, independent, mean
from sim.histogram import percentile_ns
from sim.history import History, place_column
from sim.measures import WORKLOAD_COLUMNS, Engine
from sim.result import Result
from sim.summary import needed, rate, result
from sim.wish import Wish
from sim.workloads import Closed

SLICES = 256
"""Slices kept at most; when there are so many, neighbours are merged and the next ones are twice as long."""

CHECKS = tuple(range(SLICES * 5 // 8, SLICES + 1, SLICES // 8))
"""Slices at which it is asked whether enough is known: each look is at 14 to 25 % more than the last."""

LEAST_COMPLETED = 500
"""Completions of the watched group before a run may stop: 25 a batch."""

ROUNDING = 0.005
"""By how much chance may let a place seem to do more than it can."""

MANY = 100
"""Clients or branches on their way that are no longer a chance crowd."""


def steady(wish: Wish) -> Result:
    """Run until the precision is reached, or warn that it was not within the allowed steps."""
    engine = wish.create(wish.model, wish.seed)
    history = History(engine, first_slice_ns(wish))
    while True:
        if len(history) == SLICES:
            history.merge()
        history.extend(next(slices for slices in CHECKS if slices > len(history)) - len(history))
        refuse_deadlock(engine)
        growing = _growing(wish, history)
        warmup = None if growing else history.warmup(wish.rows)
        if warmup is not None and _known_well(wish, history, history.edges(warmup)):
            return result(wish, engine, history, history.edges(warmup), _idle_workloads(wish, history))
        if history.steps >= wish.most_steps:
            if growing:
                raise NoSteadyStateError(
                    f"no steady state after {history.steps} steps: {growing} still pile up; "
                    "lower the load, add capacity, or allow more steps"
                )
            return _give_up(wish, engine, history, warmup)


def refuse_deadlock(engine: Engine) -> None:
    """Raise if everybody waits for somebody else."""
    if engine.stuck:
        raise DeadlockError(
            f"deadlock within {engine.now_ns / 1e9:g} simulated seconds: {engine.who_waits()}; "
            "take holds in one order everywhere, or let the one who is waited for go on"
        )


def first_slice_ns(wish: Wish) -> int:
    """A guess at a useful distance of snapshots: part of the quickest walk. They double until it is enough."""
    quickest_s = min(least_time_s(wish.model.workloads[row].path) for row in wish.rows)
    return nanoseconds(max(quickest_s, 1e-6) / 4)


def _known_well(wish: Wish, history: History, edges: list[int]) -> bool:
    completed = history.counted("completed", wish.rows)
    if completed[-1] - completed[edges[0]] < LEAST_COMPLETED:
        return False
    found = [rate(history, wish.rows, edges, wish.confidence)]
    if wish.percentile is not None:
        found.append(_percentile(wish, history, edges, wish.percentile))
    worst = max(each.precision for each in found)
    wish.progress(min(1.0, (wish.precision / max(worst, wish.precision)) ** 2))
    return (
        worst <= wish.precision
        and _independent(history, wish.rows, edges)
        and not _filling(wish, history, edges)
        and not _parted(wish, history, edges)
    )


def _filling(wish: Wish, history: History, edges: list[int]) -> bool:
    """Whether buffers take in so much more than they give that the throughput in front of them is too high by it.

    Who fills a buffer is faster than who empties it, and looks settled, until it is full.
    """
    passed = wish.model.puts.of(_walks(history, edges))
    buffers = passed > 0.0
    first, last = (_levels(history, *cut)[buffers].sum() for cut in (edges[:2], edges[-2:]))
    return bool(last - first > wish.precision / 2 * passed.sum())


def _parted(wish: Wish, history: History, edges: list[int]) -> bool:
    """Whether those who put are through so much more often than those who take that one of both must change.

    What is taken and still on its way hides from ``_filling``: at first all is taken at once.
    """
    walks = _walks(history, edges)
    passed, left = wish.model.puts.of(walks), wish.model.nets.of(walks)
    known = (passed > 0.0) & np.isfinite(left)
    return bool(abs(left[known].sum()) > wish.precision / 2 * passed[known].sum())


def _walks(history: History, edges: list[int]) -> NDArray[np.int64]:
    """What each workload completed in all batches, shape (workloads,)."""
    return history.window(edges[0]).workloads[:, WORKLOAD_COLUMNS.index("completed")]


def _levels(history: History, begin: int, end: int) -> Series:
    """Mean level of each buffer between two snapshots (of other places, what is in use), shape (places,)."""
    batch = history.snapshots[end].since(history.snapshots[begin])
    return place_column(batch, "busy_ns") / batch.now_ns


def _independent(history: History, rows: list[int], edges: list[int]) -> bool:
    """Whether batches are long enough not to depend on each other, in throughput and in population."""
    return all(
        independent(np.diff(history.counted(column, rows)[edges])) for column in ("completed", "population_ns")
    )


def _percentile(wish: Wish, history: History, edges: list[int], share: float) -> Estimate:
    """The percentile over all batches, with the spread between batches as its interval."""
    group = wish.model.groups.index(wish.watch)
    cuts = [history.snapshots[edge].histograms[group] for edge in edges]
    each = [percentile_ns(later - earlier, share) for earlier, later in pairwise(cuts)]
    spread = mean(np.array(each), wish.confidence)
    value = percentile_ns(cuts[-1] - cuts[0], share)
    half = (spread.high - spread.low) / 2
    return Estimate(value, value - half, value + half, wish.confidence)


def _growing(wish: Wish, history: History) -> str | None:
    """What still piles up behind those who do not wait for it, so that the speed seen now will not last.

    A write-back cache that is filling does so: more is asked of the disks than they can do, until it is full.

    Raises:
        NoSteadyStateError: clients arrive faster than they leave.
    """
    for group in wish.model.groups:
        rows = wish.model.rows(group)
        started = history.counted("started", rows)
        on_their_way = started - history.counted("completed", rows)
        if _piles_up(on_their_way, started):
            raise _no_steady_state(history, f"clients of '{group}'", on_their_way[-1])
        behind = history.counted("background", rows)
        if _piles_up(behind, started):
            return f"background branches of '{group}' ({int(behind[-1])} on their way)"
    return _asked_too_much(wish, history)


def _asked_too_much(wish: Wish, history: History) -> str | None:
    """A place that branches nobody waits for are asked to use more than it can be (utilisation law).

    Only there can work be put off; and where everybody waits, chance alone would stop runs at too low a rate.
    """
    window = history.window(len(history) // 2)
    for place, share in needed(wish.model, window).items():
        if place in wish.model.unwaited and share > 1.0 + ROUNDING:
            return f"work for {place} ({share:.1%} of what it can do)"
    return None


def _piles_up(piled: Series, started: Series) -> bool:
    """In eight looks ever more, and by now many, also as a share of all that started."""
    grown = piled[-1] - piled[0]
    return bool(grown > max(MANY, 0.01 * started[-1]) and np.all(np.diff(piled[:: len(piled) // 8]) > 0))


def _no_steady_state(history: History, what: str, count: float) -> NoSteadyStateError:
    return NoSteadyStateError(
        f"no steady state: {what} pile up ({int(count)} on their way after "
        f"{history.snapshots[-1].now_ns / 1e9:g} simulated seconds); lower the load, or add capacity"
    )


def _idle_workloads(wish: Wish, history: History) -> tuple[str, ...]:
    """A line for each closed workload that never got through its path."""
    return tuple(
        f"workload '{workload.name}' completed nothing in the whole run"
        for row, workload in enumerate(wish.model.workloads)
        if isinstance(workload, Closed) and not history.counted("completed", [row])[-1]
    )


def _standstill(wish: Wish, history: History, last: int) -> NoSteadyStateError:
    """Some wait for each other while others go on, so that no engine is stuck."""
    witness = wish.create(wish.model, wish.seed)  # who waits is told by a run of its own: let it be a short one
    witness.advance(history.snapshots[last + 1].now_ns)
    begin_s, end_s = (history.snapshots[each].now_ns / 1e9 for each in (last, -1))
    return NoSteadyStateError(
        f"no steady state: '{wish.watch}' completed nothing from {begin_s:g} to {end_s:g} simulated seconds: "
        f"{witness.who_waits()}"
    )


def _give_up(wish: Wish, engine: Engine, history: History, warmup: int | None) -> Result:
    edges = history.edges(warmup if warmup is not None else len(history) // 2)
    completed = history.counted("completed", wish.rows)
    if completed[-1] == completed[edges[0]]:
        raise _standstill(wish, history, int(np.searchsorted(completed, completed[-1])))
    found = rate(history, wish.rows, edges, wish.confidence)
    settled = "" if warmup is not None else "; the warm-up had not ended"
    warning = (
        f"stopped at ±{found.precision:.2%} after {history.steps} steps, "
        f"±{wish.precision:.2%} was asked for{settled}; allow more steps or less precision"
    )
    return result(wish, engine, history, edges, (warning, *_idle_workloads(wish, history)))
