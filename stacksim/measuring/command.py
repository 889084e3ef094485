"""`stacksim measure`: facts and plan, confirmation, progress, the fit, and the answers."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.status import Status

from sim.cli import console
from sim.cli import fit as fits
from sim.decision.record import FindRecord
from sim.engine.errors import InputError, printable
from sim.engine.simulation.options import RunOptions
from sim.output.views import fit as fit_view
from sim.output.views.parts import table
from sim.prediction.answer_page import PredictedRecord
from sim.system.quantities import Quantity
from stacksim.measuring import page, view
from stacksim.measuring import then as answers
from stacksim.measuring.answered import Answered
from stacksim.measuring.candidate import Means
from stacksim.measuring.measured import Measured, MeasuredRecord
from stacksim.measuring.results import FIT, STACK, check_folder
from stacksim.measuring.session import Session, SessionRecord, session_of, subject_of
from stacksim.measuring.then import Question
from stacksim.measuring.work import Work


class AnsweredRecord(MeasuredRecord):
    """A completed measurement, and answers to questions."""

    then: list[FindRecord | PredictedRecord]


Printed = AnsweredRecord | SessionRecord
"""The JSON of ``measure --json``; with ``--dry-run`` the plan."""


@dataclass(frozen=True)
class More:
    """User's replacements for defaults: job files, fio, and waiting time."""

    jobs: tuple[Path, ...]
    fio: str | None
    wait: str | None

    @property
    def wait_s(self) -> float | None:
        """Waiting time in seconds."""
        return None if self.wait is None else float(Quantity("wait", 0.0, "").parse(self.wait))


@dataclass(frozen=True)
class Wishes:
    """Options of the command."""

    stack: Path | None
    raw: Path | None
    output: Path
    then: tuple[str, ...]
    yes: bool
    keep: bool
    as_json: bool
    quiet: bool
    more: More


def dry_run(path: Path, wishes: Wishes) -> None:
    """Print the plan and run nothing; refuse whatever a run would, except for the folder of results."""
    session, _ = _checked(path, wishes)
    if wishes.as_json:
        console.out_json(session.record())
        return
    _show_session(session)
    jobs = table("job", "for")
    for job in session.plan.jobs:
        jobs.add_row(job.name, session.plan.role(job))
    console.out(jobs)
    console.out("stack file:")
    sys.stdout.write(session.text)  # as it is, to be saved


def command(path: Path, wishes: Wishes) -> None:
    """Measure, fit, answer. All errors of input are raised before anything is run."""
    check_folder(wishes.output)
    session, questions = _checked(path, wishes)
    if not wishes.as_json:
        _show_session(session)
    if not wishes.yes:
        _ask(session)
    console.compilation(RunOptions(), quiet=wishes.quiet)
    measured = _measured(session, wishes)
    answered: list[Answered] = []
    try:
        _tell(measured, questions, answered, wishes)
    finally:  # even if a question has no answer, or the reader is gone
        page.write(measured, answered, fits.typed(), wishes.output)


def _checked(path: Path, wishes: Wishes) -> tuple[Session, list[Question]]:
    """The session and the questions, checked beforehand."""
    questions = [answers.question(text) for text in wishes.then]
    subject = subject_of(path, wishes.stack, wishes.raw, wishes.more.fio, wishes.more.wait_s)
    for question in questions:
        question.check(subject.system)
    session = session_of(subject, wishes.more.jobs)
    session.check()
    return session, questions


def _tell(measured: Measured, questions: Sequence[Question], answered: list[Answered], wishes: Wishes) -> None:
    """Print the measurement and the answers, which are added to ``answered``."""
    if not wishes.as_json:
        _show(measured, wishes)
    for question in questions:
        answered.append(question.answered(measured.fit.system, quiet=wishes.quiet))
        if not wishes.as_json:
            console.out("")
            console.out_parts(answered[-1].parts())
    if wishes.as_json:
        record: AnsweredRecord = {**measured.record(), "then": [each.record() for each in answered]}
        console.out_json(record)


def _ask(session: Session) -> None:
    """Ask for confirmation.

    Raises:
        InputError: the answer is not yes.
    """
    sys.stderr.write(f"measure now, which takes {view.work(session)}? (y or n)\n> ")
    sys.stderr.flush()
    if not sys.stdin.readline().strip().casefold().startswith("y"):
        raise InputError("nothing is measured, as the answer was not yes; answer y, or give --yes")


def _measured(session: Session, wishes: Wishes) -> Measured:
    """Measure in two rounds, each saved before anything is fitted to it."""
    with fits.workers() as processes:
        with console.count_done("measuring", quiet=wishes.quiet) as on_run:
            unseen = Means(processes, fits.typed(), lambda _: None)
            work = Work.done(session, wishes.output, unseen, on_run, keep=wishes.keep)
        with _stages(quiet=wishes.quiet) as on_stage:
            return work.fitted(Means(processes, fits.typed(), on_stage))


@contextmanager
def _stages(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    with Status("", console=Console(stderr=True, quiet=quiet)) as status:
        yield status.update


def _show_session(session: Session) -> None:
    console.out_parts(view.facts(session.facts))
    console.out_parts(view.planned(session))
    console.print_warnings(session.notes)


def _show(measured: Measured, wishes: Wishes) -> None:
    fitted, calibration = measured.fit, measured.fit.calibration
    console.out_parts(view.second_round(measured))
    console.out_parts(view.chosen(fitted))
    console.out(fit_view.parameters(calibration))
    console.out_parts(fit_view.in_words(calibration))
    console.out(view.tested(fitted))
    console.out_parts(view.missed(fitted))
    console.out(view.limits(measured.loads))
    console.out_parts(view.advised(measured))
    console.print_warnings(fitted.fitted.warnings)
    folder = wishes.output
    console.out(
        f"written     {printable(str(folder))}: {page.PAGE} and {page.PICTURE}, raw results, tables, stacks, {FIT}"
    )
    stack, fit = (shlex.quote(str(folder / name)) for name in (STACK, FIT))
    console.out(f"ask         stacksim predict {stack} --fitted {fit} users=64 block=8KiB")
