"""Hooks of MkDocs: parts of the site that are made from other files of the project as it is built.

- The first page is the README of the project, an animation, and the map of all pages.
- *Teach* is the README of the lessons, and the plans for teachers; their links lead to the pages of lessons if
  `make lessons` has made them.
- The page of claims has each shipped claim below a heading of its own, so that search finds it.
- A link to any other file outside ``docs`` is shown as the path that it is.
"""

from __future__ import annotations

import functools
import posixpath
import re
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent
TEACH, PLANS, CLAIMS, ANIMATION = "teach.md", "teaching.md", "claims.md", "animation.html"

LESSONS = ROOT / "build" / "lessons"
"""Folder into which `make lessons` writes; without it, the site has no lessons."""

PAGES = {"README.md": "README.md", "notebooks/README.md": TEACH, "notebooks/teaching.md": PLANS}
"""Pages of the site for files outside ``docs``."""

ANIMATED = ("trace", "postgresql", "clients=8", "--animate")

FRAME = f"""
<iframe src="{ANIMATION}" title="Commits on their way through PostgreSQL" loading="lazy"
  style="width: 100%; height: 34rem; border: 1px solid var(--md-default-fg-color--lightest)"></iframe>

Eight sessions of PostgreSQL, slowed down: those that arrive during a flush share the next one
([group commit](stacks/postgresql.md)).
"""

LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]+)\]\((?!\w+:)(?P<target>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")

VERDICTS = ("contradiction", "impossible", "implausible", "undecidable", "plausible")
SOURCES = {"sources": "What sources of the models claim", "present-day": "Claims and data sheets of our time"}


def on_files(files: Any, *, config: Any, **_: Any) -> Any:
    """Add the pages that no file in ``docs`` is."""
    from mkdocs.structure.files import File

    for path in ("notebooks/README.md", "notebooks/teaching.md"):
        files.append(File.generated(config, PAGES[path], content=moved(path)))
    files.append(File.generated(config, ANIMATION, content=animation()))
    for path, text in lessons():
        files.append(File.generated(config, path, content=text))
    return files


def lessons() -> Iterator[tuple[str, str]]:
    """Path and text of each page of the lessons; its links to pages of the site are alive there."""
    for page in sorted(LESSONS.glob("*.html")):
        yield f"lessons/{page.name}", page.read_text("utf-8").replace("<a data-page=", "<a href=")


def lesson(path: str) -> str | None:
    """Page of the site for a notebook; None if there is none."""
    page = LESSONS / f"{Path(path).stem}.html"
    return f"lessons/{page.name}" if path.startswith("notebooks/") and page.exists() else None


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Complete the first page and that of claims; mend links out of ``docs``."""
    path = page.file.src_uri
    if path == "README.md":
        return first_page()
    if path == CLAIMS:
        page.meta["hide"] = ["toc"]  # a hundred headings
        markdown += "".join(library())
    return markdown if path in (TEACH, PLANS) else mended(markdown, f"docs/{path}", path)


def first_page() -> str:
    """README of the project, with the animation behind its first paragraph, and the map of pages."""
    title, about, rest = moved("README.md").split("\n\n", 2)
    pages = mended((ROOT / "docs" / "README.md").read_text("utf-8"), "docs/README.md", "README.md")
    return "\n\n".join((title, about, FRAME, rest, f"#{pages}"))


def moved(path: str) -> str:
    """Text of a file outside ``docs``, as a page of the site."""
    return mended((ROOT / path).read_text("utf-8"), path, PAGES[path])


def mended(markdown: str, path: str, page: str) -> str:
    """``markdown`` of the file ``path`` with links as ``page`` of the site has them."""

    def link(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), found["target"]))
        own = target.removeprefix("docs/") if target.startswith("docs/") else None
        inside = PAGES.get(target) or own or lesson(target)
        if inside is None:
            return f"{found['text']} (`{target}`)"
        return f"[{found['text']}]({posixpath.relpath(inside, posixpath.dirname(page))}{found['anchor'] or ''})"

    return LINK.sub(link, markdown.replace("](docs/pictures/", "](pictures/"))


def library() -> list[str]:
    """A section of Markdown for each shipped claim."""
    found = []
    for name, title in SOURCES.items():
        claims = tomllib.loads((ROOT / "calibration-data" / "claims" / f"{name}.toml").read_text("utf-8"))["claim"]
        found.append(f"\n## {title}\n")
        found += map(section, sorted(claims, key=lambda claim: VERDICTS.index(claim["expect"])))
    return found


def section(claim: dict[str, Any]) -> str:
    """One claim: verdict and beginning in the heading, then text, source and reason."""
    text, verdict = claim["text"], claim["expect"].capitalize()
    cause = f", {claim['cause']}" if "cause" in claim else ""
    begin = textwrap.shorten(text, width=70, placeholder=" …")
    quoted = [f"“{text}”"] if begin != text else []
    lines = (*quoted, f"Source: {claim['source']}", f"**{verdict}{cause}**: {claim['reason']}")
    return "\n\n".join((f"### {verdict}: {escaped(begin)}", *map(escaped, lines), ""))


def escaped(text: str) -> str:
    """``text`` without signs that Markdown would read."""
    return re.sub(r"([|_<\[\]])", r"\\\1", text).replace("\\<", "&lt;")


@functools.cache
def animation() -> str:
    """An animation of requests, as a page that needs no server."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / ANIMATION
        command = [sys.executable, "-m", "sim.cli", *ANIMATED, page, "--quiet"]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)  # noqa: S603
        return page.read_text("utf-8")
