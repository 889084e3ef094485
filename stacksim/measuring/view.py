"""A measurement: the machine, the fit's errors on unseen figures, and the limits of the stack."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sim.data.fitted import FittedFigure
from sim.engine.errors import printable
from sim.engine.units import size_text
from sim.engine.units.text import ends_text, figure_text, number_text, time_text
from sim.output.views import fit as fit_view
from sim.output.views.parts import Line, Rows, about
from sim.prediction.uncertainty import EXPECTED
from sim.system.settings import Choice
from stacksim.measuring.answer import Fit, Tested, median_error
from stacksim.measuring.facts import RAW, Facts
from stacksim.measuring.loads import TOLD, Load
from stacksim.measuring.measured import Measured
from stacksim.measuring.session import Session

UNIT = "MB/s"
"""Unit of every figure of a measurement."""


def facts(facts: Facts) -> Iterator[Line]:
    """Yield facts about the directory's storage and the machine."""
    for heading, text in _facts(facts):
        yield about(heading, printable(text))


def _facts(facts: Facts) -> Iterator[tuple[str, str]]:
    if facts.kind == RAW:
        yield "path", f"{facts.path}, a raw device of {gigabytes(facts.total_bytes)}, which is only read"
    else:
        yield "path", f"{facts.path}, on the mount {facts.mount_point}"
        yield "mount", f"{facts.filesystem} on {facts.source}, {','.join(facts.options)}"
    if facts.device:
        model = f" ({facts.model})" if facts.model else ""
        requests = f", at most {facts.requests * facts.queues} requests in flight" if facts.requests else ""
        yield "device", f"{facts.device}{model}, scheduler {facts.scheduler}{requests}"
    yield "machine", f"{facts.cores} cores, {gigabytes(facts.memory_bytes)} of memory, Linux {facts.kernel}"
    if facts.kind != RAW:
        yield "space", f"{gigabytes(facts.free_bytes)} of {gigabytes(facts.total_bytes)} free"


def planned(session: Session) -> Iterator[Line]:
    """Yield the jobs, their duration, and the bytes that they write."""
    plan = session.plan
    yield about(
        "jobs",
        f"{len(plan.jobs)}: {len(plan.fitted)} to be fitted, {len(plan.held_out)} held out, {len(plan.twice)} at "
        "twice the load",
    )
    yield about(
        "takes",
        f"{work(session)}; if not steady, up to {time_text(session.seconds_at_most)} and "
        f"{gigabytes(session.bytes_at_most)}; fits take some minutes more",
    )
    if session.most_again:
        yield about("again", f"up to {session.most_again} more jobs beside those that a first fit misses")
    if len(session.texts) > 1:
        yield about(
            "stacks",
            f"{len(session.texts)}; the one that predicts jobs left out of its fit better is kept",
        )


def work(session: Session) -> str:
    """Time of all jobs, and the bytes that they write."""
    return f"{time_text(session.seconds)}, and writes about {gigabytes(session.bytes_written)}"


def second_round(measured: Measured) -> Iterator[Line]:
    """Yield the jobs of the second round, if there could have been one."""
    jobs = measured.session.plan.again
    if jobs:
        names = ", ".join(job.name for job in jobs)
        yield about("again", f"{len(jobs)} more, beside those that a first fit missed: {names}")
    elif measured.session.most_again:
        yield about("again", "no more jobs: a first fit missed none by much, or none beside it was left")


def done(measured: Measured) -> Iterator[Line]:
    """Yield the day, the jobs and the number of runs after the measurement."""
    plan, rounds = measured.session.plan, measured.rounds
    yield about("measured", f"on {measured.day.isoformat()}, by {_tool(measured)}")
    yield about(
        "jobs",
        f"{len(plan.jobs)}, of I/O past the page cache, in {len(rounds.results)} runs: {len(plan.fitted)} "
        f"fitted, {len(plan.held_out)} held out, {len(plan.twice)} at twice the load",
    )


def _tool(measured: Measured) -> str:
    return str(measured.rounds.results[0][1].get("fio version", "dd, in sequence"))


def chosen(fit: Fit) -> Iterator[Line]:
    """The fitted stack; of several, the reason for the choice."""
    yield about("stack", printable(fit.system.title))
    rivals = [(f"the stack '{printable(each.system.title)}'", each.missed) for each in fit.rejected]
    if fit.curve:
        rivals.append((f"no stack, but the best curve through the jobs ({fit.curve.name})", fit.curve.deviation))
    if rivals:
        yield about("chosen", f"a job left out of the fit is missed by {fit.missed:.0%} (root mean square); by")
    for name, missed in rivals:
        yield about("", f"{missed:.0%} with {name}")


def tested(fit: Fit) -> Rows:
    """Table of unseen figures beside their predictions."""
    usual = {(each.name, each.show(each.default)) for each in fit.system.settings if isinstance(each, Choice)}
    rows = [_tested(each, usual) for tested in fit.tested.values() for each in tested]
    return Rows(("not seen by the fit", "measured", "predicted", "error", f"{EXPECTED}, 90%"), rows, right=1)


def _tested(tested: Tested, usual: Collection[tuple[str, str]]) -> tuple[str, ...]:
    """A row without the settings that most jobs share."""
    conditions = [each for each in tested.figure.conditions if each[0] == "op" or each not in usual]
    values = (figure_text(value, UNIT) for value in (tested.figure.value, tested.predicted))
    name = " ".join(f"{name}={text}" for name, text in conditions)
    return (name, *values, f"{tested.error:+.1%}", _ends(tested.band.low, tested.band.high))


def seen(figures: tuple[FittedFigure, ...]) -> Rows:
    """Table of fitted figures beside their predictions."""
    rows = []
    for each in figures:
        values = (figure_text(value, UNIT) for value in (each.measured, each.predicted))
        rows.append((each.row, *values, f"{each.error:+.1%}"))
    return Rows(("fitted", "measured", "predicted", "error"), rows, right=1)


def missed(fit: Fit) -> Iterator[Line]:
    """Yield a line of errors on unseen figures for each kind."""
    for name, tested in fit.tested.items():
        jobs = f"{name.replace('-', ' ')}: {len(tested)} job{'' if len(tested) == 1 else 's'}"
        worst, inside = max(abs(each.error) for each in tested), sum(each.inside for each in tested)
        curve = f"; {fit.curve.name}: {fit.by_curve[name]:.1%}" if fit.curve else ""
        yield Line(
            f"{jobs}, missed by {median_error(tested):.1%} in the median, {worst:.1%} at worst; in their bands: "
            f"{inside}{curve}"
        )
    for name, figures in fit.percentiles.items():
        worst = max(abs(each.error) for each in figures)
        yield Line(
            f"{name} of {len(figures)} jobs, of which the fit has seen none, missed by "
            f"{median_error(figures):.1%} in the median, {worst:.1%} at worst"
        )


def advised(measured: Measured) -> Iterator[Line]:
    """Next measurements: near missed figures, else those that would narrow predictions most."""
    if not measured.next_jobs:
        yield from fit_view.advised(measured.fit.advice)
    for number, each in enumerate(measured.next_jobs, start=1):
        yield about(
            f"measure {number}",
            f"{each.job.name}: beside {each.measured.name}, which was missed by {each.missed:+.0%}",
        )


def limits(loads: tuple[Load, ...]) -> Rows:
    """Throughput and limiting place at one process and at many."""
    headings = ("one request of each process", "throughput", f"{EXPECTED}, 90%", "limit", "next")
    rows = [_limited(each) for each in loads if each.job.users in TOLD]
    return Rows(headings, rows, right=1, left=3)


def _limited(load: Load) -> tuple[str, ...]:
    job, prediction = load.job, load.prediction
    band = prediction.intervals["throughput"]
    name = f"{job.op} {size_text(job.block)}, {job.users} process{'es' if job.users > 1 else ''}"
    value = figure_text(prediction.throughput.value, UNIT)
    return name, value, _ends(band.low, band.high), printable(load.limits), printable(load.next)


def _ends(low: float, high: float) -> str:
    return ends_text(low, high)


def gigabytes(size_bytes: float) -> str:
    """Bytes as decimal gigabytes or terabytes, as usual for storage."""
    return f"{number_text(size_bytes / 1e9, 3)} GB"
