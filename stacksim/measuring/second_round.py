"""The second round of a measurement: jobs beside those that a first fit of the stacks misses."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from pathlib import Path

from sim.prediction.prediction import predict_case
from sim.system.case import Case
from sim.system.system import System
from stacksim.measuring.candidate import OF_THROUGHPUT, TRUSTED, Candidate, Means, refitted
from stacksim.measuring.jobs import Job
from stacksim.measuring.next_jobs import next_jobs
from stacksim.measuring.rounds import Rounds
from stacksim.measuring.session import Session


def next_round(session: Session, rounds: Rounds, folder: Path, means: Means) -> tuple[Job, ...]:
    """Jobs to measure beside those of ``rounds`` that the stacks miss; none for a user's own jobs, or without fio.

    Every stack is fitted once, without cross-validation, to the table in ``folder``; that with the least scatter
    counts. Its errors on held-out jobs decide where to measure, never what is fitted.

    Raises:
        InputError: an unusable table; an absurd fit.
    """
    if not session.most_again:
        return ()
    means.on_stage("where to measure again")
    rough = [Candidate.of(text, folder, means, cross_validated=False) for text in session.texts]
    measured = (*session.plan.jobs, *rounds.lost)
    missed = _missed(min(rough, key=lambda each: each.scatter), session, rounds)
    return tuple(each.job for each in next_jobs(session.system, missed, measured, session.most_again))


def _missed(candidate: Candidate, session: Session, rounds: Rounds) -> Mapping[Job, float]:
    """Predicted / measured - 1 of each job that is not trusted."""
    system = refitted(candidate.system, candidate.calibration.fitted)
    errors = {
        job: _megabytes_per_s(system, job) / statistics.median(rounds.values(job)) - 1.0
        for job in session.plan.jobs
    }
    return {job: error for job, error in errors.items() if abs(error) > TRUSTED}


def _megabytes_per_s(system: System, job: Job) -> float:
    return predict_case(Case(system, job.settings(system)), OF_THROUGHPUT).value("throughput")
