"""Every page of the documents is on a map; every link and every named file is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MAPS = [*sorted(DOCS.rglob("README.md")), DOCS / "which-system.md"]
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md")), ROOT / "notebooks" / "README.md"]

FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!\w+:)(?P<file>[^)#\s]*)#?(?P<anchor>[^)\s]*)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
TERM = re.compile(r'<a id="([^"]+)"></a>')
NAMED = re.compile(r"`((?:benchmarks|calibration-data|docs|models|notebooks|sim|tests)/[\w./-]*)`")


def prose(document):
    """Text outside blocks of code."""
    return FENCE.sub("", document.read_text("utf-8"))


def links(document):
    """Pairs of the file that a relative link leads to, and the anchor in it, if there is one."""
    for found in LINK.finditer(prose(document)):
        yield (document.parent / found["file"]).resolve() if found["file"] else document, found["anchor"]


def anchor(heading):
    """As GitHub makes it: small letters, hyphens for blanks, no other signs."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def places(text):
    """Where a link may lead: to a heading, or to a term of the glossary."""
    return {*map(anchor, HEADING.findall(text)), *TERM.findall(text)}


def broken(document):
    for file, place in links(document):
        if not file.exists():
            yield f"{document.name} leads to {file}, which is not there"
        elif place and place not in places(prose(file)):
            yield f"{document.name} leads to #{place} of {file.name}, which has no such heading or term"
    for name in NAMED.findall(prose(document)):
        if not (ROOT / name).exists():
            yield f"{document.name} names {name}, which is not there"


def test_every_page_is_on_the_map():
    linked = {file for page in MAPS for file, _ in links(page)}
    missing = {*DOCS.rglob("*.md")} - linked - {DOCS / "README.md"}
    assert not missing, (
        f"no README.md of docs, nor which-system.md, lists {', '.join(sorted(page.name for page in missing))}"
    )


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(document):
    assert not list(broken(document))


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("[a](here.md) [b](here.md#one-page-24-words) [c](#own) [d](https://x.org)\n## Own\n", 0),
        ("```\n[a](nowhere.md)\n```\n", 0),
        ("[a](nowhere.md)\n", 1),
        ("[a](here.md#two)\n", 1),
        ("[a](#two)\n", 1),
        ("`sim/nowhere.py` `tests/` `sim/<system>.json`\n", 1),
    ],
)
def test_a_broken_link_is_seen(tmp_path, text, faults):
    (tmp_path / "here.md").write_text("# One page: 2–4 words\n", "utf-8")
    (tmp_path / "page.md").write_text(text, "utf-8")
    assert len(list(broken(tmp_path / "page.md"))) == faults
