"""``stacksim.measure`` in Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stacksim.measuring.candidate import Means
from stacksim.measuring.measured import Measured
from stacksim.measuring.results import check_folder
from stacksim.measuring.session import session_of, subject_of
from stacksim.measuring.work import Work


def measure(
    path: str | Path,
    *,
    output: str | Path = "measured",
    jobs: Sequence[str | Path] = (),
    stack: str | Path | None = None,
    fio: str | None = None,
    keep: bool = False,
) -> Measured:
    """Measure the storage behind a directory with fio, for some minutes, and fit a stack to it.

    Args:
        path: a directory on the storage; files are laid out there, and taken away again.
        output: a new folder for results, tables, stacks and the fit.
        jobs: job files in place of chosen jobs.
        stack: a stack file in place of the chosen ones.
        fio: the program to measure with.
        keep: True to leave the files that were read and written.

    Returns:
        The measurement; ``fit.system`` of it is the stack, for every other function.

    Raises:
        InputError: what cannot be measured, or a fit that makes no sense.
    """
    folder = Path(output)
    check_folder(folder)
    subject = subject_of(Path(path), Path(stack) if stack else None, None, fio)
    session = session_of(subject, [Path(job) for job in jobs])
    session.check()
    means = Means(None, "stacksim.measure", lambda _: None)
    return Work.done(session, folder, means, lambda *_: None, keep=keep).fitted(means)
