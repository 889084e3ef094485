"""``stacksim.claim`` in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim.engine.simulation.options import RunOptions
from stacksim.claims.claim_file import claim_of
from stacksim.claims.judge import judge
from stacksim.claims.verdict import Verdict


def claim(text: str, source: str, *, precision: float = 0.02, **entries: Any) -> Verdict:
    """Judge a claim by its own numbers, the hardware and the models.

    Args:
        text, source: what was said, and by whom.
        precision: half-width of the interval of a simulated throughput, as a share.
        entries: numbers, conditions and subject, as in a claim file: ``throughput="450 MB/s"``,
            ``hardware=["2 x fc-2"]``; its stack files are looked up in the working folder.

    Returns:
        The verdict, its arithmetic, likely explanations, and three questions to ask.

    Raises:
        InputError: an entry that is not allowed, or hardware, a system or a setting that is not known.

    Examples:
        >>> import stacksim
        >>> stacksim.claim("5 GB/s", "a brochure", throughput="5 GB/s", hardware=["fc-2"], op="read").verdict
        'impossible'
    """
    return judge(claim_of({"text": text, "source": source, **entries}, Path()), RunOptions(precision=precision))
