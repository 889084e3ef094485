"""A claim as a lesson writes it, and the verdict on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim.decision.claims.claim_file import claim_of
from sim.decision.claims.judge import judge
from sim.decision.claims.verdict import Verdict
from sim.notebook.asking import options_of


def claim(text: str, source: str, **entries: Any) -> Verdict:
    """The verdict on what ``source`` says.

    Args:
        entries: numbers, conditions and what they are about, as in a claim file: ``throughput="450 MB/s"``,
            ``hardware=["2 x fc-2"]``; its stack files are looked up in the working folder.

    Raises:
        InputError: an entry that is not allowed, or hardware, a system or a setting that is not known.
    """
    return judge(claim_of({"text": text, "source": source, **entries}, Path()), options_of("auto"))
