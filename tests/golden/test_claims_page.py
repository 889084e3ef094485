"""docs/claims.md counts the shipped claims by verdict. As a script, this file counts."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from sim.engine.files import write_atomically

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "claims.md"
VERDICTS = ("contradiction", "impossible", "implausible", "undecidable", "plausible")
TABLE = re.compile(r"(?<=\|---\|---\|---\|---\|---\|---\|---\|\n)(?:\|.*\n)*")
CLAIMS = {
    file.stem: tomllib.loads(file.read_text("utf-8"))["claim"]
    for file in sorted((ROOT / "calibration-data" / "claims").glob("*.toml"))
}


def counted():
    """A row for each file."""
    for name, claims in CLAIMS.items():
        verdicts = [claim["expect"] for claim in claims]
        yield f"| `{name}.toml` | {len(claims)} | {' | '.join(str(verdicts.count(word)) for word in VERDICTS)} |\n"


def test_page_counts_all_claims_by_verdict():
    (table,) = TABLE.findall(PAGE.read_text("utf-8"))
    assert table == "".join(counted())
    assert f"{sum(map(len, CLAIMS.values()))} performance claims" in PAGE.read_text("utf-8")


if __name__ == "__main__":
    write_atomically(PAGE, TABLE.sub("".join(counted()), PAGE.read_text("utf-8")).encode())
