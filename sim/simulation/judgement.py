"""When a run may stop: every watched answer is known well enough, now and at half the run, or never will be.

An interval that is looked at again and again is too narrow by chance sooner or later. So an answer counts as known
only if its interval was narrow enough at half the run as well (there √2 times as wide is as good), and all watched
answers are judged together: throughput does not stop a run whose p99 has not met its first crowd.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import replace

from sim.simulation.options import Run
from sim.simulation.snapshots import History
from sim.simulation.tails import least_completions
from sim.statistics.answers import QUANTILES
from sim.statistics.estimates import Estimate

LOOKS = 4
"""Looks at a run while it doubles."""


SURE = 0.25
"""Of the budget: from here on, what it would take is known well enough to give up early."""

HOPELESS = 4.0
"""Times the budget that an answer would take."""

LEAST_COMPLETED = 500
"""Completions of the watched group before a run may stop."""


class Judge:
    """Looks at one run again and again.

    Attributes:
        completed: completions of the watched group in the batches of the last look.
        least: completions before which its mean latency cannot be known.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._rows = run.rows
        self._group = run.model.groups.index(run.watch)
        self._tolerances = run.options.tolerances
        self.least = least_completions(run.model, self._tolerances["mean"])
        self._before: deque[Mapping[str, float]] = deque(maxlen=LOOKS)
        self._now: dict[str, float] = {}
        self._known: set[str] = set()
        self._wider: dict[str, float] = {}
        self._budget = 0.0
        self.completed = 0.0

    def look(self, history: History, edges: list[int] | None) -> None:
        """See how well each watched answer is known from the batches between ``edges``; None: not settled yet."""
        before = self._before[0] if len(self._before) == LOOKS else {}
        self._now, self._known, self._wider = {}, set(), {}
        if edges:
            batches = history.walks(self._rows, self._group, edges)
            self.completed = float(batches.completed.sum())
            self._budget = self._completions_allowed(history)
            for name in self._run.options.answers:
                if name in QUANTILES and not self._worth_a_look():
                    break
                found = batches.answer(name, self._run.options.confidence)
                self._now[name] = found.estimate.precision
                self._wider[name] = max(found.estimate.precision, before.get(name, math.inf) / math.sqrt(2.0))
                if self._wider[name] <= self._tolerances[name] and found.independent:
                    self._known.add(name)
            if self.completed < self.least:
                self._known.discard("mean")
        self._before.append(self._now)
        self._run.progress(self.share_done)

    def _completions_allowed(self, history: History) -> float:
        """The budget as completions: most steps may be the narrower of the two limits."""
        done = float(history.counted("completed", self._rows)[-1])
        return min(
            float(self._run.options.completions), self._run.options.most_steps * done / max(1, history.steps)
        )

    def _worth_a_look(self) -> bool:
        """Percentiles take time to look at: not before the other answers are nearly known."""
        return all(
            self._now[name] <= math.sqrt(2.0) * self._tolerances[name] or self.hopeless(name) for name in self._now
        )

    def known(self, name: str) -> bool:
        """Whether the answer ``name`` was known at the last look."""
        return name in self._known

    def widened(self, name: str, found: Estimate) -> Estimate:
        """The interval ``found`` of ``name``, wider where half the run had a wider one, by more than √2.

        Both tell the same error, so that their mean tells it best; and that the run stopped now says that the
        later one may be narrow by chance.
        """
        now, wider = self._now.get(name, math.inf), self._wider.get(name, math.inf)
        if not 0.0 < now < wider < math.inf or name == "mean":  # which has room above already
            return found
        factor = (1.0 + wider / now) / 2.0
        below, above = ((each * factor) for each in (found.value - found.low, found.high - found.value))
        return replace(found, low=found.value - below, high=found.value + above).not_below_zero()

    def doubt(self, name: str) -> str:
        """Why ``name`` is not known although its interval is narrow enough."""
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
        """Completions that it would take to know ``name``, from how well it is known now."""
        wanted = self.completed * (self._now.get(name, math.inf) / self._tolerances[name]) ** 2
        return max(wanted, self.least) if name == "mean" else wanted

    def hopeless(self, name: str) -> bool:
        """Whether ``name`` will not be known within the budget."""
        if name == "mean" and self.least > self._run.options.completions:
            return True
        return self.completed >= SURE * self._budget and self.would_take(name) > HOPELESS * self._budget

    @property
    def decided(self) -> bool:
        """Whether going on is useless: each watched answer is known, or hopeless."""
        if self.completed < LEAST_COMPLETED or not self._now:
            return False
        return all(self.known(name) or self.hopeless(name) for name in self._run.options.answers)

    @property
    def share_done(self) -> float:
        """Which share of the run is probably done."""
        if not self._now:
            return 0.0
        waiting = [name for name in self._run.options.answers if not (self.known(name) or self.hopeless(name))]
        most = max((self.would_take(name) for name in waiting), default=0.0)
        return self.completed / max(self.completed, min(most, self._budget), 1.0)
