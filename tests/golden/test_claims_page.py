"""docs/claims.md lists the shipped claims that are wrong or open. As a script, this file writes its tables."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "claims.md"
TITLES = {"sources": "## What the sources claim", "present-day": "## Claims and data sheets of our time"}
INTRODUCTIONS = {
    "sources": "Claims without an address are from the sources that [the systems](README.md) name.",
    "present-day": "From stored copies of public pages; dates are those of the pages.",
}


def tables():
    """The part of the page that is made from the claim files."""
    return "\n".join(part for name in TITLES for part in section(name))


def section(name):
    entries = tomllib.loads((ROOT / "calibration-data" / "claims" / f"{name}.toml").read_text())["claim"]
    verdicts = [entry["expect"] for entry in entries]
    words = ("contradiction", "impossible", "implausible", "plausible", "undecidable")
    counted = ", ".join(f"{verdicts.count(word)} {word}" for word in words if word in verdicts)
    yield from (TITLES[name], "", f"{len(entries)} claims: {counted}. {INTRODUCTIONS[name]}", "")
    yield from ("| claim | verdict | why |", "|---|---|---|")
    yield from (row(said(entry), verdict(entry), entry["reason"]) for entry in entries if not plausible(entry))
    yield ""


def plausible(entry):
    return entry["expect"] == "plausible"


def said(entry):
    """Text and source of a claim."""
    return f"“{entry['text']}” ({entry['source']})"


def verdict(entry):
    """The verdict, with the cause of a wrong claim."""
    return entry["expect"] + (f", {entry['cause']}" if "cause" in entry else "")


def row(*cells):
    return "| " + " | ".join(each.replace("|", r"\|") for each in cells) + " |"


def test_the_page_says_why_claims_are_not_plausible():
    assert PAGE.read_text("utf-8").endswith(tables())


if __name__ == "__main__":
    text = PAGE.read_text("utf-8")
    head = text.split(TITLES["sources"])[0]
    PAGE.write_text(head + tables(), "utf-8")
