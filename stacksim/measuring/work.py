"""A measurement and the fit to it, kept in a folder as they are made."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sim.data.fitted import write as write_fit
from sim.engine.files import write_atomically
from stacksim.measuring.answer import Fit, fit
from stacksim.measuring.candidate import Means
from stacksim.measuring.choice import system_of
from stacksim.measuring.fitted_stack import fitted_text
from stacksim.measuring.jobs import Job
from stacksim.measuring.loads import loads
from stacksim.measuring.measured import Measured
from stacksim.measuring.results import FIT, FITTED_STACK, STACK, write
from stacksim.measuring.rounds import OnRun, Rounds
from stacksim.measuring.second_round import next_round
from stacksim.measuring.session import Session


@dataclass(frozen=True)
class Work:
    """A session whose jobs have run, with the ``folder`` of its results."""

    session: Session
    rounds: Rounds
    folder: Path

    @classmethod
    def done(cls, session: Session, folder: Path, means: Means, on_run: OnRun, *, keep: bool) -> Work:
        """Run all jobs, and those of a second round; each round is written into ``folder`` before it is fitted.

        Jobs that do not end are left out.

        Args:
            keep: True to leave the files that were read and written.
        """

        def more(rounds: Rounds) -> Sequence[Job]:
            first = cls(session.without(rounds.lost), rounds, folder)
            first._write(over=False)
            return next_round(first.session, rounds, folder, means)

        rounds = session.run(keep=keep, on_run=on_run, more=more)
        again = tuple(dict.fromkeys(job for job, _ in rounds.results if job not in session.plan.jobs))
        work = cls(session.beside(again).without(rounds.lost), rounds, folder)
        work._write(over=True)
        return work

    def fitted(self, means: Means) -> Measured:
        """Fit the stacks to the results, and write the one that is kept."""
        session, rounds = self.session, self.rounds
        kept = fit(self.folder, session.texts, means, rounds.notes(session.plan.jobs))
        _write_fit(session, kept, self.folder)
        means.on_stage("what limits")
        predictions = loads(kept.system, session.plan.jobs)
        return Measured(session, rounds, kept, predictions, dt.datetime.now(tz=dt.UTC).date())

    def _write(self, *, over: bool) -> None:
        """Write all results, in the second round ``over`` those of the first."""
        session, rounds = self.session, self.rounds
        machine = session.machine(rounds)
        write(self.folder, session.system, session.text, session.plan, rounds, machine, over=over)


def _write_fit(session: Session, kept: Fit, folder: Path) -> None:
    write_fit(kept.fitted, folder / FIT)
    source = f"stacksim measure: {len(session.plan.fitted)} jobs on {session.facts.filesystem}"
    text = fitted_text(kept.text, system_of(kept.text), kept.fitted.parameters, source)
    write_atomically(folder / STACK, kept.text.encode())
    write_atomically(folder / FITTED_STACK, text.encode())
