"""Reads the page of a measurement, whose tags must close in order."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "img", "br", "link"}


class Page(HTMLParser):
    """The text of a page, its sources and its images."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.sources: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.feed(path.read_text("utf-8"))
        assert not self.open

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        if tag == "img":
            self.images.append(dict(attributes))
        self.sources += [value for name, value in attributes if name in ("src", "href")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if not {"style", "title"} & {*self.open}:
            self.words.append(text)

    @property
    def text(self) -> str:
        """All of it, with one blank between words."""
        return re.sub(r"\s+", " ", " ".join(self.words))

    def cells(self, form: str) -> list[str]:
        """Pieces of text that have this form, from beginning to end."""
        return [each for each in self.words if re.fullmatch(form, each)]

    def place(self, wanted: str) -> int:
        """Where ``wanted`` stands; it must be there."""
        assert wanted in self.text, f"{wanted!r} is not in the page"
        return self.text.index(wanted)
