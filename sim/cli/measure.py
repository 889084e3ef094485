"""`stacksim measure`: what is there and what would be run, the question, progress, the fit, and the answers."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.status import Status

from sim.calibration.measure.answer import Fit, fit, median_error
from sim.calibration.measure.facts import Facts
from sim.calibration.measure.fitted_stack import fitted_text
from sim.calibration.measure.results import FIT, FITTED_STACK, STACK, check_folder, write
from sim.calibration.measure.rounds import Rounds
from sim.calibration.measure.session import Session, session_of
from sim.cli import console
from sim.cli import fit as fits
from sim.cli import then as answers
from sim.data.fitted import record
from sim.data.fitted import write as write_fit
from sim.errors import InputError, printable
from sim.files import write_atomically
from sim.output.views.parts import table
from sim.simulation.options import RunOptions
from sim.system.stack.build import stack_system
from sim.units import figure_text, time_text


@dataclass(frozen=True)
class Wishes:
    """What stands on the command line beside the path."""

    stack: Path | None
    output: Path
    then: tuple[str, ...]
    yes: bool
    keep: bool
    as_json: bool
    quiet: bool


def dry_run(path: Path, stack: Path | None, *, as_json: bool) -> None:
    """Say what would be run, and run nothing."""
    session = session_of(path, stack)
    if as_json:
        console.out_json(session.record())
        return
    _show_session(session)
    jobs = table("job", "for")
    for job in session.plan.jobs:
        jobs.add_row(job.name, session.plan.role(job))
    console.out(jobs)
    console.out("stack file:")
    console.out(session.text)


def command(path: Path, wishes: Wishes) -> None:
    """Measure, fit, answer. Everything that can be refused is refused before anything is run."""
    check_folder(wishes.output)
    questions = [answers.question(text) for text in wishes.then]
    session = session_of(path, wishes.stack)
    for question in questions:
        question.check(session.system)
    session.check()
    if not wishes.as_json:
        _show_session(session)
    if not wishes.yes:
        _ask()
    console.compilation(RunOptions(), quiet=wishes.quiet)
    rounds = _measured(session, wishes)
    fitted = _fitted(session, wishes)
    if wishes.as_json:
        console.out_json(
            {**_record(session, rounds, fitted), "then": [each.record(fitted.system) for each in questions]}
        )
        return
    _show(session, rounds, fitted, wishes)
    for question in questions:
        console.out("")
        question.show(fitted.system, quiet=wishes.quiet)


def _ask() -> None:
    """Ask once.

    Raises:
        InputError: nobody says yes.
    """
    sys.stderr.write("measure now? (y or n)\n> ")
    sys.stderr.flush()
    if not sys.stdin.readline().strip().casefold().startswith("y"):
        raise InputError("nothing is measured, as nobody said yes; say it beforehand with --yes")


def _measured(session: Session, wishes: Wishes) -> Rounds:
    with console.count_done("measuring", quiet=wishes.quiet) as on_run:
        rounds = session.run(keep=wishes.keep, on_run=on_run)
    write(wishes.output, session.system, session.text, session.plan, rounds, session.machine(rounds))
    return rounds


def _fitted(session: Session, wishes: Wishes) -> Fit:
    folder = wishes.output
    system = stack_system(folder / STACK)
    with _stages(quiet=wishes.quiet) as on_stage, fits.workers() as processes:
        fitted = fit(folder, system, processes, fits.typed(), on_stage)
    write_fit(fitted.calibration.fitted, folder / FIT)
    facts, parameters = session.facts, fitted.calibration.fitted.parameters
    source = f"stacksim measure: {len(session.plan.fitted)} jobs on {facts.filesystem}"
    text = fitted_text(session.text, system, parameters, source)
    write_atomically(folder / FITTED_STACK, text.encode())
    return fitted


@contextmanager
def _stages(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    with Status("", console=Console(stderr=True, quiet=quiet)) as status:
        yield status.update


def _show_session(session: Session) -> None:
    facts = session.facts
    for name, text in _lines(facts):
        console.out(f"{name:<12}{printable(text)}")
    plan = session.plan
    console.out(
        f"jobs        {len(plan.jobs)}: {len(plan.fitted)} to be fitted, {len(plan.held_out)} held out, "
        f"{len(plan.twice)} at twice the load"
    )
    console.out(
        f"takes       {time_text(session.seconds)}, and writes about {_gigabytes(session.bytes_written)}; if "
        f"not steady, up to {time_text(session.seconds_at_most)} and {_gigabytes(session.bytes_at_most)}"
    )
    console.print_warnings(session.notes)


def _lines(facts: Facts) -> Iterator[tuple[str, str]]:
    yield "path", f"{facts.path}, on the mount {facts.mount_point}"
    yield "mount", f"{facts.filesystem} on {facts.source}, {','.join(facts.options)}"
    if facts.device:
        yield "device", f"{facts.device}{f' ({facts.model})' if facts.model else ''}, scheduler {facts.scheduler}"
    yield "machine", f"{facts.cores} cores, {_gigabytes(facts.memory_bytes)} of memory, Linux {facts.kernel}"
    yield "room", f"{_gigabytes(facts.free_bytes)} of {_gigabytes(facts.total_bytes)} left"


def _record(session: Session, rounds: Rounds, fitted: Fit) -> dict[str, object]:
    return {
        **session.record(),
        "notes": [*session.notes, *rounds.notes(session.plan.jobs)],
        "fit": record(fitted.calibration.fitted),
        "tested": {name: [each.record() for each in tested] for name, tested in fitted.tested.items()},
        "warnings": list(fitted.warnings),
    }


def _show(session: Session, rounds: Rounds, fitted: Fit, wishes: Wishes) -> None:
    console.print_warnings(rounds.notes(session.plan.jobs))
    fits.show_parameters(fitted.calibration)
    for text in fits.in_words(fitted.calibration):
        console.out(text)
    rows = table("not seen by the fit", "measured", "predicted", "error", right=1)
    for tested in fitted.tested.values():
        for each in tested:
            values = (figure_text(value, "MB/s") for value in (each.figure.value, each.predicted))
            rows.add_row(each.figure.row, *values, f"{each.error:+.1%}")
    console.out(rows)
    for name, tested in fitted.tested.items():
        worst = max(abs(each.error) for each in tested)
        console.out(
            f"{name.replace('-', ' ')}: {len(tested)} jobs, missed by {median_error(tested):.1%} in the median, "
            f"{worst:.1%} at worst"
        )
    fits.show_advice(fitted.advice)
    console.print_warnings(fitted.warnings)
    folder = wishes.output
    console.out(f"written     {printable(str(folder))}: raw results, machine.json, tables, stacks, {FIT}")
    stack, fit = (shlex.quote(str(folder / name)) for name in (STACK, FIT))
    console.out(f"ask         stacksim predict {stack} --fitted {fit} users=64 block=8KiB")


def _gigabytes(size_bytes: float) -> str:
    return f"{size_bytes / 1e9:.3g} GB"
