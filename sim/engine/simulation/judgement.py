"""Stopping rule of a run: each watched answer is known, at present and at half the run, or never will be.

An interval that is checked repeatedly is too narrow by chance sooner or later. So an answer counts as known
only if its interval was narrow enough at half the run as well (√2 times as wide suffices there), and all watched
answers are judged together: throughput does not stop a run whose p99 has not met its first crowd.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace

from sim.engine.errors import NoSteadyStateError
from sim.engine.result import Result
from sim.engine.simulation.options import Run
from sim.engine.simulation.snapshots import Snapshots
from sim.engine.simulation.tails import min_completions
from sim.engine.statistics.answers import ANSWERS, QUANTILES
from sim.engine.statistics.estimates import Estimate

LOOKS = 4
"""Checks of a run while its length doubles."""

SURE = 0.25
"""Share of the budget after which the remaining work for an answer is known well enough to give it up."""

HOPELESS = 4.0
"""An answer that would take more than this many budgets is given up."""

MIN_COMPLETED, MIN_BRIEF = 500, 1000
"""Least completions of the watched group before a run, and before a brief run, may stop."""

ALWAYS = ("throughput", "mean")
"""Answers that are quick to compute."""


class Judge:
    """Decides at each check of one run which of the watched answers are known.

    Attributes:
        run: the run, with the answers it waits for.
        completed: completions of the watched group in the batches of the last check.
        least: least completions for the mean latency to be known.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self._rows = run.rows
        self._group = run.model.groups.index(run.watch)
        self._tolerances = run.options.tolerances
        self.least = min_completions(run.model, self._tolerances["mean"])
        self._before: deque[Mapping[str, float]] = deque(maxlen=LOOKS)
        self._now: dict[str, float] = {}
        self._known: set[str] = set()
        self._wider: dict[str, float] = {}
        self._budget = 0.0
        self._asked = False
        self.completed = 0.0

    def look(self, snapshots: Snapshots, edges: list[int] | None, so_far: Callable[[], Result]) -> None:
        """Judge each watched answer by the batches between ``edges``, which are None during the warm-up.

        Args:
            so_far: returns the result of these batches, from which a system's own answers are read.
        """
        at_half = self._before[0] if len(self._before) == LOOKS else {}
        self._now, self._known, self._wider = {}, set(), {}
        if edges:
            controls = self.run.controls.in_batches(snapshots, edges)
            batches = snapshots.request_batches(self._rows, self._group, edges, controls)
            self.completed = float(batches.completed.sum())
            self._budget = self._completions_allowed(snapshots)
            own: Mapping[str, Estimate] | None = None
            for name in self.run.options.answers:
                if name not in ALWAYS and not self._others_nearly_known():
                    break
                if name in ANSWERS:
                    interval = batches.answer(name, self.run.options.confidence, cautiously=self.run.options.brief)
                    precision, independent = interval.estimate.precision, interval.independent
                else:
                    own = self.run.own(so_far()) if own is None else own
                    precision, independent = own[name].precision if name in own else 0.0, True
                self._now[name] = precision
                self._wider[name] = max(precision, at_half.get(name, math.inf) / math.sqrt(2.0))
                if self._wider[name] <= self._tolerances[name] and independent:
                    self._known.add(name)
            if self.completed < self.least:
                self._known.discard("mean")
        self._before.append(self._now)
        self.run.progress(self.share_done)

    def _completions_allowed(self, snapshots: Snapshots) -> float:
        """The budget in completions: the tighter of the limits on completions and steps."""
        options = self.run.options
        completed = float(snapshots.counter("completed", self._rows, [-1])[-1])
        return min(float(options.completions), options.max_steps * completed / max(1, snapshots.steps))

    def _others_nearly_known(self) -> bool:
        """True if all answers so far are nearly known, or hopeless, so that slow ones are to be computed."""
        return all(
            self._now[name] <= math.sqrt(2.0) * self._tolerances[name] or self.hopeless(name) for name in self._now
        )

    def known(self, name: str) -> bool:
        """True if the answer ``name`` was known at the last check."""
        return name in self._known

    def widened(self, name: str, estimate: Estimate) -> Estimate:
        """``estimate`` of ``name``, with a wider interval if that at half the run was wider by more than √2.

        Both widths estimate the same error, so their mean is best; and as the run stopped at this check,
        the later one may be narrow by chance.
        """
        now, wider = self._now.get(name, math.inf), self._wider.get(name, math.inf)
        if not 0.0 < now < wider < math.inf or name == "mean":  # the mean has room above already
            return estimate
        factor = (1.0 + wider / now) / 2.0
        below, above = (
            (side * factor) for side in (estimate.value - estimate.low, estimate.high - estimate.value)
        )
        return replace(estimate, low=estimate.value - below, high=estimate.value + above).not_below_zero()

    def doubt(self, name: str) -> str:
        """Why ``name`` is not known although its interval is narrow enough, as text."""
        if name == "mean" and self.completed < self.least:
            return f"its longest services are rare: {self.least:.1g} completions tell how long they are"
        if name not in self._now:
            return "other answers were not known yet, without which it is not looked at"
        if math.isinf(self._wider[name]):
            return "it was not looked at before the other answers were nearly known"
        if self._wider[name] > self._tolerances[name]:
            return "half of that did not show it yet"
        return "neighbouring parts of the run still resemble each other"

    def would_take(self, name: str) -> float:
        """Completions needed to know ``name``, extrapolated from its present interval."""
        completions = self.completed * (self._now.get(name, math.inf) / self._tolerances[name]) ** 2
        return max(completions, self.least) if name == "mean" else completions

    def hopeless(self, name: str) -> bool:
        """True if ``name`` will not be known within the budget."""
        if name == "mean" and self.least > self.run.options.completions:
            return True
        return self.completed >= SURE * self._budget and self.would_take(name) > HOPELESS * self._budget

    def ask(self, so_far: Callable[[], Result]) -> None:
        """Stop waiting for percentiles if only they are open, and they mean nothing by the result ``so_far``."""
        if not self._asked and self._open and all(name in QUANTILES for name in self._open):
            try:
                result = so_far()
            except NoSteadyStateError:
                return  # only a pause, for example until a limit lets requests pass: the run goes on
            self._asked = True
            if not self.run.percentiles(result):
                self.run, self._known = self.run.without_percentiles, set()  # the run is brief now: look again

    @property
    def decided(self) -> bool:
        """True if each watched answer is known or hopeless, so that going on would change nothing."""
        least = MIN_BRIEF if self.run.options.brief else MIN_COMPLETED
        return self.completed >= least and bool(self._now) and not self._open

    @property
    def _open(self) -> list[str]:
        answers = self.run.options.answers if self._now else ()
        return [name for name in answers if not (self.known(name) or self.hopeless(name))]

    @property
    def share_done(self) -> float:
        """Estimated share of the run that is done."""
        if not self._now:
            return 0.0
        most = max((self.would_take(name) for name in self._open), default=0.0)
        return self.completed / max(self.completed, min(most, self._budget), 1.0)
