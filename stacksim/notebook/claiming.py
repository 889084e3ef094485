"""Verdicts on claims in lessons."""

from __future__ import annotations

from typing import Any

from stacksim.claims.asking import claim as judged
from stacksim.claims.verdict import Verdict
from stacksim.notebook import asking as lesson


def claim(text: str, source: str, **entries: Any) -> Verdict:
    """Verdict on the claim ``text`` of ``source``.

    Args:
        entries: numbers, conditions and subject, as in a claim file: ``throughput="450 MB/s"``,
            ``hardware=["2 x fc-2"]``; its stack files are looked up in the working folder.

    Raises:
        InputError: an entry that is not allowed, or hardware, a system or a setting that is not known.
    """
    return judged(text, source, precision=lesson.PRECISION, **entries)
