"""Self-contained pages of a lesson, and the page of contents."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import nbformat
from jinja2 import Environment, PackageLoader, StrictUndefined

from sim.engine.files import write_atomically
from stacksim.notebook.edition.executing import executed
from stacksim.notebook.edition.lesson import Lesson, read
from stacksim.notebook.edition.prose import anchor, prose, python
from stacksim.notebook.edition.worked_out import CHARTS

KINDS = {"lesson.html": ".html", "slides.html": ".slides.html", "handout.html": ".handout.html"}
"""Suffix of the page that each template makes."""

_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
"""Nothing is fetched. Inline scripts have no hashes, which would forbid those of an animation inside the page."""


def make(notebooks: Path, to: Path, names: Sequence[str] = ()) -> None:
    """Write the edition of lessons ``names`` of the folder ``notebooks``, by default of all, and the contents.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell failed.
    """
    to.mkdir(parents=True, exist_ok=True)
    paths = sorted(notebooks.glob("*.ipynb"))
    lessons = [Lesson.of(path.stem, read(path)) for path in paths]
    write_atomically(to / "index.html", _page("index.html", lessons=lessons))
    for number, path in enumerate(paths):
        if not names or path.stem in names:
            lesson = Lesson.of(path.stem, executed(read(path)))
            around = {"before": lessons[number - 1] if number else None, "after": (*lessons, None)[number + 1]}
            for template, content in pages(lesson, **around).items():
                write_atomically(to / f"{path.stem}{KINDS[template]}", content)


def pages(lesson: Lesson, before: Lesson | None = None, after: Lesson | None = None) -> dict[str, bytes]:
    """The page that each template makes of an executed lesson, with links to those ``before`` and ``after`` it."""
    return {template: _page(template, lesson=lesson, before=before, after=after) for template in KINDS}


def _page(template: str, **content: Any) -> bytes:
    return _environment().get_template(template).render(content).encode()


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("stacksim.notebook.edition", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"prose": prose, "python": python, "anchor": anchor, "shown": shown}
    environment.globals |= {
        "policy": _POLICY,
        "style": _text("sim.output.pictures", "chart.css") + _text("stacksim.notebook.edition", "edition.css"),
        "script": _script(),
        "version": version("stacksim"),
    }
    return environment


def shown(output: nbformat.NotebookNode, *, still: bool = False) -> str:
    """HTML of an output of a cell.

    Args:
        still: True for paper: charts as they are at first, and nothing to move.
    """
    if output.output_type == "stream":
        return f"<pre>{_escaped(output.text)}</pre>" if output.name == "stdout" else ""
    data = output.data
    if CHARTS in data:
        return _charts(data[CHARTS], still=still)
    if "text/html" in data:
        return f'<div class="scroll">{data["text/html"]}</div>'
    if "text/markdown" in data:
        return prose(data["text/markdown"])
    if "image/png" in data:
        return f'<img class="paper" alt="picture" src="data:image/png;base64,{data["image/png"]}">'
    return f"<pre>{_escaped(data['text/plain'])}</pre>"


def _charts(content: dict[str, Any], *, still: bool) -> str:
    if still:
        start = 0
        for knob in content["knobs"]:
            start = start * len(knob["texts"]) + knob["start"]
        content = {"knobs": [], "points": [content["points"][start]], "notes": []}
    record = json.dumps(content, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<figure class="charts"><script type="application/json">{record}</script></figure>'


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _script() -> str:
    """All modules of a page as one without imports."""
    modules = (
        ("sim.output.pictures", "number.js"),
        ("sim.output.pictures", "chart.js"),
        ("stacksim.notebook.edition", "edition.js"),
    )
    text = "\n".join(_text(*module) for module in modules)
    return "\n".join(line for line in text.splitlines() if not line.startswith("import "))


def _text(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")
