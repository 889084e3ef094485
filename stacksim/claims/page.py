"""Verdicts on claims as one self-contained HTML page, to be forwarded."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from sim.engine.errors import printable
from sim.engine.files import write_atomically
from stacksim.claims.amounts import counted, explained, probability
from stacksim.claims.verdict import ONE_IN, Verdict

FORMATS = (".html",)


def write(verdicts: Sequence[Verdict], path: Path) -> None:
    """Write the page of ``verdicts`` atomically."""
    environment = Environment(
        loader=PackageLoader("stacksim.claims", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=lambda value: printable(value) if type(value) is str else value,
    )
    environment.filters |= {"explained": explained, "probability": probability}
    page = environment.get_template("page.html").render(
        version=version("stacksim"),
        counted=counted(verdict.verdict for verdict in verdicts),
        verdicts=verdicts,
        one_in=ONE_IN,
    )
    write_atomically(path, page.encode())
