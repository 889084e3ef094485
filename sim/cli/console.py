"""Console output of the commands: tables on standard output, progress on standard error."""

from __future__ import annotations

import json
import math
import os
import sys
import textwrap
import time as clock
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sim.engine.errors import printable
from sim.engine.simulation.options import ANALYTIC, RunOptions
from sim.engine.simulation.options import Progress as ShareDone

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress

    from sim.output.views.parts import Part
    from sim.prediction.sweep import OnProgress

EDGELESS = 300
"""Width of a file or pipe, which has no edge at which to wrap a table."""

NARROWEST = 40
"""Smallest credible width of a terminal."""

LINE_EVERY_S = 10.0
"""Seconds before the first progress line and between two, without a terminal for a bar."""

PROSE = 80
"""Largest width of prose: longer lines are hard to read."""

_TOLD_AFTER_S, _TOLD_FROM = 5.0, 0.1
"""Seconds of work, and the share done, before the time left is shown."""

_ALIKE = 1.5
"""Largest ratio of paces of parts of the work at which the time left is shown."""

_UNITS_LEFT = (("h", 3600.0), ("min", 60.0))
"""Units of the time left, from two units on; seconds below."""


def out(shown: RenderableType) -> None:
    """Print on standard output; long lines wrap, indented to the text after their first gap."""
    from rich.text import Text  # lazily: JSON does without rich

    from sim.output.views.parts import hanging

    console = _console()
    if not isinstance(shown, str | Text):
        console.print(shown)
        return
    text = Text(shown) if isinstance(shown, str) else shown
    for line in text.split("\n", allow_blank=True):
        console.print(hanging(line, console, console.width))


def out_hanging(text: str, margin: str, style: str = "") -> None:
    """Print prose after ``margin``, in ``style``, wrapped at 80 columns with all lines indented alike."""
    from rich.text import Text  # lazily: as above

    width = min(_console().width, PROSE) - len(margin)
    first, *others = textwrap.wrap(text, width, break_on_hyphens=False) or [""]
    out(Text.assemble((margin, style), "\n".join([first, *(f"{' ' * len(margin)}{line}" for line in others)])))


def tell(text: str) -> None:
    """Print a line on standard error, even while a progress bar is shown."""
    sys.stderr.write(f"stacksim: {text}\n")


def print_warnings(texts: Sequence[str]) -> None:
    """Print each warning on a line."""
    for warning in texts:
        out(f"warning: {printable(warning)}")


def out_json(record: Any) -> None:
    """Print a record as JSON."""
    sys.stdout.write(f"{json.dumps(record, indent=2, allow_nan=False)}\n")


def out_parts(parts: Iterable[Part]) -> None:
    """Print the parts of a view."""
    for part in parts:
        out(part)


def _console() -> Console:
    """Console as wide as the terminal, or as COLUMNS."""
    from rich.console import Console  # lazily: as above

    console = Console(highlight=False, markup=False)  # names may have brackets
    edge = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    console.width = max(console.width, NARROWEST) if edge else EDGELESS
    return console


def compilation(options: RunOptions, *, quiet: bool = False) -> None:
    """Announce on standard error that the event loop has to be compiled first."""
    if quiet or options.engine in {"reference", ANALYTIC}:
        return
    from sim.engine.events.compiled import jit  # lazily: only simulations need it

    if jit.AVAILABLE and not jit.is_stored():
        from rich.console import Console  # lazily: as above

        Console(stderr=True).print("compiling the event loop: some seconds, once per installation")


@contextmanager
def share_done(what: str, *, quiet: bool = False) -> Iterator[ShareDone]:
    """Show progress of work as a share over all its phases: a bar on a terminal, else a line every few seconds."""
    with _shown(what, quiet=quiet) as say:
        yield lambda share: say(f"{share:.0%}", share)


@contextmanager
def count_done(what: str, *, quiet: bool = False) -> Iterator[OnProgress]:
    """Show the number of completed simulations, as a bar or as lines."""
    with _shown(what, quiet=quiet) as say:
        yield lambda done, total: say(f"{done} of {total}", done / total)


Say = Callable[[str, float], None]
"""Callback with progress as text and as a share."""


@contextmanager
def _shown(what: str, *, quiet: bool) -> Iterator[Say]:
    pace = _Pace()
    if not sys.stderr.isatty():
        yield _lines(what, pace, quiet=quiet)
        return
    with _bar(quiet=quiet) as bar:
        task = bar.add_task(what, total=1.0, told="")

        def say(how_far: str, share: float) -> None:
            left = pace.left(share)
            bar.update(task, completed=pace.furthest, told=f"{how_far}{left}")

        yield say


class _Pace:
    """Pace of work, and the time left at a constant pace.

    Points of a sweep may differ a thousandfold, and a simulation's total is an estimate: if the paces of parts of
    the work differ, no time is shown.
    """

    def __init__(self) -> None:
        self._begun_s = clock.monotonic()
        self._looks = [(0.0, 0.0)]

    @property
    def furthest(self) -> float:
        """Largest share done so far; a simulation's share is an estimate, and may fall."""
        return self._looks[-1][1]

    def left(self, share: float) -> str:
        """Text of the time left; empty below a second, until enough is done, and if paces differ.

        The paces compared are those of the first half of the time so far, and of its last two quarters.
        """
        past_s = clock.monotonic() - self._begun_s
        self._looks.append((past_s, max(share, self.furthest)))
        if past_s < _TOLD_AFTER_S or self.furthest < _TOLD_FROM:
            return ""
        ends = [self._at(part * past_s) for part in (0.0, 0.5, 0.75, 1.0)]
        paces = [
            (done - before) / (end_s - since_s) if end_s > since_s else 0.0
            for (since_s, before), (end_s, done) in pairwise(ends)
        ]
        if max(paces) > _ALIKE * min(paces):
            return ""
        left_s = past_s * (1.0 - self.furthest) / self.furthest
        unit, scale = next(((unit, scale) for unit, scale in _UNITS_LEFT if left_s >= 2.0 * scale), ("s", 1.0))
        return f", about {left_s / scale:.0f} {unit} left" if left_s >= 1.0 else ""

    def _at(self, seconds: float) -> tuple[float, float]:
        """Time and share of the last observation up to then."""
        return self._looks[bisect_right(self._looks, (seconds, math.inf)) - 1]


def _lines(what: str, pace: _Pace, *, quiet: bool) -> Say:
    """Print progress of ``what`` and the time left, but not for short work, nor at every step."""
    said_s = clock.monotonic()

    def say(how_far: str, share: float) -> None:
        nonlocal said_s
        now_s, left = clock.monotonic(), pace.left(share)
        if not quiet and now_s - said_s >= LINE_EVERY_S:
            said_s = now_s
            sys.stderr.write(f"{what}: {how_far}{left}\n")

    return say


def _bar(*, quiet: bool) -> Progress:
    from rich.console import Console  # lazily: as above
    from rich.progress import BarColumn, Progress, TextColumn

    parts = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[told]}"))
    return Progress(*parts, console=Console(stderr=True), transient=True, disable=quiet)
