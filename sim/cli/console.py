"""The console kit of the commands: tables on standard output, progress on standard error."""

from __future__ import annotations

import json
import math
import os
import re
import sys
import textwrap
import time as clock
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.containers import Lines
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from sim.errors import printable
from sim.prediction.sweep import OnProgress
from sim.simulation.options import ANALYTIC, RunOptions
from sim.simulation.options import Progress as ShareDone

EDGELESS = 300
"""Columns of a file or pipe, which have no edge at which to fold a table."""

NARROWEST = 40
"""Columns below which a terminal is taken not to know its width."""

LINE_EVERY_S = 10.0
"""Where progress is no bar but lines: seconds before the first, and between two."""

PROSE = 80
"""Columns that prose fills at most: longer lines are hard to read."""

_UNITS_LEFT = (("h", 3600.0), ("min", 60.0))
"""In which time left is told, from two of them on; in seconds below."""

UNKNOWN = "?"
"""Behind a value that is not known well enough."""

_DIGITS = 12
"""Digits that are shown of a number at most: there are hardly more that arithmetic leaves right."""

_GAP = 2
"""Blanks between two columns of a table."""

_HEADING = re.compile(r" *\S+(?: \S+)*? {2,}| +")
"""What stands before the text of a line: words and a gap behind them, or blanks alone."""


def out(shown: str | Text | Table) -> None:
    """Print on standard output; a line that is too long goes on below what stands behind its first gap."""
    console = _console()
    if isinstance(shown, Table):
        console.print(shown)
        return
    text = Text(shown) if isinstance(shown, str) else shown
    for line in text.split("\n", allow_blank=True):
        console.print(_hanging(line, console))


def _hanging(line: Text, console: Console) -> Text:
    """``line`` in lines that fit into ``console``, the second and later ones indented."""
    first = line.wrap(console, console.width)[0]
    first.rstrip()
    rest = line[len(first) :]
    rest = rest[len(rest) - len(rest.plain.lstrip()) :]
    heading = _HEADING.match(line.plain)
    indent = min(heading.end() if heading else _GAP, console.width // 2)
    others = rest.wrap(console, console.width - indent) if rest else Lines()
    for other in others:
        other.rstrip()
        other.pad_left(indent)
    return Text("\n").join([first, *others])


def out_hanging(text: str, margin: str, style: str = "") -> None:
    """Print prose behind ``margin``, in ``style``: lines of 80 at most, each as far in as the first."""
    width = min(_console().width, PROSE) - len(margin)
    first, *others = textwrap.wrap(text, width, break_on_hyphens=False) or [""]
    out(Text.assemble((margin, style), "\n".join([first, *(f"{' ' * len(margin)}{line}" for line in others)])))


def tell(text: str) -> None:
    """Print a line on standard error, even while a bar stands there."""
    sys.stderr.write(f"stacksim: {text}\n")


def print_warnings(texts: Sequence[str]) -> None:
    """Print each warning on a line."""
    for warning in texts:
        out(f"warning: {printable(warning)}")


def out_json(record: Any) -> None:
    """Print what programs read."""
    sys.stdout.write(f"{json.dumps(record, indent=2, allow_nan=False)}\n")


def _console() -> Console:
    """As wide as the terminal, or as COLUMNS says."""
    console = Console(highlight=False, markup=False)  # names may have brackets
    edge = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    console.width = max(console.width, NARROWEST) if edge else EDGELESS
    return console


def table(*columns: str, right: int = 1_000) -> Table:
    """A plain table; columns from number ``right`` on are aligned to the right."""
    rows = Table(box=None, pad_edge=False, title_justify="left", header_style="bold")
    for index, column in enumerate(columns):
        rows.add_column(column, justify="right" if index >= right else "left", no_wrap=index >= right)
    return rows


def out_wide(headings: Sequence[str], rows: Sequence[Sequence[str]], keys: int) -> None:
    """Print a table, in blocks if it is too wide; each block begins with the first ``keys`` columns."""
    widths = [max(map(cell_len, column)) + _GAP for column in zip(headings, *rows, strict=True)]
    kept = list(range(keys))
    room = _console().width - sum(widths[:keys]) + _GAP  # nothing follows the last column
    for number, block in enumerate(_blocks(range(keys, len(headings)), widths, room)):
        if number:
            out("")
        shown = table(*(headings[index] for index in (*kept, *block)), right=keys)
        for row in rows:
            shown.add_row(*(row[index] for index in (*kept, *block)))
        out(shown)


def _blocks(columns: Sequence[int], widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Cut ``columns`` where there is no ``room`` for the next; a block has one at least."""
    block: list[int] = []
    for column in columns:
        if block and sum(widths[each] for each in (*block, column)) > room:
            yield block
            block = []
        block.append(column)
    yield block


def compilation(options: RunOptions, *, quiet: bool = False) -> None:
    """Announce on standard error that the event loop has to be compiled first."""
    if quiet or options.engine in {"reference", ANALYTIC}:
        return
    from sim.engines.compiled import jit  # lazily: only simulations need it

    if jit.AVAILABLE and not jit.is_stored():
        Console(stderr=True).print("compiling the event loop: some seconds, once per installation")


@contextmanager
def share_done(what: str, *, quiet: bool = False) -> Iterator[ShareDone]:
    """Show how far one simulation is: a bar on a terminal, else a line every few seconds."""
    if not sys.stderr.isatty():
        say = _lines(what, quiet=quiet)
        yield lambda share: say(f"{share:.0%}", share)
        return
    with _bar(quiet=quiet) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)


@contextmanager
def count_done(what: str, *, quiet: bool = False) -> Iterator[OnProgress]:
    """Show how many of many simulations are done, in the same way."""
    if not sys.stderr.isatty():
        say = _lines(what, quiet=quiet)
        yield lambda done, total: say(f"{done} of {total}", done / total)
        return
    with _bar(MofNCompleteColumn(), quiet=quiet) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _lines(what: str, *, quiet: bool) -> Callable[[str, float], None]:
    """Print how far ``what`` is, and how long the rest may take, but not for short work, nor at every step."""
    begun_s = said_s = clock.monotonic()

    def say(how_far: str, share: float) -> None:
        nonlocal said_s
        now_s = clock.monotonic()
        if not quiet and now_s - said_s >= LINE_EVERY_S:
            said_s = now_s
            sys.stderr.write(f"{what}: {how_far}{_left(now_s - begun_s, share)}\n")

    return say


def _left(past_s: float, share: float) -> str:
    """How long the rest takes if it goes on as before; empty below a second, and while nothing is done."""
    left_s = past_s * (1.0 - share) / share if share > 0.0 else 0.0
    unit, scale = next(((unit, scale) for unit, scale in _UNITS_LEFT if left_s >= 2.0 * scale), ("s", 1.0))
    return f", about {left_s / scale:.0f} {unit} left" if left_s >= 1.0 else ""


def _bar(*columns: MofNCompleteColumn, quiet: bool) -> Progress:
    parts = (TextColumn("{task.description}"), BarColumn(), *columns, TimeRemainingColumn())
    return Progress(*parts, console=Console(stderr=True), transient=True, disable=quiet)


def number(value: float, digits: int = 4) -> str:
    """So many digits; a dash for what is not known."""
    return "–" if math.isnan(value) else f"{value:.{digits}g}"


def digits_for(value: float, gap: float, least: int) -> int:
    """How many digits of ``value`` show two of the ``gap`` to another; at ``least`` so many.

    >>> digits_for(1234.56, 0.35, 4)
    6
    """
    if not (value and gap and math.isfinite(value) and math.isfinite(gap)):
        return least
    needed = math.floor(math.log10(abs(value))) - math.floor(math.log10(abs(gap))) + 2
    return min(max(least, needed), _DIGITS)


def words(name: str) -> str:
    """The name of an answer as people write it."""
    return name.replace("_", " ")
