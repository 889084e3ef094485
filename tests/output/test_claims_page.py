"""Verdicts as a page: whole, self-contained, and safe for any text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from claims import claim_of
from stacksim.claims.page import write
from stacksim.claims.verdict import Explanation, Verdict

VOID = {"meta"}


class Balanced(HTMLParser):
    """Reads a page; its tags must close in order."""

    def __init__(self):
        super().__init__()
        self.open, self.text, self.sources = [], [], []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.sources += [value for name, value in attributes if name in ("src", "href")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        self.text.append(text)


def test_date_in_the_source_is_not_repeated(tmp_path):
    said = [("a colleague, 2007", "2007"), ("a colleague", "2007"), ("an offer, March 2024", "2024-03")]
    claims = [claim_of(source=source, date=date) for source, date in said]
    write(
        [Verdict(claim, "plausible", "3 ≥ 2", None, None, (), ("", "", "")) for claim in claims],
        tmp_path / "p.html",
    )
    page = (tmp_path / "p.html").read_text("utf-8")
    assert page.count("<cite>a colleague, 2007</cite>") == 2
    assert "<cite>an offer, March 2024</cite>" in page


def test_the_page_has_every_verdict_and_needs_nothing_else(tmp_path):
    explanation = Explanation("data <fit> memory", "cached-on-host", 1.1e9, "bytes/s", 0.1)
    claim = claim_of(text="<script>alert(1)</script> & more", date="2007-01")
    questions = ("Why?", "How?", "When?")
    verdicts = [
        Verdict(claim, "implausible", "1 < 2", None, 0.0123, (explanation,), questions),
        Verdict(claim_of(), "plausible", "3 ≥ 2", None, None, (), questions),
    ]
    write(verdicts, tmp_path / "page.html")
    page = Balanced()
    page.feed((tmp_path / "page.html").read_text("utf-8"))
    assert not page.open
    assert not page.sources
    text = re.sub(r"\s+", " ", " ".join(page.text))
    for wanted in (
        *("“<script>alert(1)</script> & more”", "made up , 2007-01", "implausible", "1 < 2", "p = 0.012"),
        *("data <fit> memory: 1.1 GB/s, +10.0%", *questions, "plausible", "3 ≥ 2", "2 claims: 1 implausible, 1"),
    ):
        assert wanted in text.replace("made up, 2007", "made up , 2007")
    assert text.count("What may have been measured") == 1
