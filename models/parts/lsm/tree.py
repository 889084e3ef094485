"""Levels of a log-structured merge tree, and the thresholds at which it slows and stops its writers.

flush ──> [level 0] ──> all at once, with all of [level 1] ──> [level 1] ──> file by file ──> [level 2] ──> …

Sizes are counted in files, all as large as a memtable. Level 1 should hold ``base`` bytes, each further one
``fanout`` times as many, the last one all data. Writes are delayed from ``slowdown`` files of level 0 on, and
stop at ``stop``. They are delayed, too, once the files of a level beyond its target, with those of the next that
each is merged with, are ``soft`` or more (RocksDB adds up all levels).

A file of a level of n files overlaps with r of the next, on average, if that is r times as large. RocksDB picks
the file with the least overlap: (1/2 + 1/n) r, as a simulation of key ranges has it
(``tests/key_ranges.py``, within 10 %).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sim import Buffer, Choose, IfAny, Path, Put, Step, Take

GROWTH, OVERFULL = 1.15, 8.0
"""Sizes of a level, as multiples of its target, are told apart in steps of 15 % up to eight times the target."""

SLOWER, FASTER, RECOVERED = 4, 2, 3
"""RocksDB multiplies the rate of delayed writes by 0.8 when a memtable is full and again when it is flushed, by
1 / 0.8 when a merge ends, and by 1.4 once no delay is needed (``SetupDelay`` in db/column_family.cc). In steps of
sqrt(0.8), 1.4 is three."""

MOST_SLOWED = 40
"""Steps down to 1 % of the rate."""


@dataclass(frozen=True)
class Tree:
    """Levels as buffers of files.

    Attributes:
        name: prefix of place names.
        trigger, slowdown, stop: files of level 0 at which it is merged, writes are delayed, and writes stop.
        targets: files that level 1 and further ones should hold; of the last one, all data.
        fanout: how many times as large as the one before a level is.
        soft: files waiting to be merged at which writes are delayed.
        full: the levels hold their targets from the start.
    """

    name: str
    trigger: int
    slowdown: int
    stop: int
    targets: tuple[int, ...]
    fanout: int
    soft: int
    full: bool

    @property
    def first(self) -> Buffer:
        """Files of level 0."""
        return Buffer(f"{self.name} level 0", self.stop)

    @property
    def fresh(self) -> Buffer:
        """Files of level 0 that nobody merges yet."""
        return Buffer(f"{self.name} level 0 not merged", self.stop, role="internal")

    def level(self, number: int) -> Buffer:
        """Files of level ``number``, from 1; all but the last one may grow beyond their target."""
        target = self.targets[number - 1]
        room = target + 1 if number == len(self.targets) else round(2 * OVERFULL) * target + 2 * self.stop
        return Buffer(f"{self.name} level {number}", room, target if self.full else 0)

    @property
    def behind(self) -> Buffer:
        """Full while too many files wait to be merged."""
        return Buffer(f"{self.name} pending compaction", 1)

    @property
    def slowed(self) -> Buffer:
        """Steps by which delayed writes are slower than ``delayed_rate``."""
        return Buffer(f"{self.name} slowed", MOST_SLOWED)

    def delayed(self, yes: Path, no: Path = ()) -> Step:
        """Take ``yes`` while writes are delayed."""
        behind = IfAny(self.behind, yes, no) if self._looks() else no
        return IfAny(self.first, yes, behind, least=self.slowdown)

    def flushed(self) -> Path:
        """A file arrives at level 0."""
        room = MOST_SLOWED - SLOWER
        slower = (IfAny(self.slowed, (), Put(self.slowed, SLOWER), least=room + 1),)
        return (self.delayed(slower), Put(self.first), Put(self.fresh))

    def arrived(self, number: int) -> Path:
        """A file arrives at level ``number``; in the last one, equal records are dropped."""
        level = self.level(number)
        return (Put(level), *((self._replaced(level),) if number == len(self.targets) else ()))

    def _weighed(self) -> Path:
        """Look whether too many files wait to be merged."""
        return (IfAny(self.behind, Take(self.behind)), *self._looks()) if self._looks() else ()

    def _looks(self) -> Path:
        """A look at each level with each ratio of the next one to it; none if so many files never wait."""
        path: Path = ()
        for number in range(1, len(self.targets)):
            level, following = self.level(number), self.level(number + 1)
            for ratio in (0, 1, 2, 4, 8, 16, 32):
                least = self.targets[number - 1] + -(-self.soft // (1 + ratio))
                beside = max(1, ratio * least)
                if least <= level.capacity and beside <= following.capacity:
                    much = IfAny(level, Put(self.behind), least=least)
                    path += (IfAny(self.behind, (), IfAny(following, much, least=beside)),)
        return path

    def _replaced(self, level: Buffer) -> Step:
        """Drop equal records: a file of them for each that comes, or for as large a share as the level is full."""
        if self.full:
            return Take(level)
        step: Step | Path = ()
        for fifth in range(1, 5):
            some = Choose((fifth / 5.0, Take(level)), (1.0 - fifth / 5.0, ()))
            step = IfAny(level, some, step, least=max(1, round((level.capacity - 1) * (fifth - 0.5) / 5.0)))
        return IfAny(level, Take(level), step, least=level.capacity)

    def merged(self, install: Path) -> Path:
        """Take ``install``, the end of a merge, after which delayed writes are faster."""
        faster, recovered = (
            (IfAny(self.slowed, Take(self.slowed, steps), least=steps),) for steps in (FASTER, RECOVERED)
        )
        ended = (*install, *self._weighed())
        return (self.delayed((*ended, self.delayed(faster, recovered)), ended),)

    def overlaps(self, number: int, merge: Path) -> Path:
        """Take ``merge`` for a file of level ``number``, and for each of the next level that overlaps with it.

        A file that overlaps with none is moved.
        """
        following = self.level(number + 1)
        path: Path = ()
        target, steps = self.targets[number - 1], math.ceil(math.log(OVERFULL, GROWTH))
        for files in sorted({round(target * GROWTH**step) for step in range(steps + 1)}):
            share = min(1.0, 0.5 + 1.0 / files)
            rungs = [math.ceil((overlap - 0.5) * files / share) for overlap in range(1, 3 * self.fanout)]
            least = [each for each in rungs if each <= following.capacity]
            merges = tuple(IfAny(following, merge, least=each) for each in (*least[:1], *least))
            path = (IfAny(self.level(number), merges, path, least=files),)
        return path
