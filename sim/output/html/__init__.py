"""A report as one self-contained HTML page, to be handed to a reviewer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from sim.data.dataset import Dataset
from sim.engine.files import write_atomically
from sim.engine.simulation.options import RunOptions
from sim.engine.units.text import number_text
from sim.output.pictures import style
from sim.output.pictures.residuals import distribution, residuals
from sim.prediction.cells import Cell, Summary, summarise
from sim.prediction.reach import REACHES
from sim.prediction.report import Report, Unpredicted, system_of
from sim.prediction.totals import as_first_predicted, totals
from sim.prediction.validation import BAD, validation
from sim.system.parameters import Parameter
from sim.system.system import System

FORMATS = (".html",)

FULL_BAR = 0.25
"""The error that fills its bar."""


@dataclass(frozen=True)
class _Section:
    """One dataset: its figures, a picture of its residuals, and the parameters of its system."""

    name: str
    title: str
    system: str
    source: str
    summary: Summary | None
    picture: str
    cells: Sequence[Cell]
    unpredicted: Sequence[Unpredicted]
    parameters: Sequence[Parameter]

    @property
    def held_out(self) -> bool:
        """True if any figure was predicted by a fit without it."""
        return any(each.held_out is not None for each in self.cells)


def write(
    report: Report, datasets: Sequence[Dataset], options: RunOptions, path: Path, *, refitted: System | None = None
) -> None:
    """Write the page of ``report`` on ``datasets`` atomically.

    Args:
        refitted: the system that replaces the installed one of its name.
    """
    environment = Environment(
        loader=PackageLoader("sim.output.html", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters |= {"percent": _percent, "number": number_text, "bar": _bar}
    page = environment.get_template("page.html").render(
        version=version("stacksim"),
        called=report.called,
        options=options,
        cells=len(report.cells),
        totals=list(totals(report)),
        summaries=report.summary,
        first=as_first_predicted(report),
        reach=report.reach,
        reaches=REACHES,
        transfers=report.transfers,
        validation=validation(report, datasets, refitted=refitted),
        bad=BAD,
        picture=style.embedded(distribution(report.cells)) if report.cells else "",
        sections=list(_sections(report, datasets, refitted)),
        unpredicted=report.unpredicted,
        warnings=report.warnings,
    )
    write_atomically(path, page.encode())


def _sections(report: Report, datasets: Sequence[Dataset], refitted: System | None) -> Iterator[_Section]:
    for dataset in datasets:
        cells = [each for each in report.cells if each.dataset == dataset.name]
        yield _Section(
            name=dataset.name,
            title=dataset.title,
            system=dataset.system,
            source="; ".join(dataset.sources) or ", ".join({each.source: 0 for each in dataset.measurements}),
            summary=summarise(dataset.name, cells) if cells else None,
            picture=style.embedded(residuals(cells)) if cells else "",
            cells=cells,
            unpredicted=[each for each in report.unpredicted if each.dataset == dataset.name],
            parameters=system_of(dataset, refitted).parameters.entries,
        )


def _percent(share: float, form: str = "+.1f") -> str:
    return f"{100.0 * share:{form}} %"


def _bar(error: float) -> str:
    """Style of a bar that extends left or right from the middle of its cell."""
    width = 50.0 * min(1.0, abs(error) / FULL_BAR)
    return f"left:{50.0 if error > 0 else 50.0 - width:.1f}%;width:{width:.1f}%"
