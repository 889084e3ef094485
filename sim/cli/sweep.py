"""`stacksim sweep`: its axes, its runs, its printed result, and its files."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from sim.cli import console
from sim.cli.options import RUN_TEXTS, options_of, takes_output
from sim.engine.errors import InputError, printable, shown
from sim.engine.files import check_target, write_atomically
from sim.engine.simulation.options import RunOptions
from sim.output.pictures import drawable, style
from sim.output.pictures.sweep import sweep_figure
from sim.prediction import sweep, sweep_file
from sim.prediction.points import Forecast, How, Outcome, forecast
from sim.prediction.store import Store
from sim.prediction.sweep_file import SweepFile
from sim.prediction.table import DoneRecord, NotDoneRecord, Point, table
from sim.prediction.work import outcomes_of
from sim.system.case import Case
from sim.system.system import System

THROUGHPUT = "throughput"
"""Default answer of a picture."""

_REASONS = 10
"""Number of unfinished points whose reasons are printed; others are counted."""

_LISTED = 20
"""Number of points that a dry run lists; others are counted."""


@dataclass(frozen=True)
class Words:
    """A sweep as typed, or as in a file.

    Attributes:
        texts: run options that were given.
    """

    system: str
    settings: Sequence[str]
    set_: Sequence[str]
    paired: Sequence[str]
    texts: Mapping[str, str]
    fitted: Path | None
    intervals: bool

    def plan(self, find: Callable[[str, Path | None], System]) -> Plan:
        """The plan of the sweep; ``find`` maps a name and a fit's file to a system.

        Raises:
            InputError: an unusable word; for a file, with its line.
        """
        if sweep_file.is_sweep(self.system):
            return self._of_file(sweep_file.read(Path(self.system)), find)
        system, options = find(self.system, self.fitted), options_of(**self.texts)
        varied = sweep.axes(system, self.settings, self.set_)
        cases = sweep.cases_of(system, varied, self.paired)
        return Plan(system, varied, self.paired, cases, options, self.intervals)

    def _of_file(self, file: SweepFile, find: Callable[[str, Path | None], System]) -> Plan:
        """The plan of a file; given options take precedence over its own."""
        if words := (*self.settings, *self.set_, *self.paired):
            raise InputError(f"'{shown(words[0])}': '{shown(self.system)}' defines what varies; change it there")
        system = file.located("", "system", lambda: find(file.system, self.fitted or file.fitted))
        texts = dict(self.texts)
        for name in RUN_TEXTS:
            text = file.option(name)
            if name not in texts and text is not None:
                texts[name] = text
                file.located("", name, partial(options_of, **{name: text}))
        varied, paired = file.values(system), file.document.pair
        cases = sweep.cases_of(system, varied, paired)
        intervals = self.intervals or file.document.intervals
        return Plan(system, varied, paired, cases, options_of(**texts), intervals)


@dataclass(frozen=True)
class Plan:
    """A sweep: its cases, its axes, and its run options.

    Attributes:
        paired: texts such as ``nodes,cells``.
    """

    system: System
    varied: Mapping[str, Sequence[Any]]
    paired: Sequence[str]
    cases: Sequence[Case]
    options: RunOptions
    intervals: bool

    @property
    def title(self) -> str:
        """Name of the sweep, in a line."""
        return f"{self.system.name} over {', '.join(self.varied)}"

    @property
    def how(self) -> How:
        """Run options of each point."""
        return How(self.options, self.intervals)


class ForecastRecord(TypedDict):
    """A point of a sweep: whether it would be run, and why."""

    settings: dict[str, Any]
    parameters: dict[str, float]
    runs: bool
    why: str


Printed = list[DoneRecord | NotDoneRecord] | list[ForecastRecord]
"""The JSON of ``sweep --json``; of forecasts with ``--dry-run``."""


@dataclass(frozen=True)
class Targets:
    """Outputs of the answers besides the terminal.

    Attributes:
        drawn: the answers that a picture shows.
        over: the setting along its x axis, if one was named.
    """

    picture: Path | None
    drawn: str
    over: str | None
    csv: Path | None
    parquet: Path | None
    html: Path | None
    as_json: bool

    def check(self, plan: Plan) -> bool:
        """Refuse what cannot be written or drawn, before hours of simulation.

        Returns:
            Whether a target is standard output, so that nothing else is printed there.

        Raises:
            InputError: a file cannot be written, or a picture cannot be drawn.
        """
        silent = takes_output(self.picture, self.csv, self.parquet, self.html, as_json=self.as_json)
        if self.picture:
            check_target("picture", self.picture, style.FORMATS, or_standard_output=True)
            measures = drawable.parsed_measures(self.drawn)
            engine = plan.options.engine
            drawable.check_measures(plan.cases, plan.varied, measures, engine, plan.paired, self.over)
        self._check_drawing()
        if self.html:
            from sim.output.html import swept  # lazily: a template engine

            check_target("page", self.html, swept.FORMATS, or_standard_output=True)
            swept.check(plan.varied, len(plan.cases), self.over)
        if self.csv:
            check_target("table", self.csv, (".csv",), or_standard_output=True)
        if self.parquet:
            check_target("table", self.parquet, (".parquet",), or_standard_output=True)
            check_parquet()
        return silent or self.as_json

    def _check_drawing(self) -> None:
        """Refuse options for drawing if nothing is drawn."""
        for option, text, drawn in (
            ("--draw", self.drawn, self.picture),
            ("--over", self.over, self.picture or self.html),
        ):
            if text not in (THROUGHPUT, None) and not drawn:
                raise InputError(
                    f"{option} is '{shown(text)}', and there is no picture to draw; give --picture FILE.png, too"
                )

    def write(self, plan: Plan, points: Sequence[Point]) -> None:
        """Write every requested file."""
        if self.csv:
            write_atomically(self.csv, table(points, list(plan.varied)).to_csv(index=False).encode())
        if self.parquet:
            write_atomically(self.parquet, table(points, list(plan.varied)).to_parquet(index=False))
        if self.picture:
            measures = drawable.parsed_measures(self.drawn)
            predictions = [point.prediction for point in points if point.prediction]
            figure = sweep_figure(predictions, plan.varied, measures, plan.paired, self.over)
            style.save(figure, self.picture)
        if self.html:
            from sim.output.html import swept  # lazily: a template engine

            grid = swept.Grid.of(points, plan.varied, plan.paired, self.over)
            swept.write(grid, plan.title, shlex.join(["stacksim", *sys.argv[1:]]), self.html)


def check_parquet() -> None:
    """Refuse a table that pandas alone cannot write.

    Raises:
        InputError: pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        raise InputError("--parquet needs pyarrow, which is not installed: pip install 'stacksim[parquet]'")


def command(
    plan: Plan, targets: Targets, store: Path | None, dask: str | None, *, dry_run: bool, quiet: bool
) -> None:
    """Run the points that are not in the store, write, print."""
    silent = targets.check(plan)
    if store:
        check_target("store", store, (".sqlite",))
    if dry_run:
        _print_forecasts(plan, store, as_json=targets.as_json, quiet=quiet)
        return
    console.compilation(plan.options, quiet=quiet)
    points = _points(plan, store, dask, quiet=quiet)
    if not quiet and (stored := sum(point.outcome.stored for point in points)):
        console.tell(f"{stored} of {len(points)} points were in the store")
    if not any(point.prediction for point in points):
        raise points[0].outcome.error or InputError(f"no point of the sweep is done: {points[0].known.reason}")
    targets.write(plan, points)
    if targets.as_json:
        console.out_json([point.record() for point in points])
    if not silent:
        from sim.output.views.sweep import parts_of  # lazily: JSON does without rich

        console.out_parts(parts_of(points, list(plan.varied)))
        _print_reasons(points, list(plan.varied))


def _points(plan: Plan, store: Path | None, dask: str | None, *, quiet: bool) -> list[Point]:
    """Run each case; if stopped early, finished points are in the store."""
    outcomes: dict[int, Outcome] = {}
    with (
        Store(store) if store else nullcontext() as opened,
        _executor(dask) as executor,
        console.count_done("simulating", quiet=quiet) as on_progress,
        _told_what_is_kept(opened, outcomes, len(plan.cases)),
        closing(
            outcomes_of(plan.cases, plan.options, intervals=plan.intervals, executor=executor, store=opened)
        ) as found,
    ):
        for number, outcome in found:
            outcomes[number] = outcome
            on_progress(len(outcomes), len(plan.cases))
    return [Point(case, outcomes[number]) for number, case in enumerate(plan.cases)]


@contextmanager
def _told_what_is_kept(store: Store | None, outcomes: Mapping[int, object], points: int) -> Iterator[None]:
    """On an early stop, say on standard error that nothing is lost."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit):
        if store:
            console.tell(f"{len(outcomes)} of {points} points are in the store; the same command does the others")
        raise


def _print_reasons(points: Sequence[Point], varied: Sequence[str]) -> None:
    """Print why points are not done."""
    missing = [point for point in points if not point.prediction]
    for point in missing[:_REASONS]:
        console.out(printable(f"{point.known.status}  {_words(point.case, varied)}: {point.known.reason}"))
    if len(missing) > _REASONS:
        console.out(f"and {len(missing) - _REASONS} more that are not done; --csv and --json have every reason")


def _words(case: Case, varied: Sequence[str]) -> str:
    return " ".join(f"{name}={case.shown[name]}" for name in varied)


def _print_forecasts(plan: Plan, store: Path | None, *, as_json: bool, quiet: bool) -> None:
    """Print the points that would be run, and why; run nothing, and make no store."""
    forecasts = []
    with (
        Store(store) if store and store.exists() else nullcontext() as opened,
        console.count_done("looking", quiet=quiet) as on_progress,
    ):
        for case in plan.cases:
            forecasts.append(forecast(plan.how, case, opened))
            on_progress(len(forecasts), len(plan.cases))
    both = list(zip(plan.cases, forecasts, strict=True))
    if as_json:
        console.out_json([_forecast_record(*each) for each in both])
        return
    _print_runs([case for case, each in both if each.runs], [each.why for each in forecasts if each.runs], plan)
    for runs, would in ((True, "would be run"), (False, "would not be run")):
        reasons = Counter(printable(each.why) for each in forecasts if each.runs == runs)
        if reasons:
            console.out(f"{reasons.total()} of {len(forecasts)} {would}")
        for why, count in reasons.most_common(_REASONS):
            console.out(f"  {count}  {why}")


def _print_runs(cases: Sequence[Case], reasons: Sequence[str], plan: Plan) -> None:
    """Print the points that would be run, and why."""
    from sim.output.views.parts import Wide  # lazily: as above

    rows = [
        (*(printable(case.shown[name]) for name in plan.varied), printable(why))
        for case, why in zip(cases[:_LISTED], reasons, strict=False)
    ]
    if rows:
        console.out(Wide((*plan.varied, "why"), rows, keys=len(plan.varied)))
    if len(cases) > _LISTED:
        console.out(f"and {len(cases) - _LISTED} more that would be run; --json has them all")


def _forecast_record(case: Case, each: Forecast) -> ForecastRecord:
    parameters = {entry.name: entry.value for entry in case.system.parameters.set()}
    return {"settings": case.plain, "parameters": parameters, "runs": each.runs, "why": each.why}


def _executor(dask: str | None) -> AbstractContextManager[Executor | None]:
    if dask is None:
        return nullcontext()
    from sim.prediction.cluster import cluster  # lazily: needs an extra

    return cluster(dask)
