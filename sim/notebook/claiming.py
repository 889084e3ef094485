"""Verdicts on claims in lessons."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim.decision.claims.claim_file import claim_of
from sim.decision.claims.judge import judge
from sim.decision.claims.verdict import Verdict
from sim.notebook.asking import options_of


def claim(text: str, source: str, **entries: Any) -> Verdict:
    """Verdict on the claim ``text`` of ``source``.

    Args:
        entries: numbers, conditions and subject, as in a claim file: ``throughput="450 MB/s"``,
            ``hardware=["2 x fc-2"]``; its stack files are looked up in the working folder.

    Raises:
        InputError: an entry that is not allowed, or hardware, a system or a setting that is not known.
    """
    return judge(claim_of({"text": text, "source": source, **entries}, Path()), options_of("auto"))
