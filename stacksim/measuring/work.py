"""A measurement and the fit to it, kept in a folder as they are made."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path

from sim.data.fitted import write as write_fit
from sim.engine.files import write_atomically
from stacksim.measuring.answer import Fit, fit
from stacksim.measuring.choice import system_of
from stacksim.measuring.fitted_stack import fitted_text
from stacksim.measuring.loads import loads
from stacksim.measuring.measured import Measured
from stacksim.measuring.results import FIT, FITTED_STACK, STACK, write
from stacksim.measuring.rounds import OnRun, Rounds
from stacksim.measuring.session import Session

OnStage = Callable[[str], None]


def run(session: Session, folder: Path, *, keep: bool, on_run: OnRun) -> tuple[Session, Rounds]:
    """Measure, and write the results into ``folder``.

    Returns:
        The session without jobs that were lost, and its runs.
    """
    rounds = session.run(keep=keep, on_run=on_run)
    session = session.without(rounds.lost)
    write(folder, session.system, session.text, session.plan, rounds, session.machine(rounds))
    return session, rounds


def fitted(
    session: Session, rounds: Rounds, folder: Path, workers: Executor | None, command: str, on_stage: OnStage
) -> Measured:
    """Fit stacks to the results in ``folder``, and write the one that is kept."""
    kept = fit(folder, session.texts, workers, command, on_stage)
    _write(session, kept, folder)
    on_stage("what limits")
    predictions = loads(kept.system, session.plan.jobs)
    return Measured(session, rounds, kept, predictions, dt.datetime.now(tz=dt.UTC).date())


def _write(session: Session, kept: Fit, folder: Path) -> None:
    write_fit(kept.fitted, folder / FIT)
    source = f"stacksim measure: {len(session.plan.fitted)} jobs on {session.facts.filesystem}"
    text = fitted_text(kept.text, system_of(kept.text), kept.fitted.parameters, source)
    write_atomically(folder / STACK, kept.text.encode())
    write_atomically(folder / FITTED_STACK, text.encode())
