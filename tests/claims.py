"""Claims made in a line, as a claim file would have them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stacksim.claims.claim import Claim
from stacksim.claims.entries import ClaimEntry


def claim_of(**entries: Any) -> Claim:
    """The claim with these ``entries``; text and source are made up."""
    whole: Mapping[str, Any] = {"text": "said", "source": "made up", **entries}
    return ClaimEntry.model_validate(whole).claim(Path("claims.toml"), "claim file 'claims.toml' line 1")


BUCKET = """\
title = "a bucket of credits"
[load]
clients = 64
block = "4KiB"
[[layer]]
kind = "limits"
iops = 1000
burst_iops = 3000
iops_credits = 20000
bandwidth = "10GB/s"
[[layer]]
kind = "ssd"
latency = "100us"
units = 4096
placement = "free"
"""
"""A stack whose volume has credits of 20,000 I/Os at first."""
