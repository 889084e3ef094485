"""Each term of the glossary has a place that a page can lead to, and lessons lead to terms that are there."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from lessons import NOTEBOOKS, ROOT, Lesson

GLOSSARY = ROOT / "docs" / "glossary.md"
ENTRY = re.compile(r"^- (.*?)\*\*([^*]+)\*\*", re.MULTILINE)
NAMED = re.compile(r'<a id="([^"]+)"></a>\*\*([^*]+)\*\*')
LINK = re.compile(r"\]\([^)]*docs/glossary\.md(#[^)]*)?\)")
SENSES = {"bound-on-a-claim": "Bound"}
"""Places of words that have a second sense, or are told apart from another."""


def place(term):
    """As GitHub makes it of a heading."""
    return re.sub(r"[^\w -]", "", term.lower()).replace(" ", "-")


def faults(glossary):
    for before, term in ENTRY.findall(glossary):
        if not NAMED.match(f"{before}**{term}**"):
            yield f"{term} has no place"
    places = [found[1] for found in NAMED.finditer(glossary)]
    yield from (f"#{each} is there {count} times" for each, count in Counter(places).items() if count > 1)
    for named, term in NAMED.findall(glossary):
        if SENSES.get(named, term) != term or (named not in SENSES and named != place(term)):
            yield f"{term} is at #{named}"


def astray(prose, glossary):
    """Links to the glossary that lead to no term of it."""
    terms = {f"#{named}" for named, _ in NAMED.findall(glossary)}
    return [found[0] for found in LINK.finditer(prose) if found[1] and found[1] not in terms]


def test_every_term_has_a_place_of_its_own():
    assert not list(faults(GLOSSARY.read_text("utf-8")))


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_lessons_lead_to_terms(path):
    prose = Lesson.of(path).prose
    assert not astray(prose, GLOSSARY.read_text("utf-8"))
    assert any(found[1] for found in LINK.finditer(prose)), "no term is explained"


@pytest.mark.parametrize(
    "text",
    [
        "- **Knee**: a load.",
        '- <a id="bend"></a>**Knee**: a load.',
        '- <a id="knee"></a>**Knee**: a load.\n- <a id="knee"></a>**Knee**: of a leg.',
        '- <a id="bound-on-a-claim"></a>**Knee**: a load.',
    ],
)
def test_a_term_without_its_place_is_seen(text):
    assert list(faults(text))


def test_a_link_to_no_term_is_seen():
    glossary = '- <a id="knee"></a>**Knee**: a load.'
    assert not astray("[knees](../docs/glossary.md#knee)", glossary)
    assert astray("[bends](../docs/glossary.md#bend)", glossary) == ["](../docs/glossary.md#bend)"]
