"""A run over a given time that skips spans in which levels only go on filling and draining.

Between two thresholds of its levels a model does the same from one window to the next, and each level goes one
way at its own rate. Once some windows were alike, they stand for those that follow: the levels move by whole
repetitions of what they did, so that what is put in at one place and taken out at another stays in balance. No
repetition goes so far that a level meets a threshold, or that a timer is due: there events are simulated again.

window   │▒▒▒▒▒▒▒▒│········ repeated ········│▒▒│···· repeated ····│▒▒▒▒▒▒▒▒ threshold ▒▒▒▒▒▒▒▒│·····
         alike: a regime                     still alike?          another regime
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeGuard

import numpy as np
from numpy.typing import NDArray

from sim.engine.events.protocol import PLACE_COLUMNS, WORKLOAD_COLUMNS, Engine, Snapshot
from sim.engine.model.distributions import NANOSECONDS_PER_SECOND
from sim.engine.model.model import Model
from sim.engine.model.places import Buffer, Cache
from sim.engine.model.steps import Repeat, iter_steps
from sim.engine.model.workloads import Closed, Open
from sim.engine.simulation.options import Progress
from sim.engine.simulation.rare_events import RareEvents
from sim.engine.simulation.regime import ALIKE, SAME, Regime, Window
from sim.engine.simulation.repeatable import amounts, apart, grain, kinds, repeatable, scatter, thresholds
from sim.engine.simulation.steady_state import refuse_deadlock

if TYPE_CHECKING:
    from sim.engine.events.compiled import CompiledEngine

CHECKED = 2
"""Windows simulated after each repetition, which tell whether the regime goes on."""

MOST = 64
"""Latest windows of a regime that are kept, compared and repeated."""

REPEATED = 16
"""Most repetitions of a regime at a time, and one for each ``REQUESTS``: what chance did is repeated, too."""

TURNS = 6
"""Fewest times that a level crosses its mean within a regime, if it is to stay where it is."""

REQUESTS = 2_000
"""Requests of the watched group in a window, at about which its length is kept."""

LOOK_AFTER = 5_000_000
"""Steps after which a run is asked for the first time whether it is enough; then after half as many more."""

MOST_STEPS = 1_000_000_000
"""Steps after which a run ends: some half a minute."""

_COMPLETED, _LATENCY, _STARTED, _STEPS = map(
    WORKLOAD_COLUMNS.index, ("completed", "latency_ns", "started", "steps")
)


class FastForward:
    """One run of ``model``, and what it did over time.

    Args:
        rows: the watched workloads.
        group: the number of their group.
        longest_ns: longest window: the time that the answer resolves.
        skip: leave spans out; otherwise every event is simulated.

    Attributes:
        now_ns: time so far, with what was skipped.
        simulated_ns: time without what was skipped.
        edges_ns: ends of windows, simulated or repeated, in parts that follow each other.
        completed: requests that the watched group completed until then.
        latency_ns: their summed latency.
        levels: levels of ``buffers`` at these times, shape (times, buffers) in each part.
        regimes: the regimes found, in order.
        window_ns: length of the next window.
        warming: True if a cache filled in the last one.
    """

    def __init__(
        self, engine: Engine, model: Model, *, rows: list[int], group: int, longest_ns: int, skip: bool
    ) -> None:
        self.engine, self._model, self._rows, self._group = engine, model, rows, group
        self._longest_ns = longest_ns
        self.window_ns = max(1, longest_ns >> 16)
        self._least_ns, self._held_up, self._mark = 1, 0, 0
        self._skips = skip and _compiled(engine) and repeatable(model)
        self.buffers = [place for place in model.places if isinstance(place, Buffer)]
        self._caches = [row for row, place in enumerate(model.places) if isinstance(place, Cache)]
        self._loops = [
            row
            for row, each in enumerate(model.workloads)
            if any(isinstance(step, Repeat) for step in iter_steps(each.path))
        ]
        self.thresholds = {buffer: thresholds(model, buffer) for buffer in self.buffers}
        self._largest = np.array([max(amounts(model, buffer)) for buffer in self.buffers])
        self._grains = np.array([grain(model, buffer) for buffer in self.buffers])
        self._apart = np.array([apart(model, buffer) for buffer in self.buffers], dtype=np.int64)
        clients = sum(each.clients for each in model.workloads if isinstance(each, Closed))
        self._wanted = max(REQUESTS, 8 * clients)
        self._rare, self._scatter = RareEvents(model, rows, SAME), scatter(model)
        self._kinds = kinds(model.workloads)
        self._cached, self.warming = np.zeros(len(self._caches)), False
        self.now_ns = 0
        self.simulated_ns = 0
        self.edges_ns: list[NDArray[np.float64]] = [np.zeros(1)]
        self.completed: list[NDArray[np.float64]] = [np.zeros(1)]
        self.latency_ns: list[NDArray[np.float64]] = [np.zeros(1)]
        self.levels: list[NDArray[np.float64]] = [self.engine.levels()[None].astype(float)]
        self._before = engine.snapshot()
        self.regimes = [self._regime()]

    @property
    def steps(self) -> int:
        """Steps simulated."""
        return int(self._before.workloads[:, _STEPS].sum())

    def run(
        self,
        end_ns: int,
        max_steps: int = MOST_STEPS,
        progress: Progress | None = None,
        enough: Callable[[], bool] | None = None,
    ) -> None:
        """Run until ``end_ns``, for about ``max_steps`` steps, or until nothing is left to do.

        Args:
            enough: asked now and then; the run ends when it returns True.
        """
        checked, asked = 0, LOOK_AFTER
        while self.now_ns < end_ns and self.steps < max_steps and not (self.engine.finished or self.engine.stuck):
            if progress:
                progress(self.now_ns / end_ns)
            if enough and self._skips and self.steps >= asked:
                asked += asked // 2
                if enough():
                    break
            self._simulate(min(self.window_ns, end_ns - self.now_ns))
            checked += 1
            regime = self.regimes[-1]
            if len(regime.windows) == ALIKE and (later := regime.split(self.window_ns)):
                self.regimes.append(regime := later)
            if len(regime.windows) >= ALIKE and checked >= CHECKED and self._skips:
                checked = 0
                self._repeat(regime, end_ns)
        refuse_deadlock(self.engine, self._model)

    def _regime(self) -> Regime:
        return Regime(self.now_ns, np.zeros_like(self._before.histograms[self._group]))

    def _simulate(self, length_ns: int) -> None:
        """Simulate the next window, and note whether it is like those before."""
        levels, begin_ns = self.engine.levels(), self.engine.now_ns
        if _compiled(self.engine):
            self._mark = self.engine.scheduled
        self.engine.advance(begin_ns + length_ns)
        now = self.engine.snapshot()
        since = now.since(self._before)
        warmed, self.warming = self.warming, self._warming(since)
        self._before = now
        length_ns = since.now_ns
        completed = float(since.workloads[self._rows, _COMPLETED].sum())
        latency_ns = float(since.workloads[self._rows, _LATENCY].sum())
        moved = self.engine.levels() - levels
        crossed = self._crossed(levels, levels + moved)
        window = Window(completed, latency_ns, moved, self._grains, crossed, since.workloads)
        regime = self.regimes[-1]
        if length_ns == self.window_ns:  # the last one may be shorter
            if regime.differs(window) or (warmed and not self.warming):
                regime = self._regime()
                self.regimes.append(regime)
                self._held_up = 0
            regime.windows.append(window)
            del regime.windows[:-MOST]
        regime.histogram += since.histograms[self._group]
        self.simulated_ns += length_ns
        self._note(np.array([float(length_ns)]), np.array([completed]), np.array([latency_ns]), moved[None])
        self._fit_window(completed)

    def _crossed(self, before: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Buffers with a threshold between their levels ``before`` and ``after``."""
        pairs = zip(before, after, self.thresholds.values(), strict=True)
        return np.array(
            [any(min(a, b) <= each <= max(a, b) for each in marks) for a, b, marks in pairs], dtype=bool
        )

    def _fit_window(self, completed: float) -> None:
        """Choose longer windows if few requests end in one, shorter ones if very many do."""
        if completed < self._wanted / 2 and self.window_ns < self._longest_ns:
            self._set_window(self.window_ns * 2)
        elif completed > 4 * self._wanted and self.window_ns // 2 >= self._least_ns:
            self._set_window(self.window_ns // 2)

    def _set_window(self, length_ns: int) -> None:
        """Windows of another length are not compared with the ones before: a regime begins."""
        self.window_ns = max(1, min(length_ns, self._longest_ns))
        self.regimes.append(self._regime())

    def _note(
        self,
        lengths_ns: NDArray[np.float64],
        completed: NDArray[np.float64],
        latency_ns: NDArray[np.float64],
        moved: NDArray[np.int64],
    ) -> None:
        """Append windows of these lengths, shape (windows,), and moves of levels, shape (windows, buffers)."""
        for series, grown in (
            (self.edges_ns, lengths_ns),
            (self.completed, completed),
            (self.latency_ns, latency_ns),
        ):
            series.append(series[-1][-1] + np.cumsum(grown))
        self.levels.append(self.levels[-1][-1] + np.cumsum(moved, axis=0))
        regime = self.regimes[-1]
        self.now_ns += round(lengths_ns.sum())
        regime.end_ns = self.now_ns
        regime.completed += completed.sum()

    def _repeat(self, regime: Regime, end_ns: int) -> None:
        """Let the windows of ``regime`` stand for the following ones, as often as no threshold is met.

        Where all of them go too far, the latest half stands for the next ones, or the latest quarter, and so on.
        """
        if self.warming or regime.perhaps_over or self._in_a_loop(regime):
            return
        windows = regime.windows
        completed = sum(each.completed for each in windows)
        if self._population_grows(completed) or completed < REQUESTS * self._scatter:
            return
        seconds = len(windows) * self.window_ns / NANOSECONDS_PER_SECOND
        asleep = np.flatnonzero(regime.grown(_STEPS) == 0).tolist()  # until a level or a timer wakes them
        completions = np.bincount(
            self._kinds, weights=regime.grown(_COMPLETED)
        )  # equal paths stand for each other
        if self._rare.unseen(completions.astype(float)[self._kinds], seconds, asleep):
            return
        if regime.drifts:
            self.regimes.append(self._regime())
            return
        due_ns = self._due_ns()
        if due_ns is None:
            return
        while not self._repeated(windows, min(end_ns - self.now_ns, due_ns)) and len(windows) >= 2 * ALIKE:
            windows = windows[len(windows) // 2 :]

    def _due_ns(self) -> int | None:
        """Time until the next timer is due, less a window; None if it is not known, or windows get longer."""
        engine = self.engine
        assert _compiled(engine)  # noqa: S101  (others do not skip)
        from sim.engine.events.compiled.layout import FAR_NS  # lazily: Numba, which may be missing

        from_ns = engine.now_ns + self.window_ns
        due_ns = engine.first_timer(from_ns, self._mark)
        if due_ns is None or due_ns >= FAR_NS:
            return due_ns
        self._held_up += due_ns - from_ns < CHECKED * self.window_ns
        if self._held_up >= ALIKE and self.window_ns < self._longest_ns:
            self._least_ns = self.window_ns * 2  # timers are due again and again: windows that hold several
            self._set_window(self._least_ns)
            return None
        return due_ns - from_ns - self.window_ns

    def _repeated(self, windows: list[Window], left_ns: int) -> bool:
        """Repeat ``windows`` while ``left_ns`` allows and no threshold is met; False if not even once."""
        engine = self.engine
        assert _compiled(engine)  # noqa: S101  (others do not skip)
        moves, completed = (np.array([getattr(each, name) for each in windows]) for name in ("moved", "completed"))
        span_ns = len(windows) * self.window_ns
        times = int(min(REPEATED, completed.sum() // (REQUESTS * self._scatter), left_ns // span_ns))
        moved, path = self._moves(moves), np.cumsum(moves, axis=0)
        wide = np.ptp(path, axis=0) > self._largest
        if times < 1 or np.any((moved != moves).any(axis=0) & wide & (_turns(path) < TURNS)):
            return False  # a level that seldom turns is not known to go to and fro
        times = min(times, self._until_threshold(moved, moves))
        if times < 1:
            return False
        self._held_up = 0
        engine.skip(engine.now_ns + self.window_ns, times * span_ns, times * moved.sum(axis=0))
        lengths = np.full(times * len(moves), float(self.window_ns))
        latency_ns = np.array([each.latency_ns for each in windows])
        self._note(lengths, np.tile(completed, times), np.tile(latency_ns, times), np.tile(moved, (times, 1)))
        return True

    def _moves(self, moves: NDArray[np.int64]) -> NDArray[np.int64]:
        """Moves of each level that go on; none of a level that goes to and fro.

        Such a level turns over within a window, or stays near an end of its buffer, as credits that are refilled
        faster than they are taken: nearer than twice the range in which it moves.
        """
        path = np.cumsum(moves, axis=0)
        astray, levels = _astray(path), self.engine.levels()
        capacity = np.array([each.capacity for each in self.buffers])
        reach = np.maximum(np.ptp(path, axis=0), self._largest)
        at_an_end = np.minimum(levels, capacity - levels) <= 2.0 * reach
        to_and_fro = (capacity < 2 * ALIKE * astray) | at_an_end
        return np.where(self._stays(path) | (to_and_fro & (np.abs(path[-1]) <= 4.0 * astray)), 0, moves)

    def _stays(self, path: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Buffers whose level goes to and fro by what each client moves once, as where writers wait for room."""
        width = np.maximum(path.max(axis=0), 0) - np.minimum(path.min(axis=0), 0)
        stays: NDArray[np.bool_] = (width <= 2 * self._apart) & (_turns(path) >= TURNS)
        return stays

    def _until_threshold(self, moved: NDArray[np.int64], moves: NDArray[np.int64]) -> int:
        """Repetitions before which no level that moves comes near a threshold, or an end of its buffer."""
        times = REPEATED
        levels, net = self.engine.levels(), moved.sum(axis=0)
        astray = _astray(np.cumsum(moves, axis=0))
        for level, rise, margin, marks in zip(levels, net, astray, self.thresholds.values(), strict=True):
            if rise:
                ahead = [abs(each - level) for each in marks if (each - level) * np.sign(rise) >= 0]
                room = min(ahead, default=0) - 2.0 * margin - abs(rise) / len(moves)
                times = min(times, int(room // abs(rise)))
        return times

    def _in_a_loop(self, regime: Regime) -> bool:
        """True if a loop may go on from window to window, and come to an end that no repetition shows."""
        completed, steps = (regime.grown(column)[self._loops] for column in (_COMPLETED, _STEPS))
        return bool(np.any((steps > 0) & (completed < ALIKE)))

    def _population_grows(self, completed: float) -> bool:
        """True if requests pile up, which no repetition can show; ``completed`` are those of the regime."""
        open_ = [row for row, each in enumerate(self._model.workloads) if isinstance(each, Open)]
        sums = self._before.workloads[open_]
        in_flight = int((sums[:, _STARTED] - sums[:, _COMPLETED]).sum())
        return bool(in_flight > 4.0 * np.sqrt(completed) + 100.0)

    def _warming(self, since: Snapshot) -> bool:
        """True if a cache still fills, so that the next windows will have more hits."""
        blocks = since.places[self._caches, PLACE_COLUMNS.index("busy_ns")] / max(1, since.now_ns)
        before, self._cached = self._cached, blocks
        return bool(np.any(blocks > before))


def _compiled(engine: Engine) -> TypeGuard[CompiledEngine]:
    """True if ``engine`` can skip time; without a look at its class, as Numba may be missing."""
    return hasattr(engine, "skip")


def _astray(path: NDArray[np.int64]) -> NDArray[np.float64]:
    """Largest distance of each level from a straight line through its first and last point, shape (buffers,)."""
    count = len(path)
    line = path[-1] * (np.arange(1, count + 1) / count)[:, None]
    farthest: NDArray[np.float64] = np.abs(path - line).max(axis=0)
    return farthest


def _turns(path: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of times that each level crosses its mean, shape (buffers,)."""
    above = path > path.mean(axis=0)
    crossings: NDArray[np.int64] = (above[1:] != above[:-1]).sum(axis=0)
    return crossings
