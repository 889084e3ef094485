"""A measurement as one self-contained page and as one picture, for its folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from sim.engine.errors import printable
from sim.engine.files import write_atomically
from sim.output.pictures import style
from sim.output.views import fit as fit_view
from sim.output.views.parts import Line
from sim.output.views.view import page_of
from stacksim.measuring import picture as pictures
from stacksim.measuring import view
from stacksim.measuring.answered import Answered
from stacksim.measuring.measured import Measured

PAGE, PICTURE = "page.html", "page.png"


def write(measured: Measured, answered: Sequence[Answered], command: str, folder: Path) -> None:
    """Write the page and the picture of ``measured`` into ``folder``, each atomically.

    Args:
        command: the command that made it.
    """
    write_atomically(folder / PAGE, _page(measured, answered, command).encode())
    above, below = _above(measured), _below(measured, answered)
    style.save(pictures.whole(measured, _title(measured), above, below), folder / PICTURE)


def _page(measured: Measured, answered: Sequence[Answered], command: str) -> str:
    loader = PackageLoader("stacksim.measuring", ".")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    fit = measured.fit
    return environment.get_template("page.html").render(
        version=version("stacksim"),
        title=_title(measured),
        command=printable(command),
        warnings=[printable(each) for each in measured.warnings],
        missed=page_of(view.missed(fit)),
        facts=page_of(
            (
                *view.facts(measured.session.facts),
                *view.done(measured),
                *view.second_round(measured),
                *view.chosen(fit),
            )
        ),
        agreement=style.embedded(pictures.agreement(measured)),
        tested=page_of([view.tested(fit)]),
        seen=page_of([view.seen(fit.fitted.figures)]),
        parameters=page_of([fit_view.parameters(fit.calibration)]),
        in_words=page_of((*view.chosen(fit), *fit_view.in_words(fit.calibration))),
        intervals=style.embedded(pictures.parameters(measured)),
        limits=page_of([view.limits(measured.loads)]),
        throughput=style.embedded(pictures.throughput(measured)),
        advised=page_of(view.advised(measured)),
        answered=[(printable(each.question), each.html()) for each in answered],
    )


def _title(measured: Measured) -> str:
    facts = measured.session.facts
    return printable(
        f"{facts.filesystem} on {facts.device or facts.source}, measured on {measured.day.isoformat()}"
    )


def _above(measured: Measured) -> Iterator[str]:
    """Lines above the panels of the picture: warnings first."""
    yield from (f"warning: {printable(each)}" for each in measured.warnings)
    lines = (
        *view.facts(measured.session.facts),
        *view.done(measured),
        *view.chosen(measured.fit),
        *view.missed(measured.fit),
    )
    yield from map(_text, lines)


def _below(measured: Measured, answered: Sequence[Answered]) -> Iterator[str]:
    """Lines below the panels: limits, next measurements, answers."""
    yield "one request of each process: what limits"
    for name, throughput, _, limited, _ in view.limits(measured.loads).rows:
        yield f"  {name}: {throughput}; {limited}"
    yield ""
    yield from map(_text, view.advised(measured))
    if answered:
        yield ""
    yield from (printable(each.line()) for each in answered)


def _text(line: Line) -> str:
    return f"{line.before}{line.bold}{line.after}"
