"""Hooks of MkDocs: lessons as part of the site, and links to files that a site does not hold.

Pages link to files of the project beside them, such as a source. Those links are shown as the paths that they are.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LESSONS = Path(__file__).parent / "build" / "lessons"
"""Where `make lessons` puts pages; without them the site has no lessons."""

LINK = re.compile(r"(?<!\!)\[(?P<text>[^\]]+)\]\((?P<target>(?:\.\./)+[^)#\s]+)(?:#[^)\s]*)?\)")


def on_files(files: Any, *, config: Any, **_: Any) -> Any:
    """Add the lessons."""
    for each in lessons(config):
        files.append(each)
    return files


def lessons(config: Any) -> Iterator[Any]:
    """Yield a file of the site for each page of the lessons, with its links to other pages of the site alive."""
    from mkdocs.structure.files import File

    for page in sorted(LESSONS.glob("*.html")):
        text = page.read_text("utf-8").replace("<a data-page=", "<a href=")
        yield File.generated(config, f"lessons/{page.name}", content=text)


def lesson(path: str) -> str | None:
    """Page of the site for a notebook, or for the README of all; None if there is none."""
    name = "index.html" if path == "notebooks/README.md" else f"{posixpath.basename(path).partition('.')[0]}.html"
    return f"lessons/{name}" if path.startswith("notebooks/") and (LESSONS / name).exists() else None


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Keep the text of each link out of ``docs``, with the path behind it."""
    folder = posixpath.dirname(page.file.src_uri)

    def kept(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join("docs", folder, link["target"]))
        if inside := lesson(path):
            return f"[{link['text']}]({posixpath.relpath(inside, folder)})"
        return link[0] if path.startswith("docs/") else f"{link['text']} (`{path}`)"

    return LINK.sub(kept, markdown)
