"""`stacksim claim`: the verdict on each claim of a file; with `--ask`, such a file from questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sim.cli import console
from sim.cli.options import takes_output
from sim.engine.errors import InputError, printable, shown
from sim.engine.files import check_target
from sim.engine.simulation.options import RunOptions
from stacksim.claims.amounts import counted
from stacksim.claims.ask import FORMATS
from stacksim.claims.claim_file import read
from stacksim.claims.judge import judge
from stacksim.claims.record import record
from stacksim.claims.verdict import REFUSED, Verdict
from stacksim.claims.view import MARGIN, reason, suspected

STYLES = {
    "contradiction": "bold red",
    "impossible": "bold red",
    "implausible": "bold yellow",
    "plausible": "bold green",
    "undecidable": "bold",
}


@dataclass(frozen=True)
class Targets:
    """Outputs of verdicts besides standard output, and the option ``check``."""

    html: Path | None
    as_json: bool
    check: bool


def command(path: Path, options: RunOptions, targets: Targets, *, quiet: bool) -> int:
    """Judge every claim of the file ``path``, print the verdicts, and return the exit status."""
    silent = takes_output(targets.html, as_json=targets.as_json)
    if targets.html:
        from stacksim.claims import page  # lazily: a template engine

        check_target("page", targets.html, page.FORMATS, or_standard_output=True)
    if path.suffix not in FORMATS and not path.exists():
        raise InputError(f"no claim file '{shown(path)}'; a claim in words becomes one by: stacksim claim --ask")
    claims = read(path)
    if any(claim.subject.modelled for claim in claims):
        console.compilation(options, quiet=quiet)
    verdicts = []
    with console.count_done("judging claims", quiet=quiet) as on_progress:
        for number, claim in enumerate(claims):
            on_progress(number, len(claims))
            verdicts.append(judge(claim, options))
    if targets.html:
        page.write(verdicts, targets.html)
    if targets.as_json:
        console.out_json(record(verdicts))
    elif not silent:
        _print(verdicts)
    return int(targets.check and any(verdict.verdict in REFUSED for verdict in verdicts))


def _print(verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        _print_one(verdict)
    if len(verdicts) > 1:
        console.out(counted(verdict.verdict for verdict in verdicts))


def _print_one(verdict: Verdict) -> None:
    """Print the claim, its verdict with the arithmetic, explanations, and questions to ask."""
    claim, word = verdict.claim, verdict.verdict
    console.out_hanging(f"“{printable(claim.text)}”", "")
    console.out_hanging(printable(claim.source), " " * MARGIN)
    console.out_hanging(reason(verdict), f"{word:{MARGIN}}", STYLES[word])
    _print_all("maybe", [suspected(explanation) for explanation in verdict.explanations])
    _print_all("ask", [printable(question) for question in verdict.questions])
    console.out("")


def _print_all(heading: str, texts: Sequence[str]) -> None:
    for number, text in enumerate(texts):
        console.out_hanging(text, f"{'' if number else heading:{MARGIN}}")
